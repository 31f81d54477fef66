// A player in JavaScript, for Node: it orders up or names a suit of which it holds three cards, and plays the highest
// card that it may. docs/bots.md has the protocol.
//
//     euchre-eval match "cmd:node examples/bots/highest_card.mjs" random --deals 200

import { createInterface } from "node:readline";

const RANKS = "9TJQKA";

function choose({ view, legal_ids: ids }) {
  const legal = view.legal.map((name, i) => ({ name, id: ids[i], card: name.split(" ").at(-1) }));
  if (view.phase === "PLAY" || view.phase === "DISCARD") {
    const byRank = legal.toSorted((a, b) => RANKS.indexOf(a.card[0]) - RANKS.indexOf(b.card[0]));
    return byRank.at(view.phase === "PLAY" ? -1 : 0);
  }
  const held = (suit) => view.hand.filter((card) => card[1] === suit[0].toUpperCase()).length;
  const call = legal.find(({ name }) => {
    if (name === "order up") return view.hand.filter((card) => card[1] === view.upcard[1]).length >= 3;
    return name.startsWith("name ") && !name.endsWith(" alone") && held(name.slice(5)) >= 3;
  });
  return call ?? legal[0];
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "start") console.log('"ready"');
  if (message.type === "decision") {
    const { name, id } = choose(message);
    console.log(JSON.stringify({ action: id, name }));
  }
}
