"""Rule sets for tests: the presets, and one that switches every house rule on."""

from euchre_env.house_rules import PRESETS, HouseRules

# Every house rule differs from its default, so that every phase and every exception comes up in random play. Only
# throw_in_dealer has no effect here: a dealer who is stuck never throws a deal in.
EVERYTHING = HouseRules(
    stick_the_dealer=True,
    stuck_dealer_any_suit=True,
    points_to_win=11,
    win_by=2,
    lone_lead="eldest_else_left_of_maker",
    canadian_loner="any_call",
    dealer_sits_out_exchange=True,
    discard_upcard=False,
    defend_alone="always",
    defend_poll_from="left_of_maker",
    no_ace_no_face="next_dealer",
    throw_in_dealer="same",
    benny=True,
    march_points=3,
    lone_march_points=5,
    euchre_points=3,
    lone_euchred_points=1,
    lone_defender_points=5,
    super_euchre=True,
)
RULE_SETS = PRESETS | {"everything": EVERYTHING}

# Rule sets under which, between them, every house rule decides something; in EVERYTHING some hide others.
EVERY_RULE = [
    *PRESETS.values(),
    HouseRules(benny=True, defend_alone="always", points_to_win=3, super_euchre=True),
    HouseRules(stick_the_dealer=True, stuck_dealer_any_suit=True, canadian_loner="any_call", discard_upcard=False),
    HouseRules(no_ace_no_face="same_dealer", throw_in_dealer="same", dealer_sits_out_exchange=True, win_by=2),
    HouseRules(no_ace_no_face="next_dealer", defend_alone="always", defend_poll_from="left_of_maker"),
]
