"""Whole deals with every expected value checked by hand."""

from support.tables import play, table_with

from euchre_env.deal import trick_winner


def played_out(table, actions):
    """Play a deal and return the winners of the five tricks and the points of the teams."""
    play(table, actions)
    assert table.last_deal is not None
    assert table.last_result is not None
    winners = [trick_winner(table.last_deal, trick) for trick in range(5)]
    return winners, tuple(table.last_result.points.tolist())


# docs/rules.md, "A worked deal". Spades are trump: the jack of clubs is the left bower; the right one is in the kitty.
WORKED_HANDS = ("QC KD TH 9C TS", "AD KC AC JH 9H", "JC AS KS AH TD", "JD QH QS QD 9D")
WORKED_KITTY = "JS TC KH"


def test_the_worked_deal():
    winners, points = played_out(
        table_with(WORKED_HANDS, "9S", WORKED_KITTY, dealer=0),
        "pass, order up, discard 9C,"
        "AD, TD, QD, KD,"  # seat 1 wins with the ace
        "KC, KS, QS, QC,"  # seat 2's jack is a spade, so it has no club and ruffs; seat 3's queen is lower
        "JC, JD, TS, AC,"  # the left bower is the highest trump in play
        "AS, 9D, 9S, 9H,"
        "AH, QH, TH, JH",
    )
    assert winners == [1, 2, 2, 2, 2]
    assert points == (1, 0)


def test_the_worked_deal_alone_scores_one_point_too():
    winners, points = played_out(
        table_with(WORKED_HANDS, "9S", WORKED_KITTY, dealer=0),
        "pass, order up alone,"  # the dealer sits out: nobody takes the nine
        "AD, TD, QD,"
        "KC, KS, QS,"
        "JC, JD, AC,"
        "AS, 9D, 9H,"
        "AH, QH, JH",
    )
    assert winners == [1, 2, 2, 2, 2]
    assert points == (1, 0)


def test_a_benny_turned_up_and_a_lone_march():
    # Dealer 3 takes the Benny, discards the nine of diamonds and plays hearts without seat 1.
    winners, points = played_out(
        table_with(
            ("JD 9H KS QS TC", "9C JC TD QD KD", "KH QH AS AD QC", "JH AH AC KC 9D"),
            "2S",
            "TH 9S TS JS",
            rules="british",
            dealer=3,
        ),
        "name hearts alone, discard 9D,"
        "KS, AS, AH,"  # the two of spades is no spade: the dealer may ruff
        "2S, 9H, QH,"  # seat 0 must follow with a trump and keeps the left bower,
        "JH, JD, KH,"  # which falls to the right one
        "AC, TC, QC,"
        "KC, QS, AD",
    )
    assert winners == [3, 3, 3, 3, 3]
    assert points == (0, 4)


def test_a_lone_defender_euchres_a_lone_maker():
    # Seat 1 names spades alone; seat 2 declines, the dealer defends alone, so that two hands are left.
    winners, points = played_out(
        table_with(("JS JC 9S AD 9H", "AS KS QS AH KD", "", ""), "9C", rules="tournament", dealer=0),
        "pass, pass, pass, pass, name spades alone, pass, defend alone,"
        "AS, JC,"  # the left bower over the ace
        "JS, QS,"
        "AD, KD,"
        "9H, AH,"
        "KS, 9S",
    )
    assert winners == [0, 0, 0, 1, 1]
    assert points == (4, 0)


def test_a_stuck_dealer_is_euchred():
    # Seven passes leave dealer 2 to name a suit. It takes diamonds, without the jacks, and gets one trick.
    winners, points = played_out(
        table_with(
            ("QS KS TC QC AH", "JH 9D AS AC KC", "AD TD 9H TH JC", "JD KD QH KH 9C"),
            "JS",
            "9S TS QD",
            rules="midwest",
            dealer=2,
        ),
        "pass, pass, pass, pass, pass, pass, pass, name diamonds,"
        "KD, AH, 9D, AD,"  # the ace of trump takes the king
        "TD, JD, KS, JH,"  # seat 1 has nothing but the left bower left to follow with; the right one wins
        "9C, QC, AC, JC,"  # the jack of clubs is a club here
        "AS, TH, QH, QS,"
        "KC, 9H, KH, TC",
    )
    assert winners == [2, 3, 1, 1, 1]
    assert points == (0, 2)
