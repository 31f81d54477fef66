"""House rules in sentences, for readers who do not know their names: `rule_sentences`."""

from euchre_env.house_rules import HouseRules


def rule_sentences(rules: HouseRules) -> list[str]:
    """Every house rule that can matter under `rules`, in the order in which a deal meets it.

    Source: docs/rules.md, "House rules".
    """
    return [
        _pack(rules),
        _dealing_again(rules),
        _second_round(rules),
        _calls_of_the_dealers_partner(rules),
        _exchange(rules),
        *_lone_defenders(rules),
        _first_lead(rules),
        *_scores(rules),
        _game(rules),
    ]


def _pack(rules: HouseRules) -> str:
    pack = "the pack has 9, 10, jack, queen, king and ace of each suit"
    if not rules.benny:
        return f"Cards: {pack}."
    return (
        f"Cards: {pack}, and the two of spades, called the Benny, which is the highest trump of all. If it is turned "
        "up, the dealer must name trump."
    )


def _dealing_again(rules: HouseRules) -> str:
    if rules.no_ace_no_face == "off":
        return "Poor hands: every deal is played, however poor a hand is."
    cards = "ace, king, queen, jack or Benny" if rules.benny else "ace, king, queen or jack"
    who = "the same dealer" if rules.no_ace_no_face == "same_dealer" else "the next dealer"
    return f"Poor hands: if some hand has no {cards}, {who} deals again."


def _second_round(rules: HouseRules) -> str:
    if rules.stick_the_dealer:
        which = "any suit, the one turned down too" if rules.stuck_dealer_any_suit else "one of the three other suits"
        return f"Bidding: if everybody else has passed twice, the dealer must name {which}."
    who = "the player to the dealer's left" if rules.throw_in_dealer == "left" else "the same dealer"
    return f"Bidding: if everybody passes twice, the deal is thrown in, nobody scores, and {who} deals next."


def _calls_of_the_dealers_partner(rules: HouseRules) -> str:
    if rules.canadian_loner == "off":
        return "Going alone: whoever makes trump may play without the partner."
    what = "order up" if rules.canadian_loner == "order_up" else "make trump, in either round,"
    return (
        "Going alone: whoever makes trump may play without the partner. "
        f"The dealer's partner may {what} only by going alone."
    )


def _exchange(rules: HouseRules) -> str:
    which = "any card, also the one just picked up" if rules.discard_upcard else "any card but the one just picked up"
    then = (
        "it still picks up and discards before it sits out"
        if rules.dealer_sits_out_exchange
        else "nobody picks up the turned-up card"
    )
    return f"Discard: the dealer who picks up discards {which}. When its partner orders up alone, {then}."


def _lone_defenders(rules: HouseRules) -> list[str]:
    if rules.defend_alone == "never":
        return ["Defending: both defenders always play."]
    against = "a maker who goes alone" if rules.defend_alone == "against_loner" else "any makers"
    first = "the dealer" if rules.defend_poll_from == "eldest" else "the maker"
    return [
        f"Defending: a defender may play alone against {against}; the first one to the left of {first} is asked first."
    ]


def _first_lead(rules: HouseRules) -> str:
    left_of_maker = "the first one to the maker's left leads"
    when_alone = {
        "eldest": "also when the maker is alone",
        "left_of_maker": f"but when the maker is alone, {left_of_maker}",
        "eldest_else_left_of_maker": f"but when that seat sits out as the partner of a lone maker, {left_of_maker}",
    }[rules.lone_lead]
    return f"First lead: the first player to the dealer's left who takes part leads, {when_alone}."


def _scores(rules: HouseRules) -> list[str]:
    sentences = [
        f"Points of the makers: 1 for three or four tricks, alone or not, {rules.march_points} for all five, "
        f"{rules.lone_march_points} for all five alone."
    ]
    cost = f"Points of the defenders, if the makers take fewer than three tricks: {rules.euchre_points}"
    if rules.lone_euchred_points == rules.euchre_points:
        cost += ", also against a lone maker"
    else:
        cost += f", but {rules.lone_euchred_points} against a lone maker"
    if rules.defend_alone != "never":
        cost += f", and {rules.lone_defender_points} if a defender did it alone"
    sentences.append(f"{cost}.")
    if rules.super_euchre:
        sentences.append("Makers who take no trick at all cost 4 points, or what they would cost anyway if more.")
    return sentences


def _game(rules: HouseRules) -> str:
    lead = ", and the winner must lead by two" if rules.win_by == 2 else ""
    return f"A game goes to {rules.points_to_win} point{'s' * (rules.points_to_win != 1)}{lead}."
