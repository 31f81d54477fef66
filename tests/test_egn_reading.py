"""Reading Euchre Game Notation: every version, layout and symbol, unknown cards, partial games, annotations."""

import base64
import copy
import dataclasses
import itertools
import json
from typing import Any

import pytest
from support.recorded_games import HANDS, TRICKS, bidding, deal_of, game_of, tricks, whole_deal

from euchre_agents import load
from euchre_env.actions import action_name
from euchre_env.cards import card_names
from euchre_env.egn import (
    LABELS,
    NamedPlayer,
    RecordedGame,
    egn_text,
    parse_egn,
    read_egn,
    record_game,
    replay,
    split_label,
    winner_of,
    write_egn,
)
from euchre_env.egn.matching import match
from euchre_env.egn.symbols import cards_of, is_symbol, symbol_of
from euchre_env.house_rules import HouseRules


def parse(*deals, **more):
    """The game of these deals."""
    return parse_egn(json.dumps(game_of(*deals, **more)))


def actions(each):
    """The actions of a replay by name."""
    return [action_name(action) for action in each.actions]


def whole_game(**more):
    return game_of(whole_deal(), **more)


# Versions and layouts


@pytest.mark.parametrize("version", ["1.2", "1.2.4", "1.3", "1.3.1", "1.4", "1.4.8", "1.5", "1.5.3", "1.6", "1.6.0"])
def test_versions_1_2_to_1_6_are_read(version):
    expected = parse(whole_deal())
    assert parse_egn(json.dumps(whole_game() | {"version": version})) == expected


def test_version_1_0_is_read_with_its_old_names():
    game: Any = whole_game(matchId="m1") | {"version": "1.0.0"}
    state, (bids, played) = game["deals"][0]["initialState"], game["deals"][0]["phases"]
    state["player_cards"], state["kitty"] = state.pop("playerCards"), ["9d", "Ad", "Kh"]
    bids["calls_annotations"], played["tricks_annotations"] = {"1": ["good"]}, {"0": ["a lead"]}
    bids["card_exchanges"], played["initialLead"] = [], 1
    read = parse_egn(json.dumps(game))
    assert (read.game_id, read.deals[0].bidding.notes) == ("m1", {1: ("good",)})
    assert read.deals[0].play.notes == {0: ("a lead",)}
    assert replay(read)[0].final.tobytes() == replay(parse(whole_deal()))[0].final.tobytes()


def test_any_layout_of_the_json_is_read(tmp_path):
    game, expected = whole_game(), parse(whole_deal())
    game["deals"][0]["phases"].reverse()
    for phase in game["deals"][0]["phases"]:
        del phase["phaseNumber"]  # from version 1.6 on
    reversed_keys = {name: game[name] for name in reversed(game)}
    for text in (
        json.dumps(reversed_keys),
        json.dumps(game, indent=7).replace("\n", "\r\n"),
        "\ufeff" + json.dumps(game),
        json.dumps(game).encode("utf-16"),
        json.dumps(game).encode("utf-8-sig"),
        json.dumps(game).replace('"dealer": 0', '"dealer": 0.0').replace("[0, 0]", "[0e0, 0.0]"),
        json.dumps(game).replace("Pass", "\\u0050ass"),
    ):
        assert parse_egn(text) == expected
    (tmp_path / "game.egn").write_bytes(json.dumps(game).encode("utf-8-sig"))
    assert read_egn(tmp_path / "game.egn") == expected


def test_a_packed_deal_is_read():
    """The texts were packed by hand, as `euchre_env.egn.packed_deals` describes."""
    packed = pack("0001", dealer=0, upcard="9s", calls="01", alone=False, played=[c for t in TRICKS for c in t])
    (deal,) = parse(packed).deals
    plain = whole_deal()
    del plain["initialState"]["playerCards"], plain["phases"][0]["discard"]
    assert deal == parse(plain).deals[0]


def test_a_packed_deal_with_hands_discard_and_annotations_is_read():
    packed = pack(
        "0011",
        dealer=0,
        upcard="9s",
        calls="01",
        alone=False,
        played=[c for t in TRICKS for c in t],
        hands=HANDS,
        discard="Ah",
        notes={1: ["[!]Jücheré"]},
    )
    plain = whole_deal()
    plain["phases"][0]["callAnnotations"] = {"1": ["[!]Jücheré"]}
    assert parse(packed).deals == parse(plain).deals


def pack(version, *, dealer, upcard, calls, alone, played, hands=(), discard="", notes=None):
    """A deal of five tricks of four cards as a packed text, bit by bit."""
    order = [rank + suit for rank in "9TJQKA" for suit in "shcd"]

    def number(value, below):
        return f"{value:0{max((below - 1).bit_length(), 1)}b}"

    bits = version + number(dealer, 4 if version == "0001" else 8)
    bits += "" if version == "0001" else number(3, 8) + "00"
    bits += number(order.index(upcard), 24)
    if version == "0011":
        bits += "1" + "".join(
            number(len(hand), 16) + "".join(number(order.index(c), 24) for c in hand) for hand in hands
        )
    bits += number(2, 8) + "0" + calls + str(int(alone))
    if version == "0011":
        bits += "1" + number(order.index(discard), 24)
    if notes is None:
        bits += "0"
    else:
        bits += "1" + number(len(notes), 256)
        for index, texts in notes.items():
            bits += number(index, 256) + number(len(texts), 256)
            for text in texts:
                bits += number(len(text.encode()), 65536) + "".join(number(byte, 256) for byte in text.encode())
    bits += "1" + number(5, 8)
    left = list(order)
    for card in played:
        bits += number(left.index(card), len(left))
        left.remove(card)
    bits += "0" + "0" + "1010"
    bits += "0" * (-len(bits) % 8)
    packed = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


# Metadata


def test_all_metadata_is_read_and_written(tmp_path):
    game = whole_game(
        gameId="id-7",
        title="A <title>",
        description="More",
        date="2026-05-17T19:00:00+05:30",
        players=["a", {"name": "b", "id": "p-02", "playerIds": [{"id": "b1", "source": "a site"}]}, "c"],
        initialScore=[3, 4],
        finalScore=[4, 4],
    )
    read = parse_egn(json.dumps(game))
    assert read.players == ("a", NamedPlayer("b", "p-02", (("b1", "a site"),)), "c")
    assert read.player_names == ("a", "b", "c")
    assert (read.first_scores, read.final_scores, read.game_id) == ((3, 4), (4, 4), "id-7")
    assert (read.title, read.description, read.date) == ("A <title>", "More", "2026-05-17T19:00:00+05:30")
    write_egn(read, tmp_path / "game.egn")
    assert read_egn(tmp_path / "game.egn") == read


@pytest.mark.parametrize(
    ("date", "written"),
    [
        ("2026-05-17T19:00:00Z", "2026-05-17T19:00:00Z"),
        ("2026-05-30T03:51", "2026-05-30T03:51"),
        ("2026-06-02 19:02", "2026-06-02 19:02"),
        ("2026-06-02 19:02:01.25", "2026-06-02 19:02:01.25"),
        ("2026-08-11", "2026-08-11T00:00"),  # from version 1.5 on, and 1.4 wants a time
        ("", None),
    ],
)
def test_every_form_of_date_is_read_and_one_of_version_1_4_written(date, written):
    game = parse(whole_deal(), date=date)
    assert game.date == date
    assert parse_egn(egn_text(game)).date == written


def test_names_of_teams_are_read_and_left_out_of_version_1_4():
    game = parse(whole_deal(), teamNames=["Aces", "Loners"])
    assert game.team_names == ("Aces", "Loners")
    assert parse_egn(egn_text(game)) == dataclasses.replace(game, team_names=None)


def test_texts_that_utf_8_cannot_hold_are_written_as_escapes(tmp_path):
    game = parse(whole_deal(), title="half \ud83d")
    write_egn(game, tmp_path / "game.egn")
    assert read_egn(tmp_path / "game.egn") == game


# Rules


def test_a_game_without_a_ruleset_has_the_defaults_of_the_notation():
    game = whole_game()
    del game["metadata"]["ruleset"]
    assert parse_egn(json.dumps(game)).rules == HouseRules(stick_the_dealer=True)
    assert parse(whole_deal(), rules={}).rules == HouseRules(stick_the_dealer=True)


@pytest.mark.parametrize(
    ("ruleset", "rules"),
    [
        ({"std": False}, HouseRules()),
        ({"std": True, "canadian": True}, HouseRules(stick_the_dealer=True, canadian_loner="order_up")),
        ({"std": False, "loner_lead": "LEFT_OF_LONER"}, HouseRules(lone_lead="left_of_maker")),
        ({"std": False, "loner_lead": "LEFT_OF_DEALER"}, HouseRules()),
        ({"std": False, "winning_score": 5}, HouseRules(points_to_win=5)),
        ({"std": False, "loner_march_score": 5}, HouseRules(lone_march_points=5)),
        ({"std": False, "loner_euchred_score": 3}, HouseRules(lone_euchred_points=3)),
        ({"std": False, "defend_alone": True}, HouseRules(defend_alone="against_loner")),
        ({"std": False, "joker": True}, HouseRules(benny=True)),
        ({"std": False, "num_deals": 0}, HouseRules()),
        ({"std": False, "min_rank": 9, "num_players": 4, "farmers": False, "go_under": False}, HouseRules()),
    ],
)
def test_each_rule_is_the_house_rule_of_the_same_meaning(ruleset, rules):
    assert parse(rules=ruleset).rules == rules


def test_the_score_of_the_notation_is_that_of_the_rules():
    deal = deal_of(
        bidding("Pass", "Pass", "Pass", "Pass", "h", isAlone=True),
        tricks("Ah Tc 9h", "Kh 9c Td", "Qh Jc 9d", "Jh Qc Ad", "Th Kc Kd"),
        upcard="9s",
    )
    for score in (3, 5):
        rules = {"std": False, "loner_march_score": score}
        assert replay(parse(deal, rules=rules))[0].points == (0, score)


# Symbols


def test_symbols_and_cards_are_inverse():
    for card in range(25):
        assert is_symbol(symbol_of(card))
        assert cards_of(symbol_of(card), 2, False) == 1 << card
    for text in ("", "J", "jh", "Jhh", "1h", "Xz", "RR", "Rh", "b"):
        assert not is_symbol(text)


@pytest.mark.parametrize(
    ("symbol", "with_greens", "cards"),
    [
        ("9c", False, "9C"),
        ("Nc", False, "9C"),
        ("NC", False, "9C"),
        ("Ts", False, "TS"),
        ("R", False, "JH"),
        ("L", False, "JD"),
        ("B", False, "2S"),
        ("Jt", False, "JH"),
        ("Jn", False, "JD"),
        ("Ag", True, "AC"),
        ("Ah", True, "AS"),
        ("Ah", False, "AH"),
        ("AH", True, "AH"),
        ("Jx", False, "JC JD JH JS"),
        ("Xc", False, "9C TC JC QC KC AC"),
        ("Xn", False, "9D TD QD KD AD"),  # its jack is the left bower, and a trump
        ("Xt", False, "JD 9H TH JH QH KH AH 2S"),
        ("7c", False, ""),
        ("8x", False, ""),
    ],
)
def test_a_symbol_stands_for_these_cards_with_hearts_as_trump(symbol, with_greens, cards):
    assert card_names(cards_of(symbol, 2, with_greens)) == cards.split()


def test_an_unknown_card_may_be_any():
    assert len(card_names(cards_of("Xx", 0, False))) == 25


def test_other_symbols_for_the_same_cards_are_the_same_deal():
    expected = replay(parse(whole_deal()))[0]
    other = {"Jc": "L", "Js": "R", "9c": "Nc", "9h": "N" + "H", "As": "At", "Qs": "Qt", "Kc": "Kn", "Kd": "KD"}
    deal = whole_deal()
    deal["phases"][1]["tricks"] = [[other.get(card, card) for card in trick] for trick in TRICKS]
    deal["initialState"]["playerCards"] = [[other.get(card, card) for card in hand] for hand in HANDS]
    game = parse(deal)
    (each,) = replay(game)
    assert each.final.tobytes() == expected.final.tobytes()
    assert not any(each.invented)
    assert parse_egn(egn_text(game)) == game


def test_generic_suits_are_read_when_trump_is_nowhere_named():
    hands = [["Jg", "Ag", "Tt", "Qt", "At"], ["9n", "Qn", "An", "9g", "Qg"], ["Kn", "Th", "Jh", "Kh", "R"]]
    hands.append(["Tn", "L", "Qh", "Tg", "Kt"])
    played = tricks("An Kn Tn 9t", "At 9g R Kt", "Kh Qh Tt 9n", "Qt Qn Th L", "Tg Jg Qg Jh")
    game = parse(deal_of(bidding("Pass", "Order", discard="Ag"), played, upcard="9t", hands=hands))
    (each,) = replay(game)
    assert each.points == (1, 0)
    assert parse_egn(egn_text(game)) == game


def test_h_is_hearts_unless_g_stands_beside_it():
    with_hearts = deal_of(bidding("Pass", "Order"), tricks("Ah Kh Th"), upcard="9s")
    assert actions(replay(parse(with_hearts))[0])[-3:] == ["AH", "KH", "TH"]
    with_greens = deal_of(bidding("Pass", "Order"), tricks("Ag Kh Tg"), upcard="9s")
    assert actions(replay(parse(with_greens))[0])[-3:] == ["AD", "KH", "TD"]


# Cards that the record does not show


def test_hands_are_made_of_the_cards_played():
    deal = whole_deal()
    del deal["initialState"]["playerCards"], deal["phases"][0]["discard"]
    (each,) = replay(parse(deal))
    assert each.points == (1, 0)
    assert each.is_finished
    assert len(set(each.actions[3:])) == 20
    assert [len(card_names(cards)) for cards in each.invented] == [1, 0, 0, 0]  # the discard
    assert actions(each)[:2] == ["pass", "order up"]
    shown = {card for trick in TRICKS for card in trick}
    assert symbol_of(each.actions[2]) not in shown


def test_an_upcard_that_was_not_played_was_the_discard():
    deal = deal_of(
        bidding("Pass", "Order"),
        tricks("Ac Kc Tc Ts", "As 9h Js Ks", "Kd Qd Qs 9c", "Ah Qh Td Th", "Jh Qc Jd Jc"),
        upcard="9s",
    )
    (each,) = replay(parse(deal))
    assert actions(each)[2] == "9S"
    assert not any(each.invented)


def test_the_seed_picks_the_cards_that_the_record_does_not_show():
    game = parse(deal_of(bidding("Pass", "Order"), tricks("Ac Kc Tc 9s"), upcard="9s"))
    finals = [replay(game, seed)[0].final.tobytes() for seed in (0, 0, 1, 2)]
    assert finals[0] == finals[1]
    assert len(set(finals)) == 3


def test_nobody_holds_a_card_of_a_suit_it_has_failed_to_follow():
    game = parse(deal_of(bidding("Pass", "Order", discard="Xx"), tricks("Ac Kc Tc 9s", "Ad Td Kd Qd"), upcard="9s"))
    for seed in range(20):
        (each,) = replay(game, seed)
        assert not {"9C", "QC"} & set(card_names(each.final.hands[0]))


def test_unknown_cards_are_replaced_by_cards_that_fit():
    deal = whole_deal()
    del deal["initialState"]["playerCards"]
    deal["phases"][0]["discard"] = "Xx"
    deal["phases"][1]["tricks"][1] = ["Xx", "Xh", "Jx", "Xs"]
    game = parse(deal)
    (each,) = replay(game)
    assert each.is_finished
    assert parse_egn(egn_text(game)) == game
    names = actions(each)[7:11]
    assert (names[1][1], names[2][0], names[3][1]) == ("H", "J", "S")
    assert set(names) & set(card_names(sum(each.invented)))


def test_a_deal_of_unknown_cards_is_read():
    trick = "Xx Xx Xx Xx"
    for upcard in ("Xx", "Xs", "Jx"):
        game = parse(deal_of(bidding("Order"), tricks(*[trick] * 5), upcard=upcard, hands=[["Xx"] * 5] * 4))
        (each,) = replay(game)
        assert each.is_finished
        assert sum(each.points) in (1, 2)
        assert all(len(card_names(cards)) == 5 for cards in each.invented)


def test_an_unknown_call_before_others_is_a_pass_and_else_makes_trump():
    first = deal_of(bidding("x", "x", "Order"), upcard="9s")
    assert actions(replay(parse(first))[0]) == ["pass", "pass", "order up"]
    last = deal_of(bidding("Pass", "x"), tricks("Ac Kc Tc 9s"), upcard="9s")
    assert actions(replay(parse(last))[0])[1] == "order up"
    second = deal_of(bidding("Pass", "Pass", "Pass", "Pass", "x"), tricks("Ac Kc Tc 9h", "9d Td Jd Qd"), upcard="9s")
    assert actions(replay(parse(second))[0])[4].startswith("name ")
    unknown = deal_of(bidding("Pass", "x"), upcard="9s")
    assert actions(replay(parse(unknown))[0]) == ["pass"]


# Parts of games and of deals


def test_a_deal_without_phases_is_a_position_before_the_first_bid():
    game = parse(deal_of(hands=HANDS), initialScore=[6, 7])
    (each,) = replay(game)
    assert (each.actions, each.table.turn, each.table.scores, each.is_finished) == ((), 1, (6, 7), False)
    assert each.table.legal_actions() == [25, 26, 27]


@pytest.mark.parametrize(
    ("phases", "phase", "turn"),
    [
        ([bidding()], "FIRST_ROUND", 1),
        ([bidding("Pass", "Pass")], "FIRST_ROUND", 3),
        ([bidding("Pass", "Pass", "Pass", "Pass", "Pass")], "SECOND_ROUND", 2),
        ([bidding("Pass", "Order")], "DISCARD", 0),
        ([bidding("Pass", "Order"), tricks()], "DISCARD", 0),
        ([bidding("Pass", "Order", discard="Ah"), tricks("")], "PLAY", 1),
        ([bidding("Pass", "Order", discard="Ah"), tricks("Ac Kc")], "PLAY", 3),
        ([bidding("Pass", "Order", discard="Ah"), tricks("Ac Kc Tc 9s", "As")], "PLAY", 1),
    ],
)
def test_a_deal_may_stop_anywhere(phases, phase, turn):
    game = parse(deal_of(*phases, hands=HANDS))
    (each,) = replay(game)
    table = each.table.clone()
    for action in each.actions:
        table.step(action)
    assert (table.phase, table.turn) == (phase, turn)
    assert table.deal.tobytes() == each.final.tobytes()
    assert parse_egn(egn_text(game)) == game


def test_defenders_that_have_declined_are_not_asked_again():
    rules = {"std": False, "defend_alone": True}
    call = {"isAlone": True, "discard": "Ah"}
    for more, phase in (({}, "DEFEND"), ({"aloneDefender": -1}, "PLAY"), ({"aloneDefender": 3}, "PLAY")):
        game = parse(deal_of(bidding("Pass", "Pass", "Pass", "Order", **call, **more), hands=HANDS), rules=rules)
        (each,) = replay(game)
        table = each.table.clone()
        for action in each.actions:
            table.step(action)
        assert table.phase == phase
        assert (table.deal.lone_defender == 3) == (more == {"aloneDefender": 3})
        assert parse_egn(egn_text(game)) == game


def test_two_seats_play_when_a_defender_goes_alone_too():
    rules = {"std": False, "defend_alone": True}
    call = bidding("Pass", "Pass", "Pass", "Order", isAlone=True, discard="Jh", aloneDefender=1)
    game = parse(deal_of(call, tricks("Ac 9s", "As 9h", "Qs 9c", "Ts Qc", "Ah Qh"), hands=HANDS), rules=rules)
    (each,) = replay(game)
    assert (each.points, each.final.lone_defender, each.is_finished) == ((4, 0), 1, True)


def test_going_alone_may_stand_with_the_tricks():
    lone = deal_of(bidding("Pass", "Order", isAlone=True), tricks("Ac Kc Tc"), hands=HANDS)
    stated = deal_of(bidding("Pass", "Order"), tricks("Ac Kc Tc", isAlone=True), hands=HANDS)
    assert replay(parse(stated))[0].actions == replay(parse(lone))[0].actions
    assert parse_egn(egn_text(parse(stated))) == parse(stated)


def test_the_dealer_of_a_lone_partner_takes_no_card():
    game = parse(deal_of(bidding("Pass", "Order", isAlone=True), tricks("Ac Kc Tc"), hands=HANDS))
    assert actions(replay(game)[0]) == ["pass", "order up alone", "AC", "KC", "TC"]


def test_a_joker_that_is_turned_up_lets_the_dealer_name_trump():
    rules = {"std": False, "joker": True}
    hands = [HANDS[0], HANDS[1], HANDS[2], HANDS[3]]
    for calls in (["Pass"] * 3 + ["s"], ["Pass"] * 7 + ["s"]):
        game = parse(deal_of(bidding(*calls, discard="Jh"), upcard="B", hands=hands), rules=rules)
        assert actions(replay(game)[0]) == ["name spades", "JH"]
    waiting = parse(deal_of(bidding("Pass"), upcard="B", hands=hands), rules=rules)
    assert replay(waiting)[0].table.phase == "BENNY"


def test_scores_go_on_from_deal_to_deal():
    game = parse(whole_deal(), whole_deal() | {"dealNumber": 1}, initialScore=[8, 2])
    assert [each.scores for each in replay(game)] == [(8, 2), (9, 2)]
    assert replay(game)[-1].scores_after == (10, 2)
    assert (winner_of(game, (9, 2)), winner_of(game, (10, 2))) == (None, 0)


@pytest.mark.parametrize(
    ("num_tricks", "points"),
    [(3, (0, 0)), (4, (1, 0))],  # three tricks of four, and the defenders have one: a point whatever comes
)
def test_a_deal_that_stops_has_the_points_that_are_certain(num_tricks, points):
    deal = whole_deal()
    deal["phases"][1]["tricks"] = TRICKS[:num_tricks]
    (each,) = replay(parse(deal))
    assert (each.points, each.is_finished) == (points, False)


def test_a_euchre_is_certain_after_three_lost_tricks():
    deal = deal_of(bidding("Order"), tricks("Ac Kc Tc Xx", "Ad Xx Xx Xx", "Ah Xx Xx Xx"), upcard="Jh", dealer=0)
    plays = deal["phases"][1]["tricks"]
    plays[0] = ["Kh", "Ah", "9h", "Th"]  # seat 1 leads, seat 2 wins
    plays[1] = ["Ac", "Kc", "Qc", "9c"]
    plays[2] = ["Ad", "Kd", "Qd", "9d"]
    assert replay(parse(deal))[0].points == (2, 0)


# Annotations


def test_annotations_and_other_lines_are_kept():
    deal = whole_deal()
    deal["phases"][0]["callAnnotations"] = {"1": ["[!]Two sure tricks.", "Plain."], "0": []}
    deal["phases"][1]["playAnnotations"] = {"4": ["[??]Threw a trump away."]}
    deal["alternativeLines"] = [
        {"branchIndex": 1, "phases": [bidding("Pass", "Pass", "Order", isAlone=True, discard="Jh")]},
        {"branchIndex": 7, "phases": [tricks("Kd Qd Ts 9c", isAlone=False, playAnnotations={"0": ["[?!]"]})]},
    ]
    game = parse(deal)
    (read,) = game.deals
    assert read.bidding.notes == {1: ("[!]Two sure tricks.", "Plain."), 0: ()}
    assert read.play.notes == {4: ("[??]Threw a trump away.",)}
    first, second = read.lines
    assert first.bidding is not None
    assert (first.branch_index, first.bidding.calls, first.bidding.alone) == (1, ("Pass", "Pass", "Order"), True)
    assert second.play is not None
    assert (second.play.tricks, second.play.notes, second.bidding) == (
        (("Kd", "Qd", "Ts", "9c"),),
        {0: ("[?!]",)},
        None,
    )
    text = egn_text(game)
    assert parse_egn(text) == game
    assert json.loads(text)["deals"][0]["alternativeLines"] == deal["alternativeLines"]


def test_labels_are_split_off_longer_ones_first():
    for label in LABELS:
        assert split_label(f"{label} text [?]") == (label, " text [?]")
    assert split_label("text [?]") == ("", "text [?]")
    assert split_label("") == ("", "")


# Players can be asked


def test_any_decision_of_a_game_can_be_given_to_a_player():
    player = load("rules")
    (each,) = replay(parse(whole_deal()))
    for table, _ in each.decisions():
        observation, mask = table.observation()
        assert player.act(observation, mask) in table.legal_actions()


# The parts


def test_a_matching_is_found_whenever_there_is_one():
    for places in itertools.product(range(1, 8), repeat=3):
        exists = any(
            all(places[i] >> card & 1 for i, card in enumerate(order)) for order in itertools.permutations(range(3))
        )
        found = match([2, 0, 1], places)
        assert (found is not None) == exists
        if found is not None:
            assert sorted(found) == [0, 1, 2]
            assert all(places[i] >> card & 1 for i, card in enumerate(found))
    assert match([0], [1, 1]) is None


def test_a_record_made_in_python_is_checked_when_it_is_written():
    game = RecordedGame((), HouseRules(), players=("a",) * 4)
    assert parse_egn(egn_text(game)) == game
    assert record_game([], "standard", players=("a",) * 4) == game
    broken = dataclasses.replace(game, title="x" * 129)
    with pytest.raises(ValueError, match=r"metadata\.title: the text has 129 characters, of at most 128"):
        egn_text(broken)
    assert copy.deepcopy(game) == game
