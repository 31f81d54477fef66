"""Wording that several modules share: `sentence_case`."""


def sentence_case(text: str) -> str:
    """`text` with its first letter in upper case and the rest as it is.

    >>> sentence_case("seat 2 named Spades")
    'Seat 2 named Spades'
    """
    return text[:1].upper() + text[1:]
