"""Deals packed into short texts, which may stand in a file in place of objects.

A text is Base64, in either alphabet, of bits, the highest bit of each byte first: four bits with the version of the
packing, 1 to 3, the deal, and the bits 1010. A number below n has as many bits as n - 1; a card is its number among
the cards that have not been played, in the order of `PACK_ORDER`. Where the documents of the notation and the files
that its own program makes differ (the order of the suits, the bits of the dealer, the number of hands), the files are
right. Packing 0, which has no mark, is not read.
"""

import base64
import re
from typing import Any

from euchre_env.egn.places import Place

SUIT_ORDER = "shcd"
PACK_ORDER = [rank + suit for rank in "9TJQKA" for suit in SUIT_ORDER]
END = 0b1010
MAX_LENGTH = 100_000  # characters

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")


def unpack_deal(place: Place, number: int) -> dict[str, Any]:
    """The deal packed into the text at `place`, as the JSON object that it stands for, with this number.

    Raises:
        EgnError: if the text is no packed deal, or one for other than four players or with other than 24 cards.
    """
    text = place.text(MAX_LENGTH)
    plain = text.rstrip("=")
    if not _BASE64.fullmatch(text) or len(plain) % 4 == 1:
        place.refuse("the text is no packed deal: it is not Base64")
    packed = base64.urlsafe_b64decode(plain.translate(str.maketrans("+/", "-_")) + "=" * (-len(plain) % 4))
    return _Unpacking(_Bits(packed, place)).deal(number)


class _Bits:
    """The bits of a packed deal, read from the left."""

    def __init__(self, packed: bytes, place: Place) -> None:
        self._value, self._left, self.place = int.from_bytes(packed), 8 * len(packed), place

    def take(self, width: int) -> int:
        """The next `width` bits as a number."""
        if width > self._left:
            self.place.refuse("the packed deal ends too early")
        self._left -= width
        return self._value >> self._left & (1 << width) - 1

    def below(self, limit: int) -> int:
        """A number below `limit`."""
        number = self.take(max((limit - 1).bit_length(), 1))
        if number >= limit:
            self.place.refuse(f"the packed deal is damaged: {number} of {limit}")
        return number

    def flag(self) -> bool:
        """The next bit."""
        return self.take(1) == 1

    def text(self) -> str:
        """A text: the number of its bytes in UTF-8, in 16 bits, and the bytes."""
        encoded = bytes(self.take(8) for _ in range(self.take(16)))
        try:
            return encoded.decode()
        except UnicodeDecodeError:
            self.place.refuse("the packed deal is damaged: an annotation is not UTF-8")


class _Unpacking:
    """The reading of one packed deal."""

    def __init__(self, bits: _Bits) -> None:
        self._bits = bits
        self._version = bits.take(4)
        if not 1 <= self._version <= 3:
            bits.place.refuse(f"deals packed in versions 1 to 3 are read, not {self._version}")
        self._upcard = ""

    def deal(self, number: int) -> dict[str, Any]:
        bits = self._bits
        dealer = bits.take(2 if self._version == 1 else 3)
        if self._version > 1:
            if bits.take(3) != 3:
                bits.place.refuse("the deal is not for four players (num_players), and other games are not read")
            if bits.take(2) != 0:
                bits.place.refuse(
                    "the lowest rank of the deal is not the nine (min_rank), and other games are not read"
                )
        self._upcard = PACK_ORDER[bits.below(len(PACK_ORDER))]
        state: dict[str, Any] = {"dealer": dealer, "upCard": self._upcard}
        if self._version == 3 and bits.flag():
            state["playerCards"] = [[self._card() for _ in range(bits.take(4))] for _ in range(4)]
        phases = self._phases(bits.take(3), 0, list(PACK_ORDER), {}, 0)
        deal = {"dealNumber": number, "initialState": state, "phases": phases}
        if bits.flag():
            deal["alternativeLines"] = [self._line(phases) for _ in range(bits.take(8))]
        if bits.take(4) != END:
            bits.place.refuse("the packed deal is damaged: its end is not where it should be")
        return deal

    def _card(self) -> str:
        """A card by its number in the whole pack."""
        return PACK_ORDER[self._bits.below(len(PACK_ORDER))]

    def _line(self, main: list[dict[str, Any]]) -> dict[str, Any]:
        """An alternative line, which begins after some calls and plays of the main line."""
        branch = self._bits.take(16)
        bidding = next((phase for phase in main if "calls" in phase), {"calls": []})
        num_plays = max(branch - len(bidding["calls"]), 0)
        played = [card for phase in main for trick in phase.get("tricks", []) for card in trick][:num_plays]
        remaining = [card for card in PACK_ORDER if card not in played]
        return {
            "branchIndex": branch,
            "phases": self._phases(self._bits.take(4), branch, remaining, bidding, num_plays),
        }

    def _phases(
        self, number: int, num_calls: int, remaining: list[str], bidding: dict[str, Any], num_plays: int
    ) -> list[dict[str, Any]]:
        """Phases after `num_calls` calls of `bidding` and `num_plays` plays, with the cards that remain."""
        phases: list[dict[str, Any]] = []
        for index in range(number):
            if self._bits.flag():
                size = 4 - bool(bidding.get("isAlone")) - ("aloneDefender" in bidding)
                first = size - num_plays % size if index == 0 else size
                phases.append(self._play(first, size, remaining))
            else:
                bidding = self._bidding(num_calls)
                phases.append(bidding)
        return phases

    def _bidding(self, start: int) -> dict[str, Any]:
        """The calls from number `start` on, and what belongs to them."""
        bits, calls = self._bits, list[str]()
        while start + len(calls) < 8 and (not calls or calls[-1] == "Pass"):
            if start + len(calls) < 4:
                calls.append("Order" if bits.flag() else "Pass")
            else:
                suits = [suit for suit in SUIT_ORDER if suit != self._upcard[1]]
                calls.append(["Pass", *suits][bits.take(2)])
        phase: dict[str, Any] = {"type": "EUCHRE_BIDDING", "calls": calls, "isAlone": bits.flag()}
        if self._version > 1 and phase["isAlone"] and bits.flag():
            phase["aloneDefender"] = bits.take(3)
        if self._version == 3 and bits.flag():
            phase["discard"] = self._card()
        return phase | self._annotations("callAnnotations")

    def _play(self, first: int, size: int, remaining: list[str]) -> dict[str, Any]:
        """The tricks, of which the first has `first` cards and each other `size`."""
        tricks: list[list[str]] = []
        for index in range(self._bits.take(3)):
            tricks.append([])
            for _ in range(size if index else first):
                if not remaining:
                    self._bits.place.refuse("the packed deal is damaged: more cards are played than there are")
                tricks[-1].append(remaining.pop(self._bits.below(len(remaining))))
        return {"type": "TRICK_PLAY", "tricks": tricks} | self._annotations("playAnnotations")

    def _annotations(self, name: str) -> dict[str, Any]:
        """The annotations of a phase as a member of it, if it has any."""
        bits = self._bits
        if not bits.flag():
            return {}
        notes: dict[str, list[str]] = {}
        for _ in range(bits.take(8)):
            key = str(bits.take(8))
            if key in notes:
                bits.place.refuse(f"the packed deal is damaged: it has the annotations of {key} twice")
            notes[key] = [bits.text() for _ in range(bits.take(8))]
        return {name: notes}
