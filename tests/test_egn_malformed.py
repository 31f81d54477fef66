"""A file that is not a game in Euchre Game Notation is refused in one line that says what is wrong and where."""

import json
import re
from typing import Any

import pytest
from support.recorded_games import HANDS, TRICKS, bidding, deal_of, game_of, tricks, whole_deal

from euchre_env.egn import EgnError, parse_egn


def changed(path, value):
    """The whole game with one value replaced, or removed if `value` is None; the path is of keys and indices."""
    game = game_of(whole_deal())
    place = game
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    elif isinstance(place, list) and path[-1] == len(place):
        place.append(value)
    else:
        place[path[-1]] = value
    return game


DEAL, META = ("deals", 0), ("metadata",)
STATE, BIDS, PLAY = (*DEAL, "initialState"), (*DEAL, "phases", 0), (*DEAL, "phases", 1)
CARD = (*PLAY, "tricks")

# What is no JSON, or no JSON of this kind.
TEXTS = [
    ("", "line 1, column 1: not JSON: Expecting value"),
    ("{", "line 1, column 2: not JSON"),
    ('{"a": 1,\n "b" 2}', "line 2, column 6: not JSON: Expecting ':' delimiter"),
    ('{"fileType": NaN}', "not JSON: NaN is no JSON number"),
    ('{"a": 1, "a": 2}', "an object has the field 'a' twice"),
    ("[" * 100_000, "lists and objects are nested too deeply"),
    ('{"a": ' + "1" * 5000 + "}", "a number has thousands of digits"),
    (b"\xff\xfe\x00", "byte 2: the file is not text in utf-16"),
    (b'{"fileType": "\xe9"}', "byte 14: the file is not text in utf-8"),
    ("[]", "an object is expected, not a list"),
    ("17", "an object is expected, not 17"),
]

# What is wrong with one value of an otherwise correct game.
CHANGES = [
    (("fileType",), None, "the field 'fileType' is missing"),
    (("fileType",), "Euchre Match Notation", "fileType: this is a match of several games"),
    (("fileType",), "PGN", "fileType: 'PGN' is none of 'Euchre Game Notation'"),
    (("version",), "1.7", "version: versions 1.0 to 1.6 are read, not '1.7'"),
    (("version",), 1.4, "version: text is expected, not 1.4"),
    (("versions",), "1.4", "unknown field 'versions'; did you mean 'version'?"),
    (("metadata",), None, "the field 'metadata' is missing"),
    (("deals",), None, "the field 'deals' is missing"),
    (("deals",), {}, "deals: a list is expected, not an object"),
    ((*META, "players"), None, "metadata: the field 'players' is missing"),
    ((*META, "players"), "a, b", "metadata.players: a list is expected, not 'a, b'"),
    ((*META, "players"), ["a"] * 11, "metadata.players: the list has 11 items, of at most 10"),
    ((*META, "players", 2), 7, "metadata.players[2]: a player is a name, or an object with a name"),
    ((*META, "players", 2), {"id": "x"}, "metadata.players[2]: the field 'name' is missing"),
    ((*META, "players", 0), "x" * 65, "metadata.players[0]: the text has 65 characters, of at most 64"),
    ((*META, "players", 0), {"name": "x", "playerIds": [{"id": "y"}]}, "playerIds[0]: the field 'source' is missing"),
    ((*META, "initialScore"), [1], "metadata.initialScore: the points of two teams are expected, not of one"),
    ((*META, "initialScore"), [1, 2, 3], "metadata.initialScore: the list has 3 items, of at most 2"),
    ((*META, "initialScore"), [1, -2], "metadata.initialScore[1]: a whole number from 0 to 9999 is expected, not -2"),
    ((*META, "initialScore"), [1, 2.5], "metadata.initialScore[1]: a whole number is expected, not 2.5"),
    ((*META, "initialScore"), [True, 0], "metadata.initialScore[0]: a whole number is expected, not true"),
    ((*META, "initialScore"), [10, 0], "deals[0]: scores (10, 0) already end a game"),
    ((*META, "finalScore"), ["1", 0], "metadata.finalScore[0]: a whole number is expected, not '1'"),
    ((*META, "date"), "yesterday", "metadata.date: a date such as 2026-05-17T19:00:00Z or 2026-05-17 is expected"),
    ((*META, "title"), "x" * 129, "metadata.title: the text has 129 characters, of at most 128"),
    ((*META, "teamNames"), ["one"], "metadata.teamNames: two names are expected, not 1"),
    ((*META, "ruleset", "stick"), True, "metadata.ruleset: unknown field 'stick'"),
    ((*META, "ruleset", "std"), "yes", "metadata.ruleset.std: true or false is expected, not 'yes'"),
    ((*META, "ruleset", "std"), 1, "metadata.ruleset.std: true or false is expected, not 1"),
    ((*META, "ruleset", "loner_lead"), "LEFT", "loner_lead: 'LEFT' is none of 'LEFT_OF_DEALER', 'LEFT_OF_LONER'"),
    ((*META, "ruleset", "winning_score"), 100, "winning_score: a whole number from 1 to 99 is expected, not 100"),
    ((*META, "ruleset", "winning_score"), 0, "winning_score: without a score to win there must be num_deals"),
    ((*META, "ruleset", "loner_march_score"), 21, "loner_march_score: a whole number from 0 to 20 is expected, not 21"),
    ((*DEAL, "dealer"), 1, "deals[0]: unknown field 'dealer'"),
    ((*DEAL, "dealNumber"), -1, "deals[0].dealNumber: a whole number from 0 to 1000000000 is expected, not -1"),
    (STATE, None, "deals[0]: the field 'initialState' is missing"),
    ((*STATE, "dealer"), 4, "deals[0].initialState.dealer: a whole number from 0 to 3 is expected, not 4"),
    ((*STATE, "dealer"), None, "deals[0].initialState: the field 'dealer' is missing"),
    ((*STATE, "upCard"), "9S ", "deals[0].initialState.upCard: '9S ' is not a card; a card is a rank of 9TJQKA"),
    ((*STATE, "upCard"), "8s", "deals[0].initialState.upCard: '8s' is not in the pack, whose lowest rank is the nine"),
    ((*STATE, "upCard"), "B", "deals[0].initialState.upCard: the joker is in the pack only with the rule joker"),
    ((*STATE, "upCard"), "Ah", "deals[0].initialState.playerCards[0][1]: 'Ah' has been dealt before, at deals[0].init"),
    ((*STATE, "playerCards", 2), [*HANDS[2][:4], "Qh"], "playerCards[2][4]: 'Qh' has been dealt before"),
    ((*STATE, "playerCards", 2, 5), "9d", "playerCards[2]: a seat is dealt 5 cards, not 6"),
    ((*STATE, "playerCards", 4), ["9d"], "playerCards[4]: there are four seats, 0 to 3"),
    ((*STATE, "playerCards", 1), "9c Qc", "playerCards[1]: a list is expected, not '9c Qc'"),
    ((*DEAL, "phases"), [bidding()] * 2, "deals[0].phases[1]: a deal has one phase of each type"),
    ((*DEAL, "phases", 2), bidding(), "deals[0].phases: the list has 3 items, of at most 2"),
    ((*BIDS, "type"), None, "deals[0].phases[0]: the field 'type' is missing"),
    ((*BIDS, "type"), "PLAY", "deals[0].phases[0].type: 'PLAY' is none of 'EUCHRE_BIDDING', 'TRICK_PLAY'"),
    ((*BIDS, "phaseNumber"), "one", "phases[0].phaseNumber: a whole number is expected, not 'one'"),
    ((*BIDS, "calls"), None, "deals[0].phases[0]: the field 'calls' is missing"),
    ((*BIDS, "calls", 0), "pass", "deals[0].phases[0].calls[0]: 'pass' is none of 'Pass', 'Order', 's', 'h', 'd'"),
    ((*BIDS, "calls"), ["Pass"] * 17, "deals[0].phases[0].calls: the list has 17 items, of at most 16"),
    ((*BIDS, "calls"), ["Pass"] * 9, "deals[0].phases[0].calls[8]: four seats call twice at most"),
    ((*BIDS, "calls"), ["Order", "Pass"], "deals[0].phases[0].calls[0]: 'Order' makes trump, but another call follows"),
    ((*BIDS, "calls"), ["h"], "calls[0]: 'h' is not possible in the first round, in which 'Order' makes trump"),
    ((*BIDS, "calls"), ["Pass"] * 4 + ["Order"], "calls[4]: 'Order' is not possible in the second round"),
    ((*BIDS, "calls"), ["Pass"] * 4 + ["s"], "calls[4]: spades were turned down, so nobody can name them"),
    ((*BIDS, "calls"), ["Pass"] * 8, "deals[0].phases[1].tricks: cards are played, but nobody has made trump"),
    ((*BIDS, "isAlone"), "no", "deals[0].phases[0].isAlone: true or false is expected, not 'no'"),
    (
        (*BIDS, "isAlone"),
        True,
        "deals[0].phases[0].discard: the dealer takes no card in this deal, so it discards none",
    ),
    ((*BIDS, "discard"), "Kh", "deals[0].phases[0].discard: the dealer does not hold 'Kh'"),
    ((*BIDS, "discard"), "Qs", "deals[0].phases[1].tricks[3][0]: 'Qs' was discarded by the dealer"),
    ((*BIDS, "aloneDefender"), 4, "deals[0].phases[0].aloneDefender: a whole number from -1 to 3 is expected, not 4"),
    ((*BIDS, "aloneDefender"), 0, "aloneDefender: a defender goes alone only against a maker who does"),
    ((*BIDS, "cardExchanges"), [{"receiver": 1, "cards": []}], "cards are exchanged under the rules partners_best"),
    ((*BIDS, "callAnnotations"), ["x"], "deals[0].phases[0].callAnnotations: an object is expected, not a list"),
    ((*BIDS, "callAnnotations"), {"a": []}, "callAnnotations: 'a' is not the number of a call or play"),
    ((*BIDS, "callAnnotations"), {"1": [], "01": []}, "callAnnotations: annotations of 1 stand there twice"),
    ((*BIDS, "callAnnotations"), {"1": "x"}, "callAnnotations.1: a list is expected, not 'x'"),
    ((*BIDS, "callAnnotations"), {"1": [2]}, "callAnnotations.1[0]: text is expected, not 2"),
    ((*PLAY, "calls"), [], "deals[0].phases[1]: unknown field 'calls'"),
    ((*PLAY, "isAlone"), True, "deals[0].phases: isAlone of the bidding and isAlone of the tricks disagree"),
    ((*CARD, 0, 1), "10c", "deals[0].phases[1].tricks[0][1]: '10c' is not a card"),
    ((*CARD, 0, 1), 9, "deals[0].phases[1].tricks[0][1]: text is expected, not 9"),
    ((*CARD, 0, 4), "Ks", "deals[0].phases[1].tricks[0]: the list has 5 items, of at most 4"),
    ((*CARD, 1), TRICKS[1][:3], "deals[0].phases[1].tricks[1]: 4 seats play, but the trick has 3 cards"),
    ((*CARD, 5), ["9d"], "deals[0].phases[1].tricks: a deal has 5 tricks, not 6"),
    ((*CARD, 2, 0), "Ac", "deals[0].phases[1].tricks[2][0]: 'Ac' has been played before"),
    ((*CARD, 0, 0), "9d", "deals[0].phases[1].tricks[0][0]: seat 1, whose turn it is, does not hold '9d'"),
    ((*CARD, 0, 0), "9s", "tricks[0][0]: seat 1 cannot play '9s', the upcard, which was taken by the dealer"),
    ((*CARD, 0, 2), "Qd", "deals[0].phases[1].tricks[2][1]: 'Qd' has been played before"),
    (
        (*DEAL, "alternativeLines"),
        [{"branchIndex": 0, "phases": []}],
        "alternativeLines[0].phases: an alternative line",
    ),
    ((*DEAL, "alternativeLines"), [{"phases": [bidding()]}], "alternativeLines[0]: the field 'branchIndex' is missing"),
]

# Rules that this project does not have.
RULES = [
    ({"min_rank": 7}, "metadata.ruleset.min_rank: this project does not have the rule min_rank, which is 7 here"),
    ({"num_players": 3}, "metadata.ruleset.num_players: this project does not have the rule num_players"),
    ({"farmers": True}, "metadata.ruleset.farmers: this project does not have the rule farmers"),
    ({"partners_best": True}, "metadata.ruleset.partners_best: this project does not have the rule partners_best"),
    ({"go_under": True}, "metadata.ruleset.go_under: this project does not have the rule go_under"),
    ({"allow_no_trump": True}, "metadata.ruleset.allow_no_trump: this project does not have the rule allow_no_trump"),
    ({"fast_break": True}, "metadata.ruleset.fast_break: this project does not have the rule fast_break"),
    ({"four_trick_tokens": True}, "this project does not have the rule four_trick_tokens, which is True here"),
    ({"num_deals": 8}, "metadata.ruleset.num_deals: this project does not have the rule num_deals"),
]

# Whole deals that nobody can have played.
NO_CARDS = {"std": False, "defend_alone": True}
STUCK = {"std": True}
CANADIAN = {"std": False, "canadian": True}
DEALS = [
    ({}, "7", "deals[0]: the text is no packed deal: it is not Base64"),
    ({}, "MAAA", "deals[0]: "),
    ({}, "EAAA", "deals[0]: the packed deal "),
    ({}, "AAAA", "deals[0]: deals packed in versions 1 to 3 are read, not 0"),
    ({}, 12, "deals[0]: a deal is an object, or a text in which a deal is packed"),
    (STUCK, deal_of(bidding(*["Pass"] * 8)), "deals[0].phases[0].calls[7]: 'pass' is not legal for seat 0"),
    (CANADIAN, deal_of(bidding("Pass", "Order")), "calls[1]: 'order up' is not legal for seat 2 in FIRST_ROUND"),
    ({}, deal_of(bidding(isAlone=True)), "deals[0].phases[0].isAlone: nobody has made trump"),
    ({}, deal_of(bidding("Pass", discard="9h")), "deals[0].phases[0].discard: nobody has made trump"),
    (NO_CARDS, deal_of(bidding("Pass", aloneDefender=1)), "deals[0].phases[0].aloneDefender: nobody has made trump"),
    (
        {},
        deal_of(bidding("Order", isAlone=True, aloneDefender=0)),
        "aloneDefender: the rules of this game ask nobody to defend alone",
    ),
    (
        NO_CARDS,
        deal_of(bidding("Order", isAlone=True, aloneDefender=3)),
        "deals[0].phases[0].aloneDefender: seat 3 is on the team that made trump",
    ),
    (
        {"joker": True},
        deal_of(bidding("Pass", "Pass", "s"), upcard="B"),
        "calls[2]: the dealer, who turned up the joker, names trump: call 3 or 7, from 0 on",
    ),
    (
        {"joker": True},
        deal_of(bidding("Order"), upcard="B"),
        "calls[0]: 'Order' is not possible: a joker that is turned up has no suit",
    ),
    (
        {},
        deal_of(bidding("Pass", "Order"), tricks("Ac Kc Tc 9s", "Ad Tc Kd Qd")),
        "deals[0].phases[1].tricks[1][1]: 'Tc' has been played before",
    ),
    (
        {},
        deal_of(bidding("Pass", "Order"), tricks("Ac Kc Tc 9s", "Ad Kd Qd Td", "Kh 9c Ah Th", "Qh 9h Qc Jh")),
        "deals[0].phases[1].tricks[3][2]: seat 0 plays 'Qc', but it has failed to follow clubs before",
    ),
    (
        {},
        deal_of(bidding("Pass", "Order"), tricks("Ac 9s Kc Tc")),
        "tricks[0][1]: seat 2 cannot play '9s', the upcard, which was taken by the dealer",
    ),
    (
        {},
        deal_of(bidding("Pass", "Pass", "Pass", "Pass", "h"), tricks("Ac 9s Kc Tc")),
        "tricks[0][1]: seat 2 cannot play '9s', the upcard, which was turned down",
    ),
    (
        {},
        deal_of(bidding("Pass", "Order", discard="Ah"), tricks("9d Td Kd As"), hands=[*HANDS[:1], ["Xd"] * 5, [], []]),
        "deals[0]",
    ),
    (
        {},
        deal_of(bidding("Order"), hands=[["Xc"] * 5, ["Xc"] * 5, [], []]),
        "deals[0]: no pack of cards fits the hands",
    ),
    (
        {},
        deal_of(bidding("Pass", "Order"), tricks("Ac Kc Tc 9s"), hands=[[], [], ["Ac"], []]),
        "deals[0].phases[1].tricks[0][0]: seat 1, whose turn it is, does not hold 'Ac'",
    ),
    ({}, deal_of(bidding("Order"), upcard="Jn"), "deals[0]: no cards of the pack fit this record"),
]


def kinds():
    """Every malformed text, with the message expected of it."""
    yield from TEXTS
    for path, value, message in CHANGES:
        yield json.dumps(changed(path, value)), message
    for rules, message in RULES:
        yield json.dumps(game_of(whole_deal(), rules=rules)), message
    for rules, deal, message in DEALS:
        yield json.dumps(game_of(deal, rules={"std": False} | rules)), message
    second = game_of(whole_deal(), whole_deal())
    second["deals"][1]["initialState"]["dealer"] = 9
    yield json.dumps(second), "deals[1].initialState.dealer: "
    no_trump = changed((*BIDS, "calls"), ["Pass"] * 4 + ["n"])
    yield json.dumps(no_trump), "the call 'n', no trump, needs the rule allow_no_trump"


KINDS = list(kinds())


def test_there_are_sixty_kinds():
    assert len(KINDS) >= 60
    assert len({message for _, message in KINDS}) >= 60


@pytest.mark.parametrize(("text", "message"), KINDS, ids=[str(number) for number in range(len(KINDS))])
def test_a_malformed_game_is_refused_with_the_place(text, message):
    with pytest.raises(EgnError, match=re.escape(message)) as caught:
        parse_egn(text)
    assert type(caught.value) is EgnError
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_value_that_is_no_text_is_refused():
    value: Any
    for value in (None, 7, {}, bytearray(b"{}")):
        with pytest.raises(EgnError, match="a game must be text or bytes"):
            parse_egn(value)
