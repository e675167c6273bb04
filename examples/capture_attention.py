#!/usr/bin/env python3
"""Dumps what attention calls of a PyTorch model get and give, for `rankcert audit output`.

    from capture_attention import Capture
    with Capture("run.safetensors"):            # every scaled_dot_product_attention under it
        model(inputs)
or, for a model of the transformers library (its queries and keys are post-rotary here):
    capture = Capture("run.safetensors")
    model.set_attn_implementation(capture.register_with_transformers())
    model(inputs); capture.save()
then
    rankcert audit output run.safetensors --scale '1/sqrt(d)' --claim-that close=1e-5,1e-6

Call N gives the tensors callN.q, callN.k, callN.v, callN.o ([batch, heads, tokens, features]), and callN.mask where there is a
mask. What the calls declare (causal, scale, kind of mask) is printed: rankcert has to be told, it does not guess. Needs torch and safetensors.
"""
import torch
from safetensors.torch import save_file


class Capture:
    def __init__(self, path):
        self.path, self.tensors, self.calls = path, {}, 0
        self.attention = torch.nn.functional.scaled_dot_product_attention

    def record(self, query, key, value, output, mask=None, causal=False, scale=None):
        parts = {"q": query, "k": key, "v": value, "o": output, "mask": mask}
        for name, tensor in parts.items():
            if tensor is not None:
                self.tensors[f"call{self.calls}.{name}"] = tensor.detach().cpu().contiguous().clone()
        kind = None if mask is None else "boolean" if mask.dtype == torch.bool else "additive"
        print(f"call{self.calls}: q {tuple(query.shape)}, k {tuple(key.shape)}, {query.dtype}, scale {scale or '1/sqrt(d)'}, "
              f"causal {causal} (top-left), mask {kind}")
        self.calls += 1

    def __enter__(self):
        def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, **more):
            more |= {} if scale is None else {"scale": scale}
            output = self.attention(query, key, value, attn_mask, dropout_p, is_causal, **more)
            self.record(query, key, value, output, attn_mask, is_causal, scale)
            return output

        torch.nn.functional.scaled_dot_product_attention = attention
        return self

    def __exit__(self, *_):
        torch.nn.functional.scaled_dot_product_attention = self.attention
        self.save()

    def register_with_transformers(self, inner="sdpa"):
        from transformers import AttentionInterface
        wrapped = AttentionInterface._global_mapping[inner]

        def attention(module, query, key, value, attention_mask=None, scaling=None, **more):
            output, weights = wrapped(module, query, key, value, attention_mask, scaling=scaling, **more)
            causal = attention_mask is None and query.shape[2] > 1 and getattr(module, "is_causal", False)
            self.record(query, key, value, output.transpose(1, 2), attention_mask, causal, scaling)
            return output, weights

        AttentionInterface.register("rankcert_capture", attention)
        return "rankcert_capture"

    def save(self):
        save_file(self.tensors, self.path)
