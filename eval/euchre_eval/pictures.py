"""The style of this project's pictures, and figures as files.

matplotlib is imported only when something is drawn. Colours are Okabe and Ito's, told apart by colour-blind readers.
"""

import importlib
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from euchre_eval.command_line import CommandError, delay_interrupt

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

COLORS = ("#0072B2", "#E69F00", "#000000", "#D55E00", "#56B4E9", "#009E73", "#CC79A7")
TEXT, FRAME = "#222222", "#999999"
APPEARANCE: "dict[RcKeyType, Any]" = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.edgecolor": FRAME,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": TEXT,
    "axes.labelcolor": TEXT,
    "xtick.color": FRAME,
    "ytick.color": FRAME,
    "xtick.labelcolor": TEXT,
    "ytick.labelcolor": TEXT,
    "legend.frameon": False,
    "text.parse_math": False,  # a dollar sign in the name of a run is a dollar sign
    "svg.hashsalt": "euchre",  # the same curves make the same file
}


def check_matplotlib() -> None:
    """Import matplotlib.

    Raises:
        CommandError: if it is not installed; the message names the extra.
    """
    try:
        with delay_interrupt():
            importlib.import_module("matplotlib")
    except ModuleNotFoundError as error:
        message = f'{error.name} is not installed; `pip install "euchre-env[plots]"` installs what a picture needs'
        raise CommandError(message) from None


def render(draw_figure: Callable[[], "Figure"], kind: str) -> bytes:
    """The figure that a function draws, in the style of this project, as a file of a kind, "png" or "svg".

    The same figure makes the same bytes, whatever style the user has set.
    """
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a user's style might be one for the screen
        matplotlib.rcParams.update(APPEARANCE)
        file = io.BytesIO()
        draw_figure().savefig(file, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
    return file.getvalue()
