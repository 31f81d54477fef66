"""Precision: chosen by what the machine multiplies fast, written to the run, and asked about before it changes."""

import dataclasses
import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import first_batch, tiny

from euchre_train.cli import main
from euchre_train.parallel import Processes, is_bfloat16_fast, resolve
from euchre_train.ppo import new_training, updates
from euchre_train.run_folder import CONFIG_FILE, resume_run, run_settings, start_run
from euchre_train.run_manifest import MANIFEST_FILE
from euchre_train.running import train
from euchre_train.torch_player import autocast

pytestmark = pytest.mark.compiled  # training takes too long without the compiler


@pytest.fixture
def machine(monkeypatch):
    """Say whether this machine multiplies bfloat16 fast."""

    def set_machine(is_fast):
        monkeypatch.setattr("euchre_train.parallel.is_bfloat16_fast", lambda device: is_fast)

    return set_machine


@pytest.mark.parametrize(
    ("precision", "is_fast", "resolved"),
    [
        ("auto", True, "bfloat16"),
        ("auto", False, "float32"),
        ("bfloat16", False, "bfloat16"),
        ("float32", True, "float32"),
    ],
)
def test_auto_is_what_the_machine_does_fast_and_any_other_setting_stays(machine, precision, is_fast, resolved):
    machine(is_fast)
    config = resolve(tiny(precision=precision), Processes())
    assert config == tiny(precision=resolved)


@pytest.mark.parametrize(
    ("capabilities", "is_fast"),
    [({"avx512_bf16": True}, True), ({"amx_bf16": True}, True), ({"avx512_f": True, "avx512_bf16": False}, False)],
)
def test_a_cpu_is_fast_if_it_has_instructions_for_bfloat16(monkeypatch, capabilities, is_fast):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities, raising=False)
    assert is_bfloat16_fast("cpu") is is_fast


def test_a_version_of_torch_that_does_not_tell_is_taken_for_slow(monkeypatch):
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    assert is_bfloat16_fast("cpu") is False


def test_bfloat16_multiplies_in_bfloat16_and_keeps_the_rest_in_float32():
    sizes = {"hidden_sizes": (64, 64), "critic_hidden_sizes": (64, 64)}  # first and last layer stay in float32
    exact, rounded = new_training(tiny(**sizes)), new_training(tiny(**sizes, precision="bfloat16"))
    with torch.no_grad():
        for training in (exact, rounded):
            training.model.actor.get_parameter("last.weight").mul_(100)
    batch, inputs, *_ = first_batch(exact, tiny())
    masks = torch.from_numpy(batch.masks)
    for one, other in (
        (exact.model.log_probs(inputs, masks)[masks], rounded.model.log_probs(inputs, masks)[masks]),
        (exact.model.values(inputs), rounded.model.values(inputs)),
    ):
        assert one.dtype == other.dtype == torch.float32
        assert not torch.equal(one, other)
        torch.testing.assert_close(other, one, atol=0.1, rtol=0.1)
    assert {weights.dtype for weights in rounded.model.parameters()} == {torch.float32}


def test_the_policy_that_learns_in_bfloat16_is_the_policy_that_played():
    config = tiny(hidden_sizes=(64, 64), precision="bfloat16", random_bids=0.0)
    training = new_training(config)
    with torch.no_grad():
        training.model.actor.get_parameter("last.weight").mul_(100)
    batch, inputs, *_ = first_batch(training, config)
    log_probs = training.model.log_probs(inputs, torch.from_numpy(batch.masks)).detach().numpy()
    np.testing.assert_allclose(log_probs[np.arange(len(batch)), batch.actions], batch.log_probs, atol=1e-2)


def test_training_in_bfloat16_learns_nearly_what_float32_learns():
    metrics = {}
    for precision in ("float32", "bfloat16"):
        config = tiny(hidden_sizes=(32, 32), precision=precision)
        training = new_training(config)
        metrics[precision] = [step["losses/value_loss"] for step in updates(training, config)]
        assert {weights.dtype for weights in training.model.parameters()} == {torch.float32}
    assert metrics["bfloat16"] == pytest.approx(metrics["float32"], rel=0.1)
    assert metrics["bfloat16"] != metrics["float32"]


# The precision of a run


def test_a_run_in_bfloat16_is_not_resumed_without_its_instructions(tmp_path, machine, capsys):
    folder = tmp_path / "run"
    machine(True)
    run, training = start_run(folder, resolve(tiny(precision="auto"), Processes()))
    with run:
        next(updates(training, run.config))
        run.save(training)
    assert run_settings(folder).precision == "bfloat16"
    resume_run(folder)[0].close()
    machine(False)
    told = f"{folder} was begun in bfloat16 with instructions for it, and continues without instructions for it; "
    with pytest.raises(ValueError, match=told):
        resume_run(folder)
    assert main(["--resume", str(folder)]) == 2
    assert "--force continues all the same" in capsys.readouterr().err
    assert main(["--resume", str(folder), "--force"]) == 0
    run, training = resume_run(folder, force=True)
    run.close()
    assert training.update == run.config.num_updates
    assert run.config.precision == "bfloat16"


@pytest.mark.parametrize("changes", [{}, {"architecture": "residual"}])
def test_logits_and_values_are_float32_in_bfloat16_too(changes):
    model = new_training(tiny(precision="bfloat16", **changes)).model
    inputs, counts = torch.arange(20, dtype=torch.int16).reshape(2, 10), torch.tensor([10, 7])
    for module in (model.actor, model.critic):
        with autocast(model.device, "bfloat16"):
            outputs = module(inputs, counts)
        assert outputs.dtype == torch.float32
        assert torch.any(outputs != outputs.bfloat16())


def run_in_bfloat16(folder):
    """The folder of a run in bfloat16 that was asked for by name, at its start."""
    start_run(folder, resolve(tiny(precision="bfloat16"), Processes()))[0].close()
    return folder


def test_a_run_in_bfloat16_goes_on_on_the_slow_machine_that_began_it(tmp_path, machine):
    machine(False)
    folder = run_in_bfloat16(tmp_path / "run")
    resume_run(folder)[0].close()
    machine(True)
    told = "was begun in bfloat16 without instructions for it, and continues with instructions for it; --force"
    with pytest.raises(ValueError, match=told):
        resume_run(folder)


def test_every_process_counts_when_a_run_in_bfloat16_is_resumed(tmp_path, machine):
    machine(True)
    folder = run_in_bfloat16(tmp_path / "run")
    processes = Processes()
    processes.size, processes.num_with_bfloat16 = 2, 2  # as two processes would find them
    (folder / CONFIG_FILE).write_text(tiny(precision="bfloat16", num_processes=2).to_yaml())
    manifest = json.loads((folder / MANIFEST_FILE).read_text())
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest | {"processes_with_fast_bfloat16": 2}))
    resume_run(folder, processes)[0].close()
    processes.num_with_bfloat16 = 1
    told = "with instructions for it in 2 of 2 processes, and continues with instructions for it in 1 of 2 processes; "
    with pytest.raises(ValueError, match=told):
        resume_run(folder, processes)


@pytest.mark.parametrize("text", [None, "{", "[]", "{}", '{"processes_with_fast_bfloat16": "all"}'])
def test_a_run_in_bfloat16_whose_machine_is_not_known_asks_for_force(tmp_path, machine, text):
    machine(True)
    folder = run_in_bfloat16(tmp_path / "run")
    if text is None:
        (folder / MANIFEST_FILE).unlink()
    else:
        (folder / MANIFEST_FILE).write_text(text)
    with pytest.raises(ValueError, match=f"{MANIFEST_FILE} does not say on what kind of machine it was begun"):
        resume_run(folder)
    resume_run(folder, force=True)[0].close()


def test_the_command_writes_the_resolved_precision_to_the_run(tmp_path, machine):
    machine(False)
    folder = tmp_path / "run"
    small = ["--set=num_updates=1", "--set=deals_per_update=8", "--set=eval_deals=1", "--set=hidden_sizes=[8]"]
    assert main([*small, "--set=precision=auto", "--run", str(folder)]) == 0
    assert run_settings(folder).precision == "float32"
    machine(True)
    resume_run(folder)[0].close()  # float32 is the same everywhere


def test_a_run_whose_precision_was_edited_is_not_resumed(tmp_path):
    run, training = start_run(tmp_path / "run", tiny())
    assert train(run, training) == 0
    (run.path / "config.yaml").write_text(dataclasses.replace(run.config, precision="bfloat16").to_yaml())
    with pytest.raises(ValueError, match="precision was 'float32' and is now 'bfloat16'"):
        resume_run(run.path, force=True)


def test_force_belongs_to_resume(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["--force"]) == 2
    assert capsys.readouterr().err == "euchre-train: --force belongs to --resume\n"


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_gpu_that_is_not_there_is_one_clear_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["--set", "device=cuda"]) == 2
    assert capsys.readouterr().err == "euchre-train: the setting device is 'cuda', but PyTorch finds no GPU here\n"
    assert not list(tmp_path.iterdir())
