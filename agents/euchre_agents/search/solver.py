"""The exact value of a position of the play with all cards open, by the fast search and by plain alpha-beta.

Points that rise with the makers' tricks need few questions: "can the makers take three tricks or more?", then five, or
one. `can_take` answers one of them by alpha-beta over the tricks of the makers. It ends where the tricks already won,
or tricks that nobody can take from a side, decide the answer; it tries one of several cards that do the same; and it
keeps what it has found at the starts of tricks in a table.

Where points do not rise (`march_points=0` makes four tricks worth more than five) a side may want fewer tricks. Then
`points_by_plain_search` searches over the points themselves: plain alpha-beta, without the cuts above. It is also the
independent check of the fast search, and its peer in the benchmarks.
"""

from euchre_agents.search.lanes import (
    LANE_ENDS,
    PLAIN_LANES,
    TABLE_SIZE,
    TRUMPS,
    LaneCard,
    LaneCards,
    Search,
)
from euchre_env.cards import num_members
from euchre_env.deal import NUM_TRICKS, Seat
from euchre_env.kernel import inlined_kernel, kernel

HASH = 0x4F1BBCDD  # 2**31 over the golden ratio: products with a key fit into an int64


@inlined_kernel
def distinct_cards(cards: LaneCards, others: LaneCards) -> LaneCards:
    """The strongest of each run of `cards` that no card of `others` splits; the rest of a run does the same."""
    blocks, distinct = others | LANE_ENDS, 0
    while cards:
        card = cards & -cards
        distinct |= card
        above = blocks & -card
        cards &= -(above & -above)
    return distinct


@inlined_kernel
def highest_bit(bits: int) -> int:
    """The highest set bit of `bits`, 1 to 2**32 - 1."""
    bits |= bits >> 1
    bits |= bits >> 2
    bits |= bits >> 4
    bits |= bits >> 8
    bits |= bits >> 16
    return bits ^ (bits >> 1)


@inlined_kernel
def sure_trumps(search: Search, unplayed: LaneCards, team: int) -> int:
    """The tricks that the highest trumps of `team` win however it plays: those of the partner who has more of them."""
    own, partners = search.hands[team] & unplayed & TRUMPS, search.hands[team + 2] & unplayed & TRUMPS
    others = unplayed & TRUMPS & ~(own | partners)
    above = (others & -others) - 1  # all bits, if the others have none
    return max(num_members(own & above), num_members(partners & above))


@inlined_kernel
def sure_leads(search: Search, unplayed: LaneCards, leader: Seat) -> int:
    """A number of tricks that the side of `leader` wins if it leads its best cards one after the other.

    A trump that no other beats always wins. The highest cards of another suit win as often as every opponent with a
    trump can follow. The partner may have to trump such a card, and then has the lead; so more than one of these counts
    only if the partner has as many cards to throw.
    """
    own = search.hands[leader] & unplayed
    others = unplayed & ~own
    left, right = search.hands[(leader + 1) & 3] & unplayed, search.hands[(leader + 3) & 3] & unplayed
    trumps = others & TRUMPS
    sure = num_members(own & TRUMPS & ((trumps & -trumps) - 1))
    plain = 0
    for lane in PLAIN_LANES:
        rest = others & lane
        winners = own & lane & ((rest & -rest) - 1)
        if winners:
            count = num_members(winners)
            if left & TRUMPS:
                count = min(count, num_members(left & lane))
            if right & TRUMPS:
                count = min(count, num_members(right & lane))
            plain += count
    if plain > 1:
        partners = search.hands[leader ^ 2] & unplayed
        if partners & TRUMPS:
            plain = max(1, min(plain, num_members(partners & ~TRUMPS)))
    return sure + plain


@inlined_kernel
def lane_of(card: LaneCard) -> LaneCards:
    """The bits of the lane of `card`."""
    if card & TRUMPS:
        return TRUMPS
    for lane in PLAIN_LANES:
        if card & lane:
            return lane
    return 0


@kernel
def can_take(
    search: Search,
    unplayed: LaneCards,
    up: LaneCards,
    seat: Seat,
    waiting: int,
    led: LaneCards,
    best: LaneCard,
    taker: Seat,
    need: int,
    left: int,
) -> bool:
    """Whether the makers can take `need` or more, 1 to `left`, of the tricks to come against any defence.

    Args:
        search: the hands, the seats and the table.
        unplayed: the cards of all hands.
        up: the cards of the trick in progress.
        seat: the seat to act.
        waiting: the number of seats that play to this trick after it.
        led: the lane that was led, 0 between tricks.
        best: the card that wins the trick so far.
        taker: the seat that played it.
        need: the tricks that are asked for.
        left: the tricks to come, the one in progress among them.
    """
    own = search.hands[seat] & unplayed
    is_maker = (seat ^ search.makers) & 1 == 0
    none = up & 0  # a plain 0 would be typed as this number, and Numba finds no such recursive call
    key, slot, least, most = 0, 0, 0, left
    if led == 0:
        # An entry of the table: the key of a position, then the least and the most tricks, three bits each.
        key = unplayed | seat << 30
        slot = ((key * HASH) >> 20) & (TABLE_SIZE - 1)
        entry = search.table[slot]
        if entry >> 6 == key:
            least, most = entry >> 3 & 7, entry & 7
        else:
            least = sure_trumps(search, unplayed, search.makers)
            most = left - sure_trumps(search, unplayed, 1 - search.makers)
            if least < need <= most:
                sure = sure_leads(search, unplayed, seat)
                if is_maker:
                    least = max(least, sure)
                else:
                    most = min(most, left - sure)
        if need <= least:
            return True
        if need > most:
            return False
        legal = own
    else:
        legal = own & led
        if legal == 0:
            legal = own
    others = unplayed & ~own | up
    moves = distinct_cards(legal, others)
    # The order decides how soon the search ends, not its answer: cards that take the trick, then the weakest.
    first = 0
    if led and (taker ^ seat) & 1:
        first = moves & (led | TRUMPS) & (best - 1)
    answer = not is_maker
    while moves:
        card = first & -first if first else highest_bit(moves)
        first &= ~card
        moves ^= card
        if led == 0:
            reached = can_take(
                search,
                unplayed ^ card,
                card,
                search.next_seat[seat],
                waiting - 1,
                lane_of(card),
                card,
                seat,
                need,
                left,
            )
        else:
            wins = card < best and card & (led | TRUMPS) != 0
            if waiting:
                reached = can_take(
                    search,
                    unplayed ^ card,
                    up | card,
                    search.next_seat[seat],
                    waiting - 1,
                    led,
                    card if wins else best,
                    seat if wins else taker,
                    need,
                    left,
                )
            else:
                leader = seat if wins else taker
                needed = need - (1 if (leader ^ search.makers) & 1 == 0 else 0)
                if needed <= 0:
                    reached = True
                elif needed > left - 1:
                    reached = False
                else:
                    reached = can_take(
                        search,
                        unplayed ^ card,
                        none,
                        leader,
                        search.num_active - 1,
                        none,
                        none,
                        leader,
                        needed,
                        left - 1,
                    )
        if reached == is_maker:
            answer = is_maker
            break
    if led == 0:
        if answer:
            least = need
        else:
            most = need - 1
        search.table[slot] = key << 6 | least << 3 | most
    return answer


@kernel
def points_by_questions(
    search: Search,
    unplayed: LaneCards,
    up: LaneCards,
    seat: Seat,
    waiting: int,
    led: LaneCards,
    best: LaneCard,
    taker: Seat,
    won: int,
    left: int,
) -> int:
    """The makers' net points with best play by all, where points rise; arguments as of `can_take`.

    `won` are the tricks that the makers have won, so `won` to `won + left` are possible in all.
    """
    least, most = won, won + left
    while search.scores[least] != search.scores[most]:
        asked = NUM_TRICKS + 1
        for tricks in range(least + 1, most + 1):
            step = search.scores[tricks] != search.scores[tricks - 1]
            if step and (asked > NUM_TRICKS or abs(tricks - 3) < abs(asked - 3)):
                asked = tricks
        if can_take(search, unplayed, up, seat, waiting, led, best, taker, asked - won, left):
            least = asked
        else:
            most = asked - 1
    return search.scores[least]


@kernel
def points_by_plain_search(
    search: Search,
    unplayed: LaneCards,
    seat: Seat,
    waiting: int,
    led: LaneCards,
    best: LaneCard,
    taker: Seat,
    won: int,
    left: int,
    alpha: int,
    beta: int,
) -> int:
    """The makers' net points with best play by all, by plain alpha-beta; arguments as of `points_by_questions`.

    A value of `alpha` or less, or of `beta` or more, is a bound.
    """
    if left == 0:
        return search.scores[won]
    is_maker = (seat ^ search.makers) & 1 == 0
    own = search.hands[seat] & unplayed
    none = unplayed & 0  # see `can_take`
    cards = own & led
    if cards == 0:
        cards = own
    while cards:
        card = cards & -cards
        cards ^= card
        lane, winner, leader = led, best, taker
        if led == 0:
            lane = lane_of(card)
        if led == 0 or (card < best and card & (led | TRUMPS) != 0):
            winner, leader = card, seat
        if waiting:
            value = points_by_plain_search(
                search,
                unplayed ^ card,
                search.next_seat[seat],
                waiting - 1,
                lane,
                winner,
                leader,
                won,
                left,
                alpha,
                beta,
            )
        else:
            more = 1 if (leader ^ search.makers) & 1 == 0 else 0
            value = points_by_plain_search(
                search,
                unplayed ^ card,
                leader,
                search.num_active - 1,
                none,
                none,
                leader,
                won + more,
                left - 1,
                alpha,
                beta,
            )
        if is_maker:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break
    return alpha if is_maker else beta
