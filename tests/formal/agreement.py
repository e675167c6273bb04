"""Certificates at the levels fast, exact and formal: each verdict, each witness, and the text that is written.

agreement.py RANKCERT RANKCERT_FORMAL COMPARE: the certificates of tests/data/certificates, and fresh brackets of the
heads that are shipped and of a matrix. For each

* what fast proves, exact proves; what formal proves, exact proves; refuted and undecided are the same at exact and
  formal, but for a claim that exact proves by a witness without a formal theorem, which may be undecided;
* the text that rankcert-formal is given is, byte for byte, what a writer of this script makes of the certificate file;
* each witness that has a formal theorem proves the same at each ε of the file, by rankcert-formal and by the
  measures in C++ (the program formal_compare).
"""
import glob
import hashlib
import json
import os
import stat
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction as F
from math import lcm

RANKCERT, FORMAL, COMPARE = map(os.path.abspath, sys.argv[1:4])
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
RULES = ["nonzero", "support", "zero", "shape", "distinct_rows"]


def hexa(x):
    return ("-" if x < 0 else "") + format(abs(x), "x")


# ---- the certificate file, read by its description (lib/docs/certificate-format.md) ----

class Certificate:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:8 + length])
        self.statement = json.loads(header.pop("__metadata__")["statement"])
        self.tensors = {}
        for name, tensor in header.items():
            begin, end = tensor["data_offsets"]
            self.tensors[name] = (tensor["dtype"], tensor["shape"], data[8 + length + begin:8 + length + end])

    def matrix(self, name):
        """(rows, cols, a list of rows of fractions)"""
        dtype, shape, data = self.tensors[name]
        rows, cols = shape[:2]
        if dtype == "F64":
            values = [F(x) for x in struct.unpack(f"<{rows * cols}d", data)]
        else:
            assert dtype == "I64"
            exponent, size = self.statement["exponents"][name], 8 * shape[2]
            scale = F(2) ** exponent
            values = [int.from_bytes(data[i * size:(i + 1) * size], "little", signed=True) * scale
                      for i in range(rows * cols)]
        return rows, cols, [values[i * cols:(i + 1) * cols] for i in range(rows)]

    def text(self, name, called, divisor=1, transposed=False):
        rows, cols, values = self.matrix(name)
        if transposed:
            rows, cols, values = cols, rows, [list(column) for column in zip(*values)]
        common = lcm(1, *(x.denominator for row in values for x in row))
        lines = [f"{called} {rows} {cols} {hexa(common * divisor)}"]
        lines += [" ".join(hexa(int(x * common)) for x in row) for row in values]
        return "".join(line + "\n" for line in lines)

    def subject(self):
        subject = self.statement["subject"]
        if subject["kind"] == "matrix":
            return "subject any\n"
        kind = subject["mask"]["kind"]
        if kind == "causal":
            return f"subject softmax {subject['mask']['alignment']}\n"
        name = {"boolean": "mask", "additive_and_boolean": "visible"}.get(kind)
        if kind == "none":
            return "subject softmax full\n"
        rows, cols, _ = self.matrix("centre")
        bits = self.tensors[name][2] if name else b"\1" * (rows * cols)
        return "subject softmax listed\n" + "".join(
            "".join(str(bit) for bit in bits[i * cols:(i + 1) * cols]) + "\n" for i in range(rows))

    def witnesses(self):
        """Of each witness (side, index): its text; None where it has no formal theorem, "" for a rule."""
        found = {}
        for side in ["lower", "upper"]:
            for i, witness in enumerate(self.statement[side + "_witnesses"]):
                def matrix(name, called=None, **more):
                    return self.text(f"{side}.{i}.{name}", called or name, **more)
                kind = witness["kind"]
                shape = {name.split(".")[2]: tensor[1] for name, tensor in self.tensors.items()
                         if name.startswith(f"{side}.{i}.")}
                if kind == "fixed_space":
                    text = (f"witness fixed_space {shape['basis'][1]}\n" +
                            " ".join(["pivots"] + list(map(str, witness["pivots"]))) + "\n" + matrix("basis") +
                            matrix("inverse"))
                elif kind == "neumann":
                    text = (f"witness neumann {shape['selection'][0]}\n" + matrix("selection") + matrix("decoder") +
                            matrix("inverse"))
                elif kind == "eckart_young":
                    text = (f"witness eckart_young {witness['side']} {witness['rank']}\n" +
                            matrix("row_weights", transposed=True) + matrix("grouping") + matrix("threshold") +
                            matrix("large_factor") + matrix("small_factor"))
                elif kind == "factors":
                    text = (f"witness factors {shape['left'][1]}\n" +
                            matrix("left", divisor=int(witness["denominator"])) + matrix("right"))
                elif kind == "representative_rows":
                    text = ("witness representative_rows\n" +
                            " ".join(["representatives"] + list(map(str, witness["representative"]))) + "\n")
                elif kind.startswith("rule:") and kind[5:] in RULES:
                    text = ""
                else:
                    text = None
                found[side, i] = text
        return found


def rational(text):
    value = F(text)
    return f"{hexa(value.numerator)} {hexa(value.denominator)}"


def whole_text(certificate, rho):
    def asked(claim, side):
        return str(claim[side]["rank"]) if side in claim else "-"
    witnesses = certificate.witnesses().values()
    claims = "".join(f"claim {rational(claim['epsilon'])} {asked(claim, 'lower')} {asked(claim, 'upper')}\n"
                     for claim in certificate.statement["claims"])
    return head(certificate, rho) + "".join(f"witness {rule}\n" for rule in RULES) + "".join(
        text for text in witnesses if text) + claims + "end\n"


def head(certificate, rho):
    matrix = certificate.text("centre", "matrix")
    digest = hashlib.sha256(matrix.encode()).hexdigest()
    return f"rankcert-formal 1\nsha256 {digest}\n{matrix}rho {rho}\n{certificate.subject()}"


# ---- what is checked ----

def levels(path, checker):
    verdicts = {}
    for level in ["fast", "exact", "formal"]:
        done = subprocess.run([RANKCERT, "check", "--json", "--level", level, "--formal-checker", checker, path],
                              capture_output=True, text=True, check=False)
        assert not done.stderr and done.returncode in (0, 1, 2), f"{path} at {level}: {done.stderr}"
        verdicts[level] = [json.loads(line) for line in done.stdout.splitlines()]
        words = {"proved": 0, "refuted": 1, "undecided": 2}
        codes = {words[verdict["verdict"]] for verdict in verdicts[level]}
        assert done.returncode == (1 if 1 in codes else max(codes)), f"{path} at {level}: exit code {done.returncode}"
    return verdicts


def has_formal_theorem(certificate, claim):
    if "top_k" in claim:
        return False
    texts = certificate.witnesses()
    for side in ["lower", "upper"]:
        if side not in claim:
            continue
        witness = claim[side]["witness"]
        if texts[side, witness] is None:
            return False
        if certificate.statement[side + "_witnesses"][witness]["kind"] == "rule:distinct_rows" and \
                certificate.statement["subject"]["kind"] != "matrix":
            return False
    return True


def compare_levels(path, certificate, verdicts, count):
    for claim, fast, exact, formal in zip(certificate.statement["claims"], *(verdicts[x] for x in verdicts)):
        said = f"{path} at ε = {exact['epsilon']}: {fast['verdict']}, {exact['verdict']}, {formal['verdict']}"
        if fast["verdict"] == "proved":
            assert exact["verdict"] == "proved", said
        if exact["verdict"] != "proved":
            assert formal["verdict"] == exact["verdict"], said
        elif has_formal_theorem(certificate, claim):
            assert formal["verdict"] == "proved", said
        else:
            assert formal["verdict"] in ("proved", "undecided"), said
        if formal["verdict"] == "proved":
            assert "lower" not in claim or formal["lower"] >= claim["lower"]["rank"], said
            assert "upper" not in claim or formal["upper"] <= claim["upper"]["rank"], said
        key = f"{fast['verdict']}, {exact['verdict']}, {formal['verdict']}"
        count[key] = count.get(key, 0) + 1


def compare_witnesses(path, certificate, rho, count):
    """Each witness by itself, at every ε of the file."""
    claims = "".join(f"claim {rational(claim['epsilon'])} - -\n" for claim in certificate.statement["claims"])
    for (side, i), text in certificate.witnesses().items():
        kind = certificate.statement[side + "_witnesses"][i]["kind"]
        if text is None or kind == "rule:distinct_rows":
            continue
        asked = head(certificate, rho) + (text or f"witness {kind[5:]}\n") + claims + "end\n"
        formal = subprocess.run([FORMAL], input=asked, capture_output=True, text=True, check=False)
        exact = subprocess.run([COMPARE], input=asked, capture_output=True, text=True, check=False)
        assert formal.returncode == 0 and exact.returncode == 0, f"{path}, {side} {i}: {formal.stderr}{exact.stderr}"
        found = [line.split()[3:5] for line in formal.stdout.splitlines() if line.startswith("bracket ")]
        wanted = [line.split() for line in exact.stdout.splitlines()]
        assert len(found) == len(certificate.statement["claims"]), f"{path}, {side} {i}: {formal.stdout}"
        for one, other in zip(found, wanted):
            assert one == other[:2], f"{path}, {side} {i} ({kind}): formal {one}, exact {other[:2]}"
            assert int(other[2]) <= int(one[0]) and int(one[1]) <= int(other[3]), f"{path}, {side} {i}: fast {other}"
        count[kind] = count.get(kind, 0) + len(found)


def write_npy(path, rows):
    shape = f"({len(rows)}, {len(rows[0])})"
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode())
        out.write(b"".join(struct.pack(f"<{len(row)}d", *row) for row in rows))


def fresh(folder):
    """Brackets of heads that are shipped, of families, and of a matrix."""
    example = os.path.join(ROOT, "examples", "data", "ppocrv4rec-n64-a.safetensors")
    causal = os.path.join(ROOT, "tests", "data", "heads", "bytegpt-n64-a.safetensors")
    matrix = os.path.join(folder, "a.npy")
    write_npy(matrix, [[((7 * i * i + 3 * j + i * j) % 17) / 16 - .5 for j in range(9)] for i in range(7)])
    runs = [[example, "--head", "layer0.head0,layer1.head3", "--epsilon", "1/4,0.15"],
            [causal, "--head", "layer1.head2", "--epsilon", "1/4,0.1,0.01,0", "--top-k"],
            [causal, "--head", "layer2.head1", "--epsilon", "0.3", "--beta-multiplier", "99/100..101/100"],
            [example, "--head", "layer0.head3", "--epsilon", "0.3", "--rounded-from", "float32"],
            ["--matrix", matrix, "--epsilon", "1/3,1,2,0"]]
    for i, run in enumerate(runs):
        subprocess.run([RANKCERT, "bracket", *run, "--effort", "0.5", "-o", os.path.join(folder, str(i))], check=True,
                       capture_output=True)
    return sorted(glob.glob(os.path.join(folder, "*", "*.cert.safetensors")))


def main():
    with tempfile.TemporaryDirectory() as folder:
        checker = os.path.join(folder, "checker")
        seen = os.path.join(folder, "seen")
        with open(checker, "w", encoding="utf-8") as out:
            out.write(f"#!/bin/sh\ncat >'{seen}'\nexec '{FORMAL}' '{seen}'\n")
        os.chmod(checker, os.stat(checker).st_mode | stat.S_IXUSR)
        verdicts, decisions = {}, {}
        stored = sorted(glob.glob(os.path.join(ROOT, "tests", "data", "certificates", "*.cert.safetensors")))
        made = fresh(folder)
        assert len(stored) > 20 and len(made) >= 6, "there are too few certificates"
        for path in stored + made:
            certificate = Certificate(path)
            levels_said = levels(path, checker)
            with open(seen, encoding="ascii") as file:
                text = file.read()
            rho = next(line for line in text.splitlines() if line.startswith("rho "))[4:]
            assert text == whole_text(certificate, rho), f"{path}: the text is not that of the certificate"
            compare_levels(path, certificate, levels_said, verdicts)
            compare_witnesses(path, certificate, rho, decisions)
        print(f"{len(stored)} stored and {len(made)} fresh certificates agree; claims by their verdicts at fast, exact "
              "and formal:")
        for key, number in sorted(verdicts.items()):
            print(f"  {key}: {number}")
        print("decisions of single witnesses that agree: " +
              ", ".join(f"{kind} {number}" for kind, number in sorted(decisions.items())))
        for kind in ["fixed_space", "neumann", "eckart_young", "factors", "representative_rows"]:
            assert decisions.get(kind, 0) > 50, f"there are too few {kind}"


main()
