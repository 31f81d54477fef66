"""Whatever text comes, the parsers of games and of deal texts raise the documented error and no other.

FUZZ_SECONDS sets how long each parser is tried (`make fuzz`: two and a half minutes); FUZZ_SEED, where it begins.
"""

import json
import os
import random
import time

from support.recorded_games import HANDS, bidding, deal_of, game_of, random_game, tricks, whole_deal

from euchre_env.actions import IllegalActionError
from euchre_env.deal_text import deal_text, parse_deal_text
from euchre_env.egn import EgnError, egn_text, parse_egn, replay

SECONDS = float(os.environ.get("FUZZ_SECONDS", "2"))
SEED = int(os.environ.get("FUZZ_SEED", "0"))
MIN_TRIES = 10

SYMBOLS = ["Xx", "Xc", "Jx", "R", "L", "B", "9t", "An", "Kg", "Qh", "QH", "7c", "9c", "Ns", "", "10h", "é", "\ud83d"]
VALUES = [
    *(None, True, False, 0, -1, 1, 3, 4, 7, 10, 99, 100, 10**30, 1.0, 0.5, -0.0, 1e300),
    *("", "Pass", "Order", "x", "n", "s", "1.4", "1.0", "EUCHRE_BIDDING", "TRICK_PLAY", "\n\x00", "x" * 2000),
    *([], {}, [[]], [[], [], [], []], {"0": ["a"]}, ["Pass"] * 4, {"receiver": 0, "cards": []}),
    *("EkgmcUZnkqNzFo", "M" * 40, "Gkgm3G4TYRNlaljISxlA", "GKgEbc0TSYgO9DqJD9QU"),
    *SYMBOLS,
]
JOINTS = '{}[]",:/.=-\\ \x00\u2028é0129JcXxPass'


def games():
    """Games that are in order, to change something in."""
    lone = bidding("Pass", "Pass", "Pass", "Order", isAlone=True, discard="Jh", aloneDefender=1)
    notes = {"0": ["[!]good"], "7": ["[??]bad", ""]}
    line = {"branchIndex": 2, "phases": [tricks("Ac Kc Tc", playAnnotations=notes)]}
    everything = {"std": False, "defend_alone": True, "joker": True, "winning_score": 99}
    return [
        game_of(whole_deal(), date="2026-08-11", finalScore=[1, 0]),
        game_of(
            whole_deal() | {"alternativeLines": [line]},
            deal_of(lone, tricks("Ac 9s", "As 9h"), hands=HANDS),
            rules=everything,
        ),
        game_of("Gkgm3G4TYRNlaljISxlA", "HAgRpopm0ZYXDWYiVpZQ", rules={"std": True}),
        game_of(deal_of(bidding("x", "Order", discard="Xx"), tricks("Xx Xx Xx Xx", "Jx Xs"), hands=[["Xh"] * 5])),
        json.loads(egn_text(random_game("british", 1))),
    ]


def places_in(value):
    """Every container of a JSON value with each of its keys."""
    found, todo = [], [value]
    while todo:
        container = todo.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append((container, key))
            if isinstance(container[key], dict | list):
                todo.append(container[key])
    return found


def change_value(game, rng):
    """Replace, remove, repeat or exchange a value somewhere in a game."""
    places = places_in(game)
    if not places:
        return
    container, key = rng.choice(places)
    what = rng.randrange(6)
    if what == 0:
        del container[key]
    elif what == 1 and isinstance(container, list):
        container.insert(key, container[key])
    elif what == 2:
        other, other_key = rng.choice(places)
        container[key] = json.loads(json.dumps(other[other_key]))
    elif what == 3 and isinstance(container, dict):
        container[rng.choice([*map(str, VALUES[:9]), "isAlone", "discard", "upCard"])] = container.pop(key)
    elif what == 4 and isinstance(container[key], str):
        container[key] = change_text(container[key], rng)
    else:
        container[key] = rng.choice(SYMBOLS if isinstance(container[key], str) and rng.random() < 0.7 else VALUES)


def change_text(text, rng):
    """Insert, remove or repeat some characters of a text."""
    place, length = rng.randrange(len(text) + 1), rng.choice([1, 1, 1, 2, 5, 40])
    what = rng.randrange(4)
    if what == 0:
        return text[:place] + text[place + length :]
    if what == 1:
        return text[:place] + "".join(rng.choices(JOINTS, k=length)) + text[place:]
    if what == 2:
        return text[:place] + text[place : place + length] * 2 + text[place + length :]
    return text[:place] + "".join(rng.choices(JOINTS, k=1)) + text[place + 1 :]


def outcome(parse, text):
    """What `parse` makes of `text`, and the exception that it raises, of which one is None."""
    try:
        return parse(text), None
    except Exception as error:
        return None, error


def numbered_seeds():
    """Seeds until the time is over, `MIN_TRIES` at least."""
    end = time.monotonic() + SECONDS
    number = 0
    while number < MIN_TRIES or time.monotonic() < end:
        yield SEED + number
        number += 1


def test_only_the_documented_error_comes_from_a_game():
    starts, read, refused = [json.dumps(game) for game in games()], 0, 0
    for seed in numbered_seeds():
        rng = random.Random(seed)
        text = rng.choice(starts)
        if rng.random() < 0.7:
            game = json.loads(text)
            for _ in range(rng.choice([1, 1, 2, 3])):
                change_value(game, rng)
            text = json.dumps(game)
        else:
            for _ in range(rng.choice([1, 1, 2, 5])):
                text = change_text(text, rng)
            if rng.random() < 0.2:
                text = text.encode("utf-8", "surrogatepass")[: rng.randrange(len(text) + 1)]
        recorded, error = outcome(parse_egn, text)
        if recorded is None:
            assert type(error) is EgnError, f"FUZZ_SEED={seed}: {error!r}"
            assert "\n" not in str(error), f"FUZZ_SEED={seed}: {error!r}"
            refused += 1
            continue
        read += 1
        again = parse_egn(egn_text(recorded))
        assert (again.deals, again.rules) == (recorded.deals, recorded.rules), f"FUZZ_SEED={seed}"
        assert [each.actions for each in replay(again)] == [each.actions for each in replay(recorded)], (
            f"FUZZ_SEED={seed}"
        )
    assert read > 0
    assert refused > 0


def test_only_the_documented_error_comes_from_a_deal_text():
    starts = [each.text for each in replay(random_game("tournament", 2))]
    starts += [each.text for each in replay(random_game("british", 2))]
    read, refused = 0, 0
    for seed in numbered_seeds():
        rng = random.Random(seed)
        text = rng.choice(starts)
        for _ in range(rng.choice([1, 1, 2, 5])):
            if rng.random() < 0.3:
                fields = text.split("/")
                fields[rng.randrange(len(fields))] = rng.choice(rng.choice(starts).split("/"))
                text = "/".join(fields)
            elif rng.random() < 0.5:
                words = text.replace(",", ".").split(".")
                text = text.replace(rng.choice(words), rng.choice(words), 1)
            else:
                text = change_text(text, rng)
        table, error = outcome(parse_deal_text, text)
        if table is None:
            assert type(error) in (ValueError, IllegalActionError), f"FUZZ_SEED={seed}: {error!r}"
            refused += 1
            continue
        read += 1
        if table.last_deal is None:
            assert deal_text(parse_deal_text(deal_text(table))) == deal_text(table), f"FUZZ_SEED={seed}"
    assert read > 0
    assert refused > 0
