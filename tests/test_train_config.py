"""Training settings: YAML over a dataclass, where nothing unknown or impossible passes."""

import dataclasses
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra [train]")

from euchre_train.config import Config, load_config

CONFIGS = sorted((Path(__file__).parents[1] / "configs").glob("*.yaml"))


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.name)
def test_every_shipped_config_loads(file):
    assert isinstance(load_config(file), Config)


def test_the_resolved_config_reads_back_as_itself(tmp_path):
    config = Config(hidden_sizes=(32, 16), rules="pagat,stick_the_dealer=true", learning_rate=3e-4)
    (tmp_path / "config.yaml").write_text(config.to_yaml())
    assert load_config(tmp_path / "config.yaml") == config


def test_changes_win_over_the_file(tmp_path):
    (tmp_path / "c.yaml").write_text("num_updates: 7\nclip: 0.1\n")
    config = load_config(tmp_path / "c.yaml", ["num_updates=9", "hidden_sizes=[8]", "learning_rate=1e-4"])
    assert (config.num_updates, config.clip, config.hidden_sizes, config.learning_rate) == (9, 0.1, (8,), 1e-4)


def test_an_unknown_key_is_refused_with_the_file_and_the_likely_one(tmp_path):
    (tmp_path / "ppo.yaml").write_text("learning_rat: 0.001\n")
    with pytest.raises(ValueError, match=r"ppo.yaml: unknown key 'learning_rat'; did you mean 'learning_rate'\?"):
        load_config(tmp_path / "ppo.yaml")
    with pytest.raises(ValueError, match="unknown key 'colour'"):
        load_config(None, ["colour=red"])


@pytest.mark.parametrize(
    "change",
    [
        "num_updates=0", "num_updates=1.5", "num_updates=true", "clip=-1", "clip=.nan", "gae_lambda=1.1",
        "hidden_sizes=[]", "hidden_sizes=[0]", "hidden_sizes=8", "rules=nonsense", "seed=-1", "learning_rate=fast",
        f"learning_rate={10**400}",
        "entropy_start=.inf", "seed=2305843009213693952", "minibatch_size=0", "past_self_fraction=2", "eval_deals=0",
    ],
)  # fmt: skip
def test_an_impossible_value_is_refused_by_name(change):
    with pytest.raises(ValueError, match=change.partition("=")[0] if "rules" not in change else "nonsense"):
        load_config(None, [change])


def test_a_change_without_a_value_is_refused():
    with pytest.raises(ValueError, match="key=value"):
        load_config(None, ["num_updates"])


@pytest.mark.parametrize(
    ("text", "message"),
    [(b"- 1\n- 2\n", "key: value"), (b"a: [\n", "not YAML"), (b"seed: \x80\n", "c.yaml is not YAML")],
)
def test_a_file_that_holds_no_settings_is_refused(tmp_path, text, message):
    (tmp_path / "c.yaml").write_bytes(text)
    with pytest.raises(ValueError, match=message):
        load_config(tmp_path / "c.yaml")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere.yaml: No such file"):
        load_config(tmp_path / "nowhere.yaml")


def test_the_config_cannot_be_changed_by_accident():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().seed = 2  # type: ignore[misc]  # that is the point
