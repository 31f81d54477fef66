"""The mask in the policy: illegal actions have probability 0 and add nothing to entropy and gradient."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from euchre_agents.perceptron import masked_softmax
from euchre_env.actions import NUM_ACTIONS
from euchre_train.model import entropy, masked_log_probs


def logits_and_masks(seed: int = 0, rows: int = 64):
    """Logits of any size and masks with at least one legal action."""
    generator = torch.Generator().manual_seed(seed)
    logits = 50 * torch.randn(rows, NUM_ACTIONS, generator=generator)
    masks = torch.rand(rows, NUM_ACTIONS, generator=generator) < 0.2
    masks[torch.arange(rows), torch.arange(rows) % NUM_ACTIONS] = True
    return logits, masks


def test_illegal_actions_have_probability_zero_and_legal_ones_sum_to_one():
    logits, masks = logits_and_masks()
    probabilities = masked_log_probs(logits, masks).exp()
    assert torch.all(probabilities[~masks] == 0)
    torch.testing.assert_close(probabilities.sum(dim=1), torch.ones(len(logits)))


def test_without_the_mask_the_same_check_fails():
    logits, masks = logits_and_masks()
    assert not torch.all(masked_log_probs(logits, torch.ones_like(masks)).exp()[~masks] == 0)


def test_the_entropy_counts_legal_actions_only():
    _, masks = logits_and_masks()
    even = masked_log_probs(torch.zeros(masks.shape), masks)
    torch.testing.assert_close(entropy(even), masks.sum(dim=1).float().log())


def test_illegal_actions_get_no_gradient_and_nothing_is_nan():
    logits, masks = logits_and_masks()
    logits.requires_grad_(True)
    log_probs = masked_log_probs(logits, masks)
    (log_probs[masks].sum() + entropy(log_probs).sum()).backward()
    assert logits.grad is not None
    assert torch.all(logits.grad[~masks] == 0)
    assert torch.all(torch.isfinite(logits.grad))


def test_the_player_without_torch_masks_alike():
    logits, masks = logits_and_masks()
    expected = masked_log_probs(logits, masks).exp().numpy()
    outputs, probabilities = np.arange(NUM_ACTIONS), np.empty(NUM_ACTIONS, np.float32)
    for row, mask, by_torch in zip(logits.numpy(), masks.numpy(), expected, strict=True):
        masked_softmax(row, outputs, mask.astype(np.int8), probabilities)
        assert np.all(probabilities[~mask] == 0)
        np.testing.assert_allclose(probabilities, by_torch, atol=1e-6)
