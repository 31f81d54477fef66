"""Digests of the saved networks that a run needs: those of its opponents and its partner, and those it starts from.

A folder may later hold other networks under the same name. A digest tells: it is the first 16 digits of the SHA-256 of
the files. This module imports neither torch nor the networks.
"""

import hashlib
from pathlib import Path

from euchre_agents import critic, network
from euchre_agents.loading import POINTS, SAMPLED, SHIPPED_NETWORK
from euchre_agents.outcomes import SHIPPED_COUNTS
from euchre_train.config import Config

SHIPPED = ("ppo", "hard")  # names of the shipped network, also before a colon
CHECKPOINT_FILE = "checkpoint.pt"


def digest_of(*files: Path) -> str:
    """The first 16 digits of the SHA-256 of the contents of files."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def player_digest(name: str, base: Path = Path()) -> str | None:
    """A digest of what the player called `name` plays by; None if it is no saved network, or there is none.

    Args:
        name: as for `euchre_agents.load`.
        base: the folder from which a relative path leads.
    """
    known, _, argument = name.rpartition(":")
    path = known if argument in (POINTS, SAMPLED) else name
    is_shipped = path in SHIPPED
    folder = SHIPPED_NETWORK if is_shipped else base / path
    folder = folder.parent if folder.is_file() else folder
    if not (folder / network.CARD_FILE).is_file():
        return None
    weights = [file for file in sorted(folder.glob("*.safetensors")) if file.name != critic.WEIGHTS_FILE]
    return digest_of(folder / network.CARD_FILE, *weights, *[SHIPPED_COUNTS] * is_shipped)


def start_digest(folder: Path) -> str | None:
    """A digest of the actor and the critic in `folder`, from which a run can start; None if there are none."""
    files = [folder / file for file in (network.WEIGHTS_FILE, critic.WEIGHTS_FILE)]
    found = [file for file in files if file.is_file()] or [folder / CHECKPOINT_FILE]
    return digest_of(*found) if found[0].is_file() else None


def digests_of_settings(config: Config, base: Path = Path()) -> dict[str, str]:
    """A digest for each of the settings `opponents`, `partner` and `start_from` that names saved networks.

    Args:
        config: the settings.
        base: the folder from which a relative path leads.
    """
    found = {
        "opponents": player_digest(config.opponents, base) if config.opponents else None,
        "partner": player_digest(config.partner, base) if config.partner else None,
        "start_from": start_digest(base / config.start_from) if config.start_from else None,
    }
    return {setting: digest for setting, digest in found.items() if digest is not None}
