"""A player whose decisions come from a model of text, with a rule in the place of the model.

The model gets the seat's view in sentences (`text` of the protocol, docs/bots.md) and answers with the name of an
action, in words of its own. Put a call of your model into `complete`. What it answers is searched for a legal action;
an answer without one becomes the first legal action, so a model that talks too much does not renege.

    euchre-eval match "cmd:python examples/bots/text_model.py" random --deals 200 --time-limit 5
"""

import json
import re
import sys
from typing import Any

PROMPT = """You play euchre. This is what you know:

{text}

Answer with one of the legal actions, word for word, on the last line.
"""


def complete(prompt: str) -> str:
    """The rule in the place of the model: a text in, a text out. It passes, and plays the last card it may."""
    legal = re.search(r"I may: (.*)\.", prompt)
    assert legal is not None
    names = legal[1].split(", ")
    return f"Let me think about my hand.\n{'pass' if 'pass' in names else names[-1]}"


def action_in(answer: str, legal: list[str]) -> str:
    """The legal action that the last line of `answer` with one names; the first legal action if no line has one."""
    by_length = sorted(legal, key=len, reverse=True)  # "order up alone" before "order up"
    for line in reversed(answer.splitlines()):
        for name in by_length:
            if name.lower() in line.lower():
                return name
    return legal[0]


def answer_to(message: dict[str, Any]) -> Any:
    """The answer to a message of the protocol; None if it needs none."""
    if message["type"] == "start":
        return "ready"
    if message["type"] == "decision":
        answer = complete(PROMPT.format(text=message["text"]))
        return {"action": action_in(answer, message["view"]["legal"])}
    return None


if __name__ == "__main__":
    for line in sys.stdin:
        answer = answer_to(json.loads(line))
        if answer is not None:
            print(json.dumps(answer), flush=True)
