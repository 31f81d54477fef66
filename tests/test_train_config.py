"""Training settings: YAML over a dataclass, which refuses unknown keys and impossible values."""

import dataclasses
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs the extra [train]")

from euchre_train.config import WHOLE_NUMBER_LIMITS, Config, load_config

LEADERBOARD = Path(__file__).parents[1] / "configs" / "leaderboard.yaml"  # of a tournament
CONFIGS = sorted(set((Path(__file__).parents[1] / "configs").glob("*.yaml")) - {LEADERBOARD})


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.name)
def test_every_shipped_config_loads(file):
    assert isinstance(load_config(file), Config)


def test_the_resolved_config_reads_back_as_itself(tmp_path):
    rules = ("pagat,stick_the_dealer=true", "random", "standard", "standard")
    config = Config(hidden_sizes=(32, 16), rules=rules, learning_rate=3e-4, opponents="rules", inputs=("rules", "deal"))
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
        "num_updates=1000001", "deals_per_update=99999999999", "eval_deals=99999999999", "num_epochs=1001",
        f"minibatch_size={'9' * 23}", "num_threads=100000", "num_threads=9999999999999", "hidden_sizes=[99999999999]",
        f"critic_hidden_sizes={[16] * 17}", "hidden_sizes=[4097]", "past_self_every=10000000000", "eval_every=1e3",
        "learning_rate=1e39", "clip=1e39", "max_grad_norm=1e39", "entropy_end=1e39", "seed=-99999999999999999999",
        f"seed=0x{'f' * 5000}", f"hidden_sizes=[0x{'f' * 5000}]", f"learning_rate=0x{'f' * 5000}",
        "inputs=[deal, deal]", "inputs=[]", "inputs=[hands]", "critic=both", "precision=half", "device=tpu", "rules=[]",
        "opponents=[rules]", "architecture=7", "start_update=221", "num_processes=0",
        f"seed={'9' * 5000}", "seed=2020-13-45", f"hidden_sizes={'[' * 400}",
    ],
)  # fmt: skip
def test_an_impossible_value_is_refused_by_name(change):
    with pytest.raises(ValueError, match="nonsense" if "nonsense" in change else change.partition("=")[0]):
        load_config(None, [change])


@pytest.mark.parametrize(
    ("change", "bound"),
    [
        ("deals_per_update=1000001", "from 1 to 1000000"),
        ("num_threads=257", "from 1 to 256"),
        ("hidden_sizes=[4097]", "1 to 16 sizes, each from 1 to 4096"),
        ("learning_rate=1e31", r"above 0 and at most 1e\+30"),
    ],
)
def test_a_value_beyond_its_limit_is_told_the_limit(change, bound):
    with pytest.raises(ValueError, match=f"{change.partition('=')[0]} must be {bound}, not "):
        load_config(None, [change])


def test_the_largest_values_are_accepted():
    changes = [f"{name}={highest}" for name, (_, highest) in WHOLE_NUMBER_LIMITS.items()]
    assert load_config(None, [*changes, "start_from=runs/agent"]).deals_per_update == 10**6


def test_a_single_text_is_a_list_of_one_and_nothing_is_no_text():
    config = load_config(None, ["rules=british", "inputs=deal", "opponents=", "partner=rules", "start_from=~"])
    assert (config.rules, config.inputs) == (("british",), ("deal",))
    assert (config.opponents, config.partner, config.start_from) == ("", "rules", "")


def test_rules_are_noted_by_their_shortest_text():
    assert Config(rules=("standard,benny=false", "random")).rules == ("standard", "random")


def test_a_complete_file_is_one_that_names_every_setting(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text(Config(num_updates=7).to_yaml())
    assert load_config(file, complete=True).num_updates == 7
    text = Config(num_updates=7).to_yaml().replace("rules:\n- standard\n", "")
    file.write_text("\n".join(line for line in text.splitlines() if not line.startswith("clip")))
    with pytest.raises(ValueError, match=r"config.yaml lacks settings of the run: rules, clip$"):
        load_config(file, complete=True)
    assert load_config(file).num_updates == 7


def test_a_change_without_a_value_is_refused():
    with pytest.raises(ValueError, match="key=value"):
        load_config(None, ["num_updates"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"- 1\n- 2\n", "key: value"),
        (b"a: [\n", "not YAML"),
        (b"seed: \x80\n", "c.yaml is not YAML"),
        (b"seed: " + b"9" * 5000, "c.yaml is not YAML"),
        (b"seed: 2020-13-45", "c.yaml is not YAML"),
        (b"[" * 400, "c.yaml is not YAML"),
    ],
    ids=["list", "open bracket", "not UTF-8", "5,000 digits", "no such day", "400 brackets"],
)
def test_a_file_that_holds_no_settings_is_refused(tmp_path, text, message):
    (tmp_path / "c.yaml").write_bytes(text)
    with pytest.raises(ValueError, match=message) as error:
        load_config(tmp_path / "c.yaml")
    assert "\n" not in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere.yaml: No such file"):
        load_config(tmp_path / "nowhere.yaml")


def test_the_config_cannot_be_changed_by_accident():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().seed = 2  # type: ignore[misc]  # that is the point
