#!/bin/sh
# A player in the shell: it answers every decision with the first legal action, which is a pass in every bid that allows
# one. docs/bots.md has the protocol.
#
#     euchre-eval match "cmd:sh examples/bots/first_legal.sh" random --deals 200

while read -r line; do
  case $line in
  '{"type": "start"'*) echo '"ready"' ;;
  '{"type": "decision"'*)
    ids=${line#*'"legal_ids": ['}
    echo "${ids%%[],]*}"
    ;;
  esac
done
