"""Draw docs/images/table.png, the picture of a table for the README: `python docs/images/make_table_picture.py`."""

from pathlib import Path

from euchre_env.deal_text import parse_deal_text
from euchre_env.drawing import picture_png

PICTURE = Path(__file__).with_name("table.png")
# Hearts are trump. Seat 1 led the ace of diamonds and seat 2 trumped it; seat 0, with both bowers and no diamond (the
# left bower is a heart), can take the trick.
POSITION = (
    "rules=standard/dealer=0/scores=6-7/hands=TC.KC.JD.9H.JH,AC.KD.AD.AH.AS,JC.QC.QH.QS.KS,9C.TD.KH.9S.TS"
    "/upcard=TH/kitty=9D.QD.JS/actions=pass.pass.pass.order_up.TC,AC.JC.9C.KC,AD.QH.TD"
)


def draw() -> bytes:
    """The picture as a PNG file, 1500 x 1120 pixels: twice what a page shows, so that it stays sharp."""
    return picture_png(parse_deal_text(POSITION))


if __name__ == "__main__":
    PICTURE.write_bytes(draw())
