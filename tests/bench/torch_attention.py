#!/usr/bin/python3
"""torch_attention.py HEADS_DIR OUT_DIR: softmax attention of every head of the .safetensors files of HEADS_DIR by PyTorch, in float32 and
bfloat16 (q and k rounded to it first), as one writes it (naive) and by the library's own attention call; files that `rankcert audit
attention` reads, OUT_DIR/DTYPE-METHOD/FILE. The values are the identity, so that the output is the attention matrix."""
import json
import os
import struct
import sys

import torch
import torch.nn.functional as F

DTYPES = {"float32": (torch.float32, "F32"), "bfloat16": (torch.bfloat16, "BF16")}


def read(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, about in header.items():
        begin, end = about["data_offsets"]
        assert about["dtype"] == "F32"
        tensors[name] = torch.frombuffer(bytearray(data[begin:end]), dtype=torch.float32).reshape(about["shape"])
    return metadata, tensors


def write(path, metadata, tensors, dtype):
    header, blobs, offset = {"__metadata__": metadata}, [], 0
    for name, tensor in tensors.items():
        raw = bytes(tensor.contiguous().flatten().view(torch.int8).numpy().tobytes())
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [offset, offset + len(raw)]}
        offset += len(raw)
        blobs.append(raw)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def naive(query, key, scale, hidden):
    logits = query @ key.T * scale
    if hidden is not None:
        logits = logits.masked_fill(hidden, float("-inf"))
    return torch.softmax(logits, dim=-1)


def library(query, key, scale, hidden):
    value = torch.eye(len(key)).to(query.dtype)
    # The call scales by 1/sqrt(d) itself.
    if hasattr(F, "scaled_dot_product_attention"):
        mask = None if hidden is None else ~hidden
        return F.scaled_dot_product_attention(query[None, None], key[None, None], value[None, None], mask)[0, 0]
    mask = None if hidden is None else torch.zeros(hidden.shape, dtype=query.dtype).masked_fill(hidden, float("-inf"))
    return F._scaled_dot_product_attention(query[None], key[None], value[None], mask)[0][0]


def main(heads, out):
    for file in sorted(os.listdir(heads)):
        if not file.endswith(".safetensors"):
            continue
        metadata, tensors = read(os.path.join(heads, file))
        for dtype, (kind, name) in DTYPES.items():
            for method in (naive, library):
                results = {}
                for prefix in [n[:-2] for n in tensors if n.endswith(".q")]:
                    query, key = tensors[prefix + ".q"].to(kind), tensors[prefix + ".k"].to(kind)
                    hidden = torch.ones(len(query), len(key), dtype=torch.bool).triu(1) if metadata["mask"] == "causal" else None
                    results |= {prefix + ".q": query, prefix + ".k": key,
                                prefix + ".attn": method(query, key, float(metadata["beta"]), hidden)}
                folder = os.path.join(out, f"{dtype}-{method.__name__}")
                os.makedirs(folder, exist_ok=True)
                write(os.path.join(folder, file), {"beta": metadata["beta"], "mask": metadata["mask"]}, results, name)


main(*sys.argv[1:])
