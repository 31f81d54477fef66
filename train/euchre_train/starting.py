"""The training with which a run begins: new networks, those of another run, or those of a shipped agent."""

from pathlib import Path

import torch

from euchre_agents import critic, network
from euchre_agents.network_card import CriticCard, NetworkCard
from euchre_agents.network_files import errors_naming
from euchre_train.architectures import module_weights
from euchre_train.checkpoint import damage_named, read_checkpoint
from euchre_train.config import Config
from euchre_train.model import ActorCritic
from euchre_train.ppo import Training, check_weights, new_training
from euchre_train.saved_networks import CHECKPOINT_FILE

OF_NETWORKS = ("inputs", "architecture", "actor", "hidden_sizes", "critic", "critic_hidden_sizes")
"""Settings that decide the sizes of the networks."""


def first_training(config: Config, device: torch.device | str = "cpu") -> Training:
    """The training with which a run begins: new networks, or those in the folder that `start_from` names.

    That is a run folder, or one with a player and a critic alone, such as an agent is shipped in.

    Raises:
        ValueError: if that folder has no actor or no critic, a file of it is damaged, or its networks do not fit the
            settings; the message names the file.
        TrainingError: if the networks do not fit in memory.
    """
    training = new_training(config, device)
    if config.start_from:
        folder = Path(config.start_from)
        if (folder / CHECKPOINT_FILE).exists():
            _load_from_checkpoint(training.model, folder / CHECKPOINT_FILE, config)
        else:
            _load_saved_networks(training.model, folder, config)
        training.update = config.start_update
    return training


def _load_from_checkpoint(model: ActorCritic, file: Path, config: Config) -> None:
    """Load the networks of another run's checkpoint."""
    state = read_checkpoint(file)
    before = {"actor": "own_view"} | state["settings"]  # the setting that older checkpoints lack
    other = [name for name in OF_NETWORKS if before.get(name) != getattr(config, name)]
    if other:
        differences = [f"{name} is {before.get(name)!r} there and {getattr(config, name)!r} here" for name in other]
        raise ValueError(f"{file} holds other networks than the settings ask for: {'; '.join(differences)}")
    with damage_named(file):
        model.load_state_dict(state["model"])
        check_weights(model)


def _load_saved_networks(model: ActorCritic, folder: Path, config: Config) -> None:
    """Load the player and the critic that are saved in `folder`, which need not be that of a run."""
    if not (folder / network.CARD_FILE).exists():
        raise ValueError(
            f"{folder} holds no networks to start from: neither {CHECKPOINT_FILE} nor {network.CARD_FILE} is there"
        )
    if not (folder / critic.CARD_FILE).exists():
        raise ValueError(
            f"{folder} holds a player without its critic, and a run starts from both: {critic.CARD_FILE} is missing"
        )
    card, tensors, _ = network.read_network(folder, None)
    saved_critic = critic.load_critic(folder)
    for module, wanted, found, weights, (weights_file, card_file) in (
        (model.actor, model.card, card, tensors, (network.WEIGHTS_FILE, network.CARD_FILE)),
        (model.critic, model.critic_card, saved_critic.card, saved_critic.tensors(), critic.Critic.FILES),
    ):
        _check_same_network(found, wanted, folder / card_file)
        with errors_naming(folder / weights_file):
            module.load_state_dict(module_weights(found.architecture, weights))
    try:
        check_weights(model)  # they are finite, but an output may overflow
    except FloatingPointError as error:
        raise ValueError(f"{folder}: {error}") from error


def _check_same_network(card: NetworkCard | CriticCard, wanted: NetworkCard | CriticCard, file: Path) -> None:
    """Check that the card in `file` describes the network that the settings ask for."""
    differences: list[str] = []
    for name in ("architecture", "hidden_sizes"):
        there, here = getattr(card, name), getattr(wanted, name)
        if there != here:
            differences.append(f"{name} is {there!r} there and {here!r} here")
    for name in ("inputs", "hidden_cards", "actions"):
        there, here = getattr(card, name, ()), getattr(wanted, name, ())
        if there != here or list(there) != list(here):
            differences.append(f"the {name.replace('_', ' ')} are others")
    if differences:
        raise ValueError(f"{file} describes another network than the settings ask for: {'; '.join(differences)}")
