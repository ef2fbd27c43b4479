"""Random applications of com.microsoft's attention operators and of RotaryEmbedding, each with the distance that is allowed."""

import numpy as np

from fused_cases import FusedCase, reals
from quantized_cases import F32, MICROSOFT, chance, pick, sized


def maybe(rng, array, probability=0.5):
    return array if chance(rng, probability) else None


def growth_of(*factors):
    """No score is larger than the product of the longest rows."""
    return 1 + float(np.prod([np.max(np.linalg.norm(f, axis=-1), initial=0) for f in factors]))


def score_options(rng):
    attributes = {}
    if chance(rng, 0.3):
        attributes["mask_filter_value"] = pick(rng, -50.0, float(np.finfo(F32).min))
    if chance(rng, 0.3):
        attributes["scale"] = float(F32(rng.uniform(0.1, 1)))
    return attributes


def some_key(mask):
    """The first key counts: where none does, scores are rounded at the size of mask_filter_value, and no two orders agree."""
    mask[..., 0] = 1
    return mask


def microsoft_attention(rng):
    batch, heads, steps, inside, size, past = sized(rng, (1, 3), (1, 3), (1, 6), (1, 20), (1, 8), (0, 3))
    wide = int(rng.integers(1, 8)) if chance(rng, 0.3) else size
    if wide != size or not chance(rng, 0.4):
        past = 0
    total, hidden, width = past + steps, heads * size, heads * (2 * size + wide)
    ends = rng.integers(1, total + 1, batch)
    causal = chance(rng, 0.4)
    starts = np.zeros(batch, np.int64) if causal else rng.integers(0, ends)
    masks = [None, ends, np.concatenate([ends, starts]), some_key(rng.integers(0, 2, (batch, total))),
             some_key(rng.integers(0, 2, (batch, steps, total))), np.concatenate([ends, rng.integers(0, 9, 2 * batch + 2)]),
             rng.integers(0, 2, (batch, 1)) if total > 1 else None, rng.integers(0, 2, (1, 1)) if total > 1 else None]
    mask = masks[int(rng.integers(len(masks)))]
    inputs = [reals(rng, (batch, steps, inside), 1.0), reals(rng, (inside, width), 0.5), reals(rng, width, 0.5),
              None if mask is None else mask.astype(np.int32)]
    if past:
        inputs.append(reals(rng, (2, batch, heads, past, size), 1.0))
    elif chance(rng, 0.5):
        inputs += [None, reals(rng, (pick(rng, 1, batch), pick(rng, 1, heads), steps, total), 1.0)]
    projected = inputs[0].astype(np.float64) @ inputs[1] + inputs[2]
    query, key = (projected[..., k * hidden:(k + 1) * hidden].reshape(batch, steps, heads, size) for k in range(2))
    attributes = {"num_heads": heads, "unidirectional": int(causal), **score_options(rng)}
    if wide != size:
        attributes["qkv_hidden_sizes"] = [hidden, hidden, heads * wide]
    return FusedCase("Attention", inputs, attributes, MICROSOFT, outputs=2 if past else 1, terms=total + size + inside + 16,
                     growth=growth_of(query, key), constant=pick(rng, (), (1, 2)))


def multi_head_attention(rng):
    batch, heads, steps, keys, size, wide, past = sized(rng, (1, 3), (1, 3), (1, 5), (1, 6), (1, 8), (1, 8), (0, 3))
    headed = chance(rng, 0.3)
    if headed or not chance(rng, 0.4):
        past = 0
    if headed or past:
        wide = size  # the runtime wants it
    total = past + keys

    def other(width):
        return reals(rng, (batch, heads, keys, width) if headed else (batch, keys, heads * width), 1.0)

    ends = rng.integers(1, total + 1, batch)
    masks = [None, None, ends, some_key(rng.integers(0, 2, (batch, total))), some_key(rng.integers(0, 2, (batch, steps, total))),
             np.concatenate([ends, rng.integers(0, 9, 2 * batch + 2)])]
    mask = masks[int(rng.integers(len(masks)))]
    inputs = [reals(rng, (batch, steps, heads * size), 1.0), other(size), other(wide),
              maybe(rng, reals(rng, heads * (2 * size + wide), 0.5)), None if mask is None else mask.astype(np.int32),
              maybe(rng, reals(rng, (pick(rng, 1, batch), pick(rng, 1, heads), steps, total), 1.0), 0.4)]
    if past:
        inputs += [reals(rng, (batch, heads, past, size), 1.0), reals(rng, (batch, heads, past, wide), 1.0)]
    attributes = {"num_heads": heads, "unidirectional": int(chance(rng, 0.4)), **score_options(rng)}
    return FusedCase("MultiHeadAttention", inputs, attributes, MICROSOFT, outputs=3 if past or chance(rng, 0.3) else 1,
                     terms=total + size + 16, growth=growth_of(3 * inputs[0], 3 * inputs[1]) / size)


def group_query_attention(rng):
    batch, keys, groups, size = (int(n) for n in (rng.integers(1, 3), rng.integers(1, 3), rng.integers(1, 3), pick(rng, 8, 16, 32)))
    heads, steps, past = keys * groups, int(rng.integers(1, 6)), int(rng.integers(1, 5))
    kind = pick(rng, "prompt", "prompt", "prompt in buffer", "next", "next in buffer", "several")
    if kind == "several":
        batch = 1
    elif kind.startswith("next"):
        steps = 1
    buffer, total = 0, steps
    if kind == "prompt in buffer":
        buffer = steps + past
    elif kind == "next in buffer":
        buffer, total = past + steps + 2, past + steps
    elif kind != "prompt":
        buffer, total = past, past + steps
    lengths = np.full(batch, total - 1) if kind == "several" else rng.integers(0, total, batch)
    lengths[0] = total - 1
    attributes = {"num_heads": heads, "kv_num_heads": keys}
    rotates = size >= 16 and chance(rng, 0.6)
    pairs = pick(rng, size // 2, 8)
    caches = [reals(rng, (total + 9, pairs), 1.0) for _ in range(2)] if rotates else [None, None]
    if rotates:
        attributes |= {"do_rotary": 1, "rotary_interleaved": int(chance(rng, 0.5))}
    packed = chance(rng, 0.3)
    query = reals(rng, (batch, steps, (heads + 2 * keys if packed else heads) * size), 1.0)
    key, value = ([None, None] if packed else [reals(rng, (batch, steps, keys * size), 1.0) for _ in range(2)])
    before = [reals(rng, (batch, keys, buffer, size), 1.0) for _ in range(2)] if buffer else [None, None]
    positions = rng.integers(0, 9, (batch, steps)) if rotates and chance(rng, 0.4) else None
    inputs = [query, key, value, *before, lengths.astype(np.int32), np.array(total, np.int32), *caches, positions,
              maybe(rng, reals(rng, (pick(rng, 1, batch), pick(rng, 1, heads), steps, total), 1.0), 0.3),
              maybe(rng, reals(rng, heads, 1.0), 0.2)]
    if chance(rng, 0.3):
        attributes["scale"] = float(F32(rng.uniform(0.1, 1)))
    if chance(rng, 0.3):
        attributes["softcap"] = float(F32(rng.uniform(1, 5)))
    if chance(rng, 0.3) and (lengths == total - 1).all():  # else rows of padding see no key
        attributes["local_window_size"] = int(rng.integers(1, 4))
    elif chance(rng, 0.2):
        attributes["causal"] = 0
    if chance(rng, 0.2) and inputs[-1] is None:
        attributes["smooth_softmax"] = 1
    while inputs[-1] is None:
        inputs.pop()
    return FusedCase("GroupQueryAttention", inputs, attributes, MICROSOFT, outputs=3, terms=total + size + 16, growth=60.0)


def rotary_embedding(rng, domain=""):
    """Every form: 3 or 4 dimensions, halves or neighbours, a part or all of a head, caches by position or by place, num_heads
    given or not."""
    batch, heads, steps, half = sized(rng, (1, 3), (1, 4), (1, 5), (1, 40))
    flat, part, by_position = chance(rng, 0.5), chance(rng, 0.5), bool(domain) or chance(rng, 0.5)
    turned = 2 * int(rng.integers(1, half + 1)) if part else 2 * half
    x = reals(rng, (batch, steps, heads * 2 * half) if flat else (batch, heads, steps, 2 * half))
    rows = steps + int(rng.integers(1, 9))
    cache = (rows, turned // 2) if by_position else (batch, steps, turned // 2)
    cos, sin = reals(rng, cache, 1.0), reals(rng, cache, 1.0)
    positions = rng.integers(0, rows, (batch, steps))
    attributes = {"interleaved": int(chance(rng, 0.5))}
    if part:
        attributes["rotary_embedding_dim"] = turned
    if flat or chance(rng, 0.5) or (domain and part):
        attributes["num_heads"] = heads if flat else pick(rng, heads, steps)  # ignored with 4 dimensions
    if domain:
        if chance(rng, 0.4):
            positions = rng.integers(0, rows - steps + 1, 1)
        if flat and not part and chance(rng, 0.3):
            del attributes["num_heads"]
        return FusedCase("RotaryEmbedding", [x, positions, cos, sin], attributes, MICROSOFT, terms=0)
    inputs = [x, cos, sin] + ([positions] if by_position else [])
    return FusedCase("RotaryEmbedding", inputs, attributes, opset=pick(rng, 23, 24), terms=0)


def microsoft_rotary_embedding(rng):
    return rotary_embedding(rng, MICROSOFT)


GENERATORS = [microsoft_attention, multi_head_attention, group_query_attention, rotary_embedding, microsoft_rotary_embedding]
