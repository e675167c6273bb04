"""Compares rankcert-formal with an independent evaluation in Python's integers, and with this library's checkers.

test.py PROGRAM [--count N] [--compare TOOL] [--keep FOLDER]

For each kind of witness: N certificates (default 2000) that are changed in one number, a quarter as many that are not,
and as many whose denominators are no powers of two; n ≤ 12; each asked at an ε near the one that decides, or at it. TOOL
is the program formal_compare of the tests: it answers with the exact and the fast checker in C++, for all but the
third group. Then malformed files. Fails on any disagreement, where the fast checker proves more than the exact one,
and where accepts or rejects are rare. FOLDER keeps the cases and what is expected of them (tests/formal/sabotage.py).
"""
import argparse
import hashlib
import multiprocessing
import os
import random
import subprocess
import sys
from fractions import Fraction as F
from math import gcd, isqrt

CHUNK = 250
rng = random.Random()


def hexa(x):
    return ("-" if x < 0 else "") + format(abs(x), "x")


class Matrix:
    """Integers over a denominator."""

    def __init__(self, rows, cols, entries, denominator):
        self.rows, self.cols, self.entries, self.denominator = rows, cols, entries, denominator

    @staticmethod
    def near(values, cols, denominator):
        return Matrix(len(values), cols, [[round(x * denominator) for x in row] for row in values], denominator)

    def floats(self):
        return [[x / self.denominator for x in row] for row in self.entries]

    def reduce(self):
        g = gcd(self.denominator, *(x for row in self.entries for x in row))
        self.entries = [[x // g for x in row] for row in self.entries]
        self.denominator //= g

    def transposed(self):
        return Matrix(self.cols, self.rows, [[row[j] for row in self.entries] for j in range(self.cols)],
                      self.denominator)

    def __matmul__(self, other):
        columns = other.transposed().entries
        return Matrix(self.rows, other.cols,
                      [[sum(map(int.__mul__, row, column)) for column in columns] for row in self.entries],
                      self.denominator * other.denominator)

    def plus(self, other, sign=1):
        p, q = other.denominator, sign * self.denominator
        return Matrix(self.rows, self.cols,
                      [[p * x + q * y for x, y in zip(r, s)] for r, s in zip(self.entries, other.entries)],
                      self.denominator * other.denominator)

    def minus(self, other):
        return self.plus(other, -1)

    def norm(self):
        return F(max((sum(map(abs, row)) for row in self.entries), default=0), self.denominator)

    def lengthen(self, factor, noise):
        """The same numbers over a much larger denominator; with noise, a little nearer to zero in all digits."""
        bits = factor.bit_length() - 100 if noise else 0
        self.entries = [[x * factor - ((x > 0) - (x < 0)) * rng.getrandbits(bits) for x in row] for row in self.entries]
        self.denominator *= factor

    def squares(self):
        return [F(sum(x * x for x in row), self.denominator ** 2) for row in self.entries]

    def text(self, name):
        lines = [f"{name} {self.rows} {self.cols} {hexa(self.denominator)}"]
        return "".join(line + "\n" for line in lines + [" ".join(map(hexa, row)) for row in self.entries])


def scalar(n, value):
    """value times the identity."""
    return Matrix(n, n, [[value.numerator * (i == j) for j in range(n)] for i in range(n)], value.denominator)


# ---- proposals, in floats ----

def mul(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def transpose(a):
    return [list(column) for column in zip(*a)]


def inverse(a):
    """Gauss–Jordan with pivots; None for a matrix that is nearly singular."""
    n = len(a)
    work = [list(row) + [float(i == j) for j in range(n)] for i, row in enumerate(a)]
    for c in range(n):
        pivot = max(range(c, n), key=lambda i: abs(work[i][c]))
        if abs(work[pivot][c]) < 1e-12:
            return None
        work[c], work[pivot] = work[pivot], work[c]
        work[c] = [x / work[c][c] for x in work[c]]
        for i in range(n):
            if i != c and work[i][c] != 0:
                work[i] = [x - work[i][c] * y for x, y in zip(work[i], work[c])]
    return [row[n:] for row in work]


def eigen(h):
    """Jacobi's method: eigenvalues and the matrix whose columns are the vectors."""
    n = len(h)
    a = [list(row) for row in h]
    v = [[float(i == j) for j in range(n)] for i in range(n)]
    for _ in range(8):
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


# ---- certificates ----
# Each maker gives a Case: its text, evaluate(ε, ρ): whether the bound is proved there, and its threshold: the t that
# decides; `parts` are the numbers that a mutation may change.

class Case:
    subject = "any\n"
    shifts = True  # whether the witness speaks of the centre, at ε ± ρ
    kept = ()      # parts that hold ones, which must stay

    def __init__(self, a, parts):
        self.a, self.parts = a, parts


def denominators(dyadic, choices=(1, 4, 2 ** 10, 2 ** 20, 2 ** 40)):
    return rng.choice(choices) if dyadic else rng.choice([3, 50, 1000, 10 ** 6, 7 * 2 ** 30])


def random_centre(dyadic):
    most = rng.choice([2, 4, 6, 9, 12])
    m, n = rng.randint(1, most), rng.randint(1, most)
    if rng.random() < .5:
        n = m
    q = denominators(dyadic, (1, 64, 2 ** 20, 2 ** 48))
    entries = [[rng.choice([0, rng.randint(0, q), rng.randint(-q, q)]) for _ in range(n)] for _ in range(m)]
    if rng.random() < .3 and m > 1:
        entries[0] = entries[-1][:]
    for i in range(min(m, n)):
        if rng.random() < .7:
            entries[i][i] += 2 * q
    a = Matrix(m, n, entries, q)
    a.reduce()
    return a


def contraction(rank, residual, gain):
    threshold = (1 - residual) / gain if gain else F(0)
    return rank, lambda t: residual + t * gain < 1, threshold


class FixedSpace(Case):
    def __init__(self, a, dyadic):
        m, n = a.rows, a.cols
        self.k = k = rng.randint(1, min(m, n))
        self.pivots = pivots = rng.sample(range(n), k)
        q = denominators(dyadic)
        basis = [[rng.uniform(-.25, .25) for _ in range(k)] for _ in range(n)]
        for c, row in enumerate(pivots):
            basis[row] = [float(c == j) for j in range(k)]
        self.D = Matrix.near(basis, k, q)
        c = mul(a.floats(), self.D.floats())
        gram = inverse(mul(transpose(c), c))
        s = mul(self.D.floats(), mul(gram, transpose(c))) if gram else [[0] * m for _ in range(n)]
        self.S = Matrix.near(s, m, denominators(dyadic, (2 ** 10, 2 ** 20, 2 ** 40)))
        self.kept = [self.D]
        super().__init__(a, [self.D, self.S, self.S, pivots])

    def text(self):
        return (f"witness fixed_space {self.k}\n" + " ".join(["pivots"] + list(map(str, self.pivots))) + "\n" +
                self.D.text("basis") + self.S.text("inverse"))

    def measure(self):
        d, s = self.D, self.S
        unit = [[d.denominator * (i == j) for j in range(self.k)] for i in range(self.k)]
        if any(p >= d.rows for p in self.pivots) or [d.entries[p] for p in self.pivots] != unit:
            return None
        return contraction(self.k, d.minus(s @ (self.a @ d)).norm(), s.norm())


class Neumann(Case):
    def __init__(self, a, dyadic):
        m, n = a.rows, a.cols
        self.k = k = rng.randint(1, min(m, n))
        q = denominators(dyadic)
        selection = []
        for place in rng.sample(range(m), k):
            row = [0] * m
            row[place] = q
            if rng.random() < .3 and m > 1:
                share = rng.randint(0, q // 2)
                row[place], row[(place + 1) % m] = q - share, rng.choice([-1, 1]) * share
            selection.append(row)
        columns = rng.sample(range(n), k)
        decoder = [[q if j == c else 0 for c in columns] for j in range(n)]
        self.S, self.D = Matrix(k, m, selection, q), Matrix(n, k, decoder, q)
        r = inverse(mul(self.S.floats(), mul(a.floats(), self.D.floats())))
        r = r or [[float(i == j) for j in range(k)] for i in range(k)]
        self.R = Matrix.near(r, k, denominators(dyadic, (2 ** 10, 2 ** 20, 2 ** 40)))
        super().__init__(a, [self.S, self.D, self.R, self.R, self.R])

    def text(self):
        return (f"witness neumann {self.k}\n" + self.S.text("selection") + self.D.text("decoder") +
                self.R.text("inverse"))

    def measure(self):
        s, d, r = self.S, self.D, self.R
        if s.norm() > 1 or d.norm() > 1:
            return None
        return contraction(self.k, scalar(self.k, F(1)).minus(r @ (s @ (self.a @ d))).norm(), r.norm())


class EckartYoung(Case):
    def __init__(self, a, dyadic):
        if rng.random() < .15:
            self.make_square(a)
        else:
            self.make(a, dyadic)
        super().__init__(a, [self.weights, self.G, self.T, self.L, self.L, self.C, self.C])

    def make_square(self, a):
        """A multiple of I, of order 1 or 4, whose tail is a square: equality can be met."""
        n, value = rng.choice([1, 4]), rng.randint(1, 9)
        a.rows = a.cols = n
        a.entries, a.denominator = [[value * (i == j) for j in range(n)] for i in range(n)], 2
        a.reduce()
        self.side, self.r = rng.choice(["rows", "columns"]), rng.choice([0, n - 1])
        self.weights = Matrix(1, n, [[1] * n], 2 if n == 4 else 1)
        self.G = scalar(n, F(1))
        self.T = Matrix(1, 1, [[value ** 2]], 4 * n)
        self.L, self.C = Matrix(n, 0, [[] for _ in range(n)], 1), Matrix(n, 1, [[0]] * n, 1)

    def make(self, a, dyadic):
        m, n = a.rows, a.cols
        g = rng.randint(1, n)
        self.side = rng.choice(["rows", "columns"])
        q = 2 ** 20 if dyadic else 10 ** 6
        self.weights = Matrix(1, m, [[int(q / m ** .5 * rng.uniform(.5, 1)) for _ in range(m)]], q)
        group = [[0] * g for _ in range(n)]
        for row in group:
            row[rng.randrange(g)] = q
            if rng.random() < .3:
                row[0], row[-1] = int(.6 * q), int(.8 * q) if g > 1 else 0
        self.G = Matrix(n, g, group, q)
        k = [[w * x for x in row] for w, row in zip(self.weights.floats()[0], mul(a.floats(), self.G.floats()))]
        x = k if self.side == "rows" else transpose(k)
        p = len(x)
        values, vectors = eigen(mul(x, transpose(x)))
        order = sorted(range(p), key=lambda i: -values[i])
        self.r = r = rng.randint(0, p - 1)
        tau = max(values[order[r]], 0)
        large = [[vectors[i][c] * max(values[c] - tau, 0) ** .5 for c in order[:r]] for i in range(p)]
        small = [[vectors[i][c] * max(tau - values[c], 0) ** .5 for c in order[r:]] for i in range(p)]
        self.T = Matrix.near([[tau]], 1, 2 ** 30 if dyadic else 10 ** 9)
        self.L = Matrix.near(large, r, 2 ** 26 if dyadic else 10 ** 8)
        self.C = Matrix.near(small, p - r, 2 ** 24 if dyadic else 10 ** 7)

    def text(self):
        return (f"witness eckart_young {self.side} {self.r}\n" + self.weights.text("row_weights") +
                self.G.text("grouping") + self.T.text("threshold") + self.L.text("large_factor") +
                self.C.text("small_factor"))

    def measure(self):
        s, t0 = self.weights, F(self.T.entries[0][0], self.T.denominator)
        if t0 < 0 or s.squares()[0] > 1 or max(self.G.squares()) > 1:
            return None
        k = self.a @ self.G
        k = Matrix(k.rows, k.cols, [[w * x for x in row] for w, row in zip(s.entries[0], k.entries)],
                   k.denominator * s.denominator)
        x = k if self.side == "rows" else k.transposed()
        h, p = x @ x.transposed(), x.rows
        e = scalar(p, t0).plus(self.L @ self.L.transposed()).minus(h).minus(self.C @ self.C.transposed())
        tail = sum(x.squares()) - self.r * t0 - sum(self.L.squares()) - p * e.norm()
        scale = 2 ** 200
        top, bottom = max(tail, 0).numerator, max(tail, 0).denominator
        root = F(isqrt(top), isqrt(bottom))
        if root ** 2 != max(tail, 0):
            root = F(isqrt(top * bottom * scale ** 2), bottom * scale)
        return self.r + 1, lambda t: t * t < tail, root


class Factors(Case):
    lower = False

    def __init__(self, a, dyadic):
        m, n = a.rows, a.cols
        self.r = r = rng.randint(0, min(m, n) - 1) if rng.random() < .9 else min(m, n)
        chosen = rng.sample(range(m), r)
        # A left factor may have any denominator; in C++ that is c.
        q = denominators(dyadic) * rng.choice([1, 1, 3, 35])
        self.U = Matrix(m, r, [[q if i == c else rng.randint(0, q) // 3 for c in chosen] for i in range(m)], q)
        floats = a.floats()
        self.V = Matrix.near([floats[c] for c in chosen], n, denominators(dyadic))
        super().__init__(a, [self.U, self.V])

    def text(self):
        return f"witness factors {self.r}\n" + self.U.text("left") + self.V.text("right")

    def measure(self):
        zero = Matrix(self.a.rows, self.a.cols, [[0] * self.a.cols for _ in range(self.a.rows)], 1)
        error = self.a.minus(self.U @ self.V if self.r else zero).norm()
        return self.r, lambda t: error <= t, error


class RepresentativeRows(Case):
    lower = False

    def __init__(self, a, dyadic):
        few = rng.sample(range(a.rows), rng.randint(1, max(a.rows - 1, 1)))
        self.chosen = [i if i in few else rng.choice(few) for i in range(a.rows)]
        super().__init__(a, [self.chosen])

    def text(self):
        return "witness representative_rows\n" + " ".join(["representatives"] + list(map(str, self.chosen))) + "\n"

    def measure(self):
        if any(c >= self.a.rows for c in self.chosen):
            return None
        rows = Matrix(self.a.rows, self.a.cols, [self.a.entries[c] for c in self.chosen], self.a.denominator)
        error = self.a.minus(rows).norm()
        return len(set(self.chosen)), lambda t: error <= t, error


def echelon_rank(visible):
    """By the definition: the number of different last, or of different first, true columns of the rows."""
    places = [[j for j, x in enumerate(row) if x] for row in visible]
    return max(len({max(p) for p in places if p}), len({min(p) for p in places if p}))


class Rule(Case):
    def __init__(self, a, dyadic):
        self.name = rng.choice(["nonzero", "support", "zero", "shape", "distinct_rows"])
        self.lower = self.name in ("nonzero", "support")
        m, n = a.rows, a.cols
        self.visible = None
        if rng.random() < .5 and self.name != "distinct_rows":
            kind = rng.choice(["full", "top_left", "listed"] + ["bottom_right"] * (n >= m))
            self.visible = [[rng.random() < .6 if kind == "listed" else
                             kind == "full" or j <= i + (n - m) * (kind == "bottom_right")
                             for j in range(n)] for i in range(m)]
            self.shifts = False
            self.kind = kind
        self.shifts = self.shifts and self.name != "shape"
        super().__init__(a, [] if self.visible else [a])

    @property
    def subject(self):
        if not self.visible:
            return "any\n"
        rows = "".join("".join("01"[x] for x in row) + "\n" for row in self.visible)
        return f"softmax {self.kind}\n" + (rows if self.kind == "listed" else "")

    def text(self):
        return f"witness {self.name}\n"

    def mutate(self):
        if self.visible:
            self.kind = "listed"
            row = rng.choice(self.visible)
            row[rng.randrange(len(row))] ^= True
        else:
            mutate([self.a])
            self.a.reduce()

    def measure(self):
        a = self.a
        size = F(1) if self.visible else a.norm()
        if self.name == "nonzero":
            return 1, lambda t: t < size, size
        if self.name == "zero":
            return 0, lambda t: size <= t, size
        if self.name == "shape":
            return min(a.rows, a.cols), lambda t: t >= 0, F(0)
        if self.name == "support":
            visible = self.visible or [[x != 0 for x in row] for row in a.entries]
            return echelon_rank(visible), lambda t: t == 0, F(0)
        return len(set(map(tuple, a.entries))), lambda t: t >= 0, F(0)


KINDS = {"fixed_space": FixedSpace, "neumann": Neumann, "eckart_young": EckartYoung, "factors": Factors,
         "representative_rows": RepresentativeRows, "rules": Rule}
GROUPS = ["mutated", "whole", "general"]


def mutate(parts):
    part = rng.choice(parts)
    if isinstance(part, list):
        part[rng.randrange(len(part))] = rng.randrange(max(part) + (rng.random() < .2) + 1)
        return
    if part.rows == 0 or part.cols == 0 or rng.random() < .05:
        part.denominator *= 2
        return
    row = rng.choice(part.entries)
    j = rng.randrange(len(row))
    row[j] = rng.choice([-row[j], row[j] + 1, row[j] + 1, row[j] - 1, row[j] - 1, 2 * row[j],
                         row[j] + part.denominator])


def near(x, lower):
    """A t near x, on both sides and at it, or anywhere."""
    if rng.random() < .1:
        x = F(rng.randint(0, 300), 100)
    step = F(1, 2 ** rng.choice([10, 40, 80]))
    return x + rng.choice([-1, -1, -1, 0, 0, 1] if lower else [-1, -1, 0, 1]) * step


def file_of(a, rho, subject, body):
    text = a.text("matrix")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return (f"rankcert-formal 1\nsha256 {digest}\n{text}rho {hexa(rho.numerator)} {hexa(rho.denominator)}\n"
            f"subject {subject}{body}end\n")


def make(kind, group):
    """A text, the exit code and the bracket that are expected, and whether the bound says anything of itself."""
    dyadic = group != "general"
    a = random_centre(dyadic)
    case = KINDS[kind](a, dyadic)
    if rng.random() < .1:  # so that rankcert-formal multiplies in blocks of columns
        for part in dict.fromkeys(part for part in case.parts if isinstance(part, Matrix) and part is not a):
            part.lengthen((2 if dyadic else 3) ** rng.choice([600, 2000]), part not in case.kept)
    if group == "mutated":
        case.mutate() if kind == "rules" else mutate(case.parts)
    found = case.measure()
    lower = getattr(case, "lower", True)
    rank, holds, threshold = found or (1, None, F(1, 4))
    rho = rng.choice([F(0), F(1, 2 ** 50), F(1, 1024) if dyadic else F(1, 1000)])
    if kind == "rules" and not case.visible and dyadic:
        rho = F(0)  # a matrix is its own centre in C++
    shift = rho * case.shifts if lower else -rho * case.shifts
    epsilon = max(near(threshold, lower) - shift, F(0))
    proved = bool(found) and holds(epsilon + shift)
    most = min(a.rows, a.cols)
    bracket = (rank if lower and proved else 0, min(rank, most) if not lower and proved else most)
    trivial = rank == 0 if lower else rank >= most
    asked = f"{rank} -" if lower else f"- {rank}"
    text = file_of(a, rho, case.subject,
                   case.text() + f"claim {hexa(epsilon.numerator)} {hexa(epsilon.denominator)} {asked}\n")
    return text, 0 if proved or trivial else 1, bracket, trivial


def run(text):
    done = subprocess.run([PROGRAM], input=text.encode(), capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def chunk(task):
    """Up to CHUNK cases: how many were accepted and rejected, the first disagreement, texts and brackets."""
    kind, group, number, count = task
    rng.seed(f"{kind} {group} {number}")
    cases = [make(kind, group) for _ in range(count)]
    seen = [0, 0]
    for text, expected, bracket, trivial in cases:
        code, said, error = run(text)
        lines = [line.split()[3:5] for line in said.splitlines() if line.startswith("bracket ")]
        if code != expected or lines != [[str(x) for x in bracket]]:
            return seen, f"exit code {code}, expected {expected} and {bracket}\n{said}{error}\n{text}", []
        if not trivial:
            seen[code] += 1
    if TOOL and group != "general":
        done = subprocess.run([TOOL], input="".join(case[0] for case in cases), capture_output=True, text=True,
                              check=False)
        answers = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
        if done.returncode != 0 or len(answers) != count:
            return seen, f"{TOOL} ended with {done.returncode}\n{done.stderr}", []
        for (text, _, bracket, _), (l, u, fast_l, fast_u) in zip(cases, answers):
            if (l, u) != bracket:
                return seen, f"the exact checker in C++ says {l} to {u}, not {bracket}\n{text}", []
            if fast_l > l or fast_u < u:
                return seen, f"the fast checker in C++ says {fast_l} to {fast_u}, the exact one {bracket}\n{text}", []
    return seen, "", [(case[0], case[2]) for case in cases] if group != "general" else []


def compare(count, keep):
    amounts = {"mutated": count, "whole": (count + 3) // 4, "general": (count + 3) // 4}
    tasks = [(kind, group, first, min(CHUNK, amounts[group] - first))
             for kind in KINDS for group in GROUPS for first in range(0, amounts[group], CHUNK)]
    good, seen, kept = True, {}, {}
    with multiprocessing.Pool(os.cpu_count()) as pool:
        for (kind, group, _, _), (part, fault, cases) in zip(tasks, pool.imap(chunk, tasks)):
            if fault:
                print(f"{kind}, {group}: {fault}")
                good = False
            total = seen.setdefault((kind, group), [0, 0])
            seen[kind, group] = [x + y for x, y in zip(total, part)]
            kept.setdefault(kind, []).extend(cases)
    for (kind, group), (accepted, rejected) in seen.items():
        print(f"{kind}, {group}: {amounts[group]} agree, {accepted} accepted and {rejected} rejected "
              f"(the others are trivial)" if good else f"{kind}, {group}: {accepted} and {rejected}")
        if group == "mutated" and min(accepted, rejected) < count // 6:
            print(f"{kind}: accepts or rejects are too rare to mean anything")
            good = False
    if keep and good:
        os.makedirs(keep, exist_ok=True)
        for kind, cases in kept.items():
            with open(os.path.join(keep, kind + ".cases"), "w", encoding="ascii") as out:
                out.writelines(text for text, _ in cases)
            with open(os.path.join(keep, kind + ".expected"), "w", encoding="ascii") as out:
                out.writelines(f"{l} {u}\n" for _, (l, u) in cases)
    return good


def malformed():
    a = Matrix(2, 2, [[3, 1], [1, 3]], 4)
    good = file_of(a, F(0), "any\n", "witness shape\nclaim 1 4 - 2\n")
    if run(good)[0] != 0:
        print("the good file is not accepted\n", *run(good))
        return False
    bad = [(good[:i], 3) for i in range(len(good))]
    bad += [(good + "\n", 3), (good + "x", 3), ("", 3), (good.replace("claim 1 4 - 2\n", ""), 3)]
    for old, new, code in [
            ("sha256 ", "sha256  ", 3), ("3 1\n", "3 01\n", 3), ("3 1\n", "3 -0\n", 3), ("3 1\n", "3 1 1\n", 3),
            ("3 1\n", "3 1 \n", 3), ("matrix 2 2 4", "matrix 2 2 0", 3), ("matrix 2 2 4", "matrix 2 2 -4", 3),
            ("matrix 2 2", "matrix 2 3", 3), ("claim 1 4", "claim 1 0", 3), ("claim 1 4", "claim -1 4", 3),
            ("rho 0 1", "rho -1 1", 3), ("subject any", "subject all", 3), ("shape", "shapes", 3),
            ("3 1\n", "3 G\n", 3), ("3 1\n", "3 A\n", 3), ("matrix 2 2 4", "matrix 99999999 2 4", 2),
            ("matrix 2 2 4", "matrix 99999999999999999999 2 4", 2), ("3 1\n", "3 " + "1" * (2 ** 17 + 1) + "\n", 2),
            ("3 1\n", "4 1\n", 3), ("witness shape", "witness fixed_space 1\npivots 9", 3),
            ("formal 1", "formal 2", 3), ("rho 0 1\n", "rho 0 1\nrho 0 1\n", 3),
            ("subject any\n", "subject any\nsubject any\n", 3), ("matrix 2 2 4\n", "matrix 2 2 4\nmatrix 2 2 4\n", 3),
            ("end\n", "end\nend\n", 3), ("\n", "\r\n", 3), ("matrix 2 2", "matrix -2 2", 3),
            ("matrix 2 2", "matrix 0 2", 3), ("3 1\n", "0x3 1\n", 3), ("3 1\n", "3" + " " * 2 ** 20 + "\n", 3),
            ("3 1\n", "3" + " 1" * 2 ** 20 + "\n", 3),
            ("matrix 2 2 4\n3 1\n1 3", "matrix 2 2 4\n4 8\n8 4", 3), ("claim 1 4 - 2\n", "claim 1 4 - 2\n" * 65537, 2),
            ("witness shape\n", "witness shape\n" * 65537, 2),
            ("witness shape\nclaim 1 4 - 2\n", "witness shape\n" * 4097 + "claim 1 4 - 2\n" * 4097, 2)]:
        assert old in good
        bad.append((good.replace(old, new, 1), code))
    # Factors whose denominators have as many digits as they may, at sizes where the products would not fit in memory.
    large = Matrix(2048, 2048, [[1] * 2048] * 2048, 1)
    column = Matrix(2048, 1, [[1]] * 2048, 16 ** (2 ** 17 - 1))
    bad.append((file_of(large, F(0), "any\n", "witness factors 1\n" + column.text("left") +
                        column.transposed().text("right") + "claim 1 4 - 2\n"), 2))
    for text, expected in bad:
        code, said, error = run(text)
        if code != expected or "bracket" in said:
            print(f"a malformed file gives exit code {code}, not {expected}:\n{said}{error}\n{text}")
            return False
    print(f"{len(bad)} malformed files are refused")
    return True


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--compare", default="")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    PROGRAM, TOOL = options.program, options.compare
    sys.exit(0 if all([compare(options.count, options.keep), malformed()]) else 1)
