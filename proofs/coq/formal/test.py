"""Compares rankcert-formal with an independent evaluation in Python's fractions.

test.py PROGRAM [COUNT]: COUNT random certificates of each kind of witness (default 2000), half of them changed in one
number, each asked at an ε near the one that decides. Then malformed files. Fails on any disagreement, and where accepted
or rejected certificates of a kind are rare.
"""
import hashlib
import random
import subprocess
import sys
from fractions import Fraction as F
from math import gcd

PROGRAM = sys.argv[1]
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
rng = random.Random(1)


def hexa(x):
    return ("-" if x < 0 else "") + format(abs(x), "x")


def mul(a, b):
    return [[sum((x * y for x, y in zip(row, col)), F(0)) for col in zip(*b)] for row in a] if b else [[] for _ in a]


def sub(a, b):
    return [[x - y for x, y in zip(r, s)] for r, s in zip(a, b)]


def norm(a):
    return max((sum(map(abs, row), F(0)) for row in a), default=F(0))


def identity(n):
    return [[F(i == j) for j in range(n)] for i in range(n)]


def transpose(a, cols):
    return [[row[j] for row in a] for j in range(cols)]


def inverse(a):
    """Gauss–Jordan; None for a singular matrix."""
    n = len(a)
    work = [row[:] + unit for row, unit in zip(a, identity(n))]
    for c in range(n):
        pivot = next((i for i in range(c, n) if work[i][c] != 0), None)
        if pivot is None:
            return None
        work[c], work[pivot] = work[pivot], work[c]
        work[c] = [x / work[c][c] for x in work[c]]
        for i in range(n):
            if i != c and work[i][c] != 0:
                work[i] = [x - work[i][c] * y for x, y in zip(work[i], work[c])]
    return [row[n:] for row in work]


def eigen(h):
    """Jacobi's method in floats: eigenvalues and the matrix whose columns are the vectors."""
    n = len(h)
    a = [[float(x) for x in row] for row in h]
    v = [[float(i == j) for j in range(n)] for i in range(n)]
    for _ in range(30):
        for p in range(n):
            for q in range(p + 1, n):
                if abs(a[p][q]) < 1e-18:
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = (1 if theta >= 0 else -1) / (abs(theta) + (theta * theta + 1) ** 0.5)
                c = 1 / (t * t + 1) ** 0.5
                s = t * c
                for row in a:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
                a[p], a[q] = ([c * x - s * y for x, y in zip(a[p], a[q])],
                              [s * x + c * y for x, y in zip(a[p], a[q])])
                for row in v:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    return [a[i][i] for i in range(n)], v


class Matrix:
    """Integers over a denominator."""

    def __init__(self, rows, cols, entries, denominator):
        self.rows, self.cols, self.entries, self.denominator = rows, cols, entries, denominator

    @staticmethod
    def near(values, cols, denominator):
        return Matrix(len(values), cols, [[round(x * denominator) for x in row] for row in values], denominator)

    def value(self):
        return [[F(x, self.denominator) for x in row] for row in self.entries]

    def text(self, name):
        lines = [f"{name} {self.rows} {self.cols} {hexa(self.denominator)}"]
        return "".join(line + "\n" for line in lines + [" ".join(map(hexa, row)) for row in self.entries])


def reduced(entries, denominator):
    g = denominator
    for row in entries:
        for x in row:
            g = gcd(g, x)
    return Matrix(len(entries), len(entries[0]), [[x // g for x in row] for row in entries], denominator // g)


def random_centre():
    m, n = rng.randint(1, 6), rng.randint(1, 6)
    if rng.random() < .5:
        n = m
    q = rng.choice([1, 7, 64, 1000, 2 ** 53])
    entries = [[rng.choice([0, rng.randint(0, q), rng.randint(-q, q)]) for _ in range(n)] for _ in range(m)]
    if rng.random() < .3 and m > 1:
        entries[0] = entries[-1][:]
    for i in range(min(m, n)):
        if rng.random() < .7:
            entries[i][i] += 2 * q
    return reduced(entries, q)


# Each maker gives (text, evaluate): evaluate() is None, or (rank, lower: whether it is one, holds at t).
# `parts` are the numbers that a mutation may change.

def denominator():
    return rng.choice([1, 3, 50, 2 ** 20, 2 ** 40, 10 ** 6])


def fixed_space(a):
    A, m, n = a.value(), a.rows, a.cols
    k = rng.randint(1, min(m, n))
    pivots = rng.sample(range(n), k)
    q = denominator()
    basis = [[F(rng.randint(-q, q), 4 * q) for _ in range(k)] for _ in range(n)]
    for c, row in enumerate(pivots):
        basis[row] = [F(c == j) for j in range(k)]
    D = Matrix.near(basis, k, 4 * q)
    C = mul(A, D.value())
    gram = inverse(mul(transpose(C, k), C))
    S = mul(D.value(), mul(gram, transpose(C, k))) if gram else [[F(0)] * m for _ in range(n)]
    S = Matrix.near(S, m, 4 * denominator())

    def text():
        return (f"witness fixed_space {k}\n" + " ".join(["pivots"] + list(map(str, pivots))) + "\n" +
                D.text("basis") + S.text("inverse"))

    def evaluate():
        d, s = D.value(), S.value()
        if any(p >= n for p in pivots) or any(d[p] != unit for p, unit in zip(pivots, identity(k))):
            return None
        residual, gain = norm(sub(d, mul(s, mul(A, d)))), norm(s)
        return k, True, lambda t: residual + t * gain < 1, (1 - residual) / gain if gain else None
    return text, evaluate, [D, S, pivots]


def neumann(a):
    A, m, n = a.value(), a.rows, a.cols
    k = rng.randint(1, min(m, n))
    q = denominator()

    def rows(count, width):
        out = []
        for place in rng.sample(range(width), count) if count <= width else rng.choices(range(width), k=count):
            row = [0] * width
            row[place] = q
            if rng.random() < .3 and width > 1:
                other = (place + 1) % width
                share = rng.randint(0, q)
                row[place], row[other] = q - share, rng.choice([-1, 1]) * share
            out.append(row)
        return out
    S = Matrix(k, m, rows(k, m), q)
    columns = rng.sample(range(n), k)
    decoder = [[q if j == c else 0 for c in columns] for j in range(n)]
    D = Matrix(n, k, decoder, q)
    R = inverse(mul(S.value(), mul(A, D.value()))) or identity(k)
    R = Matrix.near(R, k, 4 * denominator())

    def text():
        return f"witness neumann {k}\n" + S.text("selection") + D.text("decoder") + R.text("inverse")

    def evaluate():
        s, d, r = S.value(), D.value(), R.value()
        if norm(s) > 1 or norm(d) > 1:
            return None
        residual, gain = norm(sub(identity(k), mul(r, mul(s, mul(A, d))))), norm(r)
        return k, True, lambda t: residual + t * gain < 1, (1 - residual) / gain if gain else None
    return text, evaluate, [S, D, R]


def eckart_young(a):
    A, m, n = a.value(), a.rows, a.cols
    g = rng.randint(1, n)
    side = rng.choice(["rows", "columns"])
    q = 2 ** 20
    weights = Matrix(1, m, [[int(q / m ** .5 * rng.uniform(.5, 1)) for _ in range(m)]], q)
    group = [[0] * g for _ in range(n)]
    for row in group:
        row[rng.randrange(g)] = q
        if rng.random() < .3:
            row[0], row[-1] = int(.6 * q), int(.8 * q) if g > 1 else 0
    G = Matrix(n, g, group, q)
    K = [[w * x for x in row] for w, row in zip(weights.value()[0], mul(A, G.value()))]
    X = K if side == "rows" else transpose(K, g)
    p = len(X)
    H = mul(X, transpose(X, len(X[0])))
    values, vectors = eigen(H)
    order = sorted(range(p), key=lambda i: -values[i])
    r = rng.randint(0, p - 1)
    tau = max(values[order[r]], 0)
    large = [[vectors[i][c] * max(values[c] - tau, 0) ** .5 for c in order[:r]] for i in range(p)]
    small = [[vectors[i][c] * max(tau - values[c], 0) ** .5 for c in order[r:]] for i in range(p)]
    T = Matrix.near([[tau]], 1, 2 ** 30)
    L, C = Matrix.near(large, r, 2 ** 26), Matrix.near(small, p - r, 2 ** 24)

    def text():
        return (f"witness eckart_young {side} {r}\n" + weights.text("row_weights") + G.text("grouping") +
                T.text("threshold") + L.text("large_factor") + C.text("small_factor"))

    def evaluate():
        s, grouping, t0 = weights.value()[0], G.value(), T.value()[0][0]
        if t0 < 0 or sum(x * x for x in s) > 1 or any(sum(x * x for x in row) > 1 for row in grouping):
            return None
        k = [[w * x for x in row] for w, row in zip(s, mul(A, grouping))]
        x = k if side == "rows" else transpose(k, g)
        h = mul(x, transpose(x, len(x[0])))
        ll = mul(L.value(), transpose(L.value(), L.cols)) if L.cols else [[F(0)] * p for _ in range(p)]
        cc = mul(C.value(), transpose(C.value(), C.cols))
        e = [[t0 * (i == j) + ll[i][j] - h[i][j] - cc[i][j] for j in range(p)] for i in range(p)]
        tail = (sum(h[i][i] for i in range(p)) - r * t0 - sum(ll[i][i] for i in range(p)) - p * norm(e))
        return r + 1, True, lambda t: t * t < tail, F(float(max(tail, 0)) ** .5)
    return text, evaluate, [weights, G, T, L, C]


def factors(a):
    A, m, n = a.value(), a.rows, a.cols
    r = rng.randint(0, min(m, n))
    chosen = rng.sample(range(m), r)
    q = denominator()
    U = Matrix(m, r, [[q if i == c else rng.randint(0, q) // 3 for c in chosen] for i in range(m)], q)
    V = Matrix.near([A[c] for c in chosen], n, denominator())

    def text():
        return f"witness factors {r}\n" + U.text("left") + V.text("right")

    def evaluate():
        product = mul(U.value(), V.value()) if r else [[F(0)] * n for _ in range(m)]
        error = norm(sub(A, product))
        return r, False, lambda t: error <= t, error
    return text, evaluate, [U, V]


def representative_rows(a):
    A, m = a.value(), a.rows
    few = rng.sample(range(m), rng.randint(1, m))
    chosen = [i if i in few else rng.choice(few) for i in range(m)]

    def text():
        return "witness representative_rows\n" + " ".join(["representatives"] + list(map(str, chosen))) + "\n"

    def evaluate():
        if any(c >= m for c in chosen):
            return None
        error = norm(sub(A, [A[c] for c in chosen]))
        return len(set(chosen)), False, lambda t: error <= t, error
    return text, evaluate, [chosen]


def rule(a, name):
    A = a.value()
    size = norm(A)
    if name == "nonzero":
        return lambda: (1, True, lambda t: t < size, size)
    if name == "zero":
        return lambda: (0, False, lambda t: size <= t, size)
    if name == "shape":
        return lambda: (min(a.rows, a.cols), False, lambda t: t >= 0, F(0))
    return lambda: (len(set(map(tuple, A))), False, lambda t: t >= 0, F(0))


def rules(a):
    name = rng.choice(["nonzero", "zero", "shape", "distinct_rows"])
    return lambda: f"witness {name}\n", rule(a, name), []


def mutate(parts):
    part = rng.choice(parts)
    if isinstance(part, list):
        part[rng.randrange(len(part))] = rng.randrange(7)
        return
    if part.rows == 0 or part.cols == 0 or rng.random() < .1:
        part.denominator += rng.choice([1, part.denominator])
        return
    row = rng.choice(part.entries)
    j = rng.randrange(len(row))
    row[j] = rng.choice([-row[j], row[j] + 1, row[j] - 1, 2 * row[j], row[j] + part.denominator])


def run(text):
    done = subprocess.run([PROGRAM], input=text.encode(), capture_output=True, check=False)
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def near(x):
    """ε + ρ or ε − ρ near x, on both sides and at it."""
    step = F(1, 2 ** rng.choice([10, 40, 80]))
    return max(x + rng.choice([-1, 0, 0, 1]) * step, F(0))


def file_of(a, rho, body):
    text = a.text("matrix")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return (f"rankcert-formal 1\nsha256 {digest}\n{text}rho {hexa(rho.numerator)} {hexa(rho.denominator)}\n"
            f"subject any\n{body}end\n")


def compare(kind, make):
    seen = {0: 0, 1: 0}
    for trial in range(COUNT):
        a = random_centre()
        text, evaluate, parts = make(a)
        if parts and trial % 2:
            mutate(parts)
        found = evaluate()
        rho = rng.choice([F(0), F(1, 2 ** 50), F(1, 1000)])
        lower = found[1] if found else True
        threshold = found[3] if found and found[3] is not None else F(1, 4)
        t = near(threshold if rng.random() < .8 else F(rng.randint(0, 300), 100))
        # shape and distinct rows hold at every ε, the first whatever ρ; the latter needs ε ≥ ρ
        epsilon = max(t - rho if lower else t + rho, F(0))
        t = epsilon + rho if lower else epsilon - rho
        rank = found[0] if found else 1
        holds = bool(found) and found[2](epsilon if text() == "witness shape\n" else t)
        # 0 and min(m, N) are proved by nothing: there the question is what the witness itself is said to prove
        trivial = rank == 0 if lower else rank >= min(a.rows, a.cols)
        asked = f"{rank} -" if lower else f"- {rank}"
        body = text() + f"claim {hexa(epsilon.numerator)} {hexa(epsilon.denominator)} {asked}\n"
        code, said = run(file_of(a, rho, body))
        expected = 0 if holds or trivial else 1
        if code != expected:
            print(f"{kind}, trial {trial}: exit code {code}, expected {expected}\n{said}\n{file_of(a, rho, body)}")
            return False
        if not trivial:
            seen[code] += 1
    print(f"{kind}: {COUNT} agree, {seen[0]} accepted and {seen[1]} rejected (the others are trivial)")
    if min(seen.values()) < COUNT // 20:
        print(f"{kind}: accepts or rejects are too rare to mean anything")
        return False
    return True


def malformed():
    a = reduced([[3, 1], [1, 3]], 4)
    good = file_of(a, F(0), "witness shape\nclaim 1 4 - 2\n")
    if run(good)[0] != 0:
        print("the good file is not accepted\n" + run(good)[1])
        return False
    bad = [good[:i] for i in range(len(good))] + [good + "\n", good + "x", "", good.replace("claim 1 4 - 2\n", "")]
    for old, new in [("sha256 ", "sha256  "), ("3 1\n", "3 01\n"), ("3 1\n", "3 -0\n"), ("3 1\n", "3 1 1\n"),
                     ("3 1\n", "3 1 \n"), ("matrix 2 2 4", "matrix 2 2 0"), ("matrix 2 2 4", "matrix 2 2 -4"),
                     ("matrix 2 2", "matrix 2 3"), ("claim 1 4", "claim 1 0"), ("claim 1 4", "claim -1 4"),
                     ("rho 0 1", "rho -1 1"), ("subject any", "subject all"), ("shape", "shapes"), ("3 1\n", "3 G\n"),
                     ("3 1\n", "3 A\n"), ("matrix 2 2 4", "matrix 99999999 2 4"), ("3 1\n", "4 1\n"),
                     ("witness shape", "witness fixed_space 1\npivots 9"), ("formal 1", "formal 2")]:
        assert old in good
        bad.append(good.replace(old, new, 1))
    for text in bad:
        code, said = run(text)
        if code != 3:
            print(f"a malformed file gives exit code {code}, not 3:\n{said}\n{text}")
            return False
    print(f"{len(bad)} malformed files are refused")
    return True


KINDS = [fixed_space, neumann, eckart_young, factors, representative_rows, rules]
sys.exit(0 if all([compare(make.__name__, make) for make in KINDS] + [malformed()]) else 1)
