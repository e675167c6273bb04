"""Shows that unsound checkers in C++ are caught by the comparison with the extracted one.

sabotage.py BUILD CASES: BUILD is a Ninja build of the tests with formal_compare, CASES what proofs/coq/formal/test.py
--keep has left. Each line of SABOTAGES changes one place of a copy of a source; formal_compare is built anew with that
copy. The comparison must disagree: the exact checker with what was expected, or the fast one by proving more. Fails
where one does not, where a place is not found exactly once, and where the unchanged program disagrees.
"""
import concurrent.futures
import os
import shlex
import subprocess
import sys

BUILD, CASES = map(os.path.abspath, sys.argv[1:3])
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
ROOM = {name: f"{room}/{name}" for room, names in {
    "certificate": ["exact_lower.cpp", "exact_upper.cpp", "exact_rules.cpp", "decide.cpp", "fast_lower.cpp",
                    "fast_upper.cpp", "fast_chain.hpp"],
    "linalg": ["exact_norms.cpp"]}.items() for name in names}
KINDS = ["fixed_space", "neumann", "eckart_young", "factors", "representative_rows", "rules"]
LOWER = ["fixed_space", "neumann"]
UPPER = ["factors", "representative_rows"]

# What goes wrong, in which file, the text there and what becomes of it, and the kinds of witness that show it.
SABOTAGES = [
    ("norms without absolute values", "exact_norms.cpp", "return x < 0 ? -x : x;", "return x;", LOWER + UPPER),
    ("≤ for < in a contraction", "decide.cpp", "c.residual + t * c.gain < 1;", "c.residual + t * c.gain <= 1;", LOWER),
    ("≤ for < in a tail", "decide.cpp", "x * x < t.tail;", "x * x <= t.tail;", ["eckart_young"]),
    ("ε not squared", "decide.cpp", "x * x < t.tail;", "x < 1 ? x * x * x < t.tail : x < t.tail;", ["eckart_young"]),
    ("a lower bound at ε instead of ε + ρ", "decide.cpp", "if (holds(epsilon + rho.upper))", "if (holds(epsilon))",
     LOWER + ["eckart_young"]),
    ("a lower bound at ε − ρ", "decide.cpp", "if (holds(epsilon + rho.upper))",
     "if (holds(epsilon < rho.upper ? Rational(0) : Rational(epsilon - rho.upper)))", LOWER + ["eckart_young"]),
    ("an upper bound at ε instead of ε − ρ", "decide.cpp", "e.error + rho.upper <= epsilon\n", "e.error <= epsilon\n",
     UPPER),
    ("≥ for > in the rule of the norm", "decide.cpp", "return n.norm > epsilon ?", "return n.norm >= epsilon ?",
     ["rules"]),
    ("the rule of zero at twice ε", "decide.cpp", "return n.norm <= epsilon ?", "return n.norm <= 2 * epsilon ?",
     ["rules"]),
    ("exact ranks at ε > 0", "decide.cpp", "return epsilon == 0 ?", "return epsilon < Rational(1, 64) ?", ["rules"]),
    ("fixed space: no look at the pivot rows", "exact_lower.cpp",
     "if (!(d.select_rows(witness.pivots) == ExactMatrix::identity(k)))", "if (false)", ["fixed_space"]),
    ("fixed space: the residual left out", "exact_lower.cpp", "(d - s * (subject.centre * d)).norm(), s.norm()",
     "Rational(0), s.norm()", ["fixed_space"]),
    ("fixed space: the norm of D for that of S", "exact_lower.cpp", ".norm(), s.norm()}", ".norm(), d.norm()}",
     ["fixed_space"]),
    ("fixed space: one rank more", "exact_lower.cpp", "Contraction{k, (d", "Contraction{k + 1, (d", ["fixed_space"]),
    ("Neumann: no look at ‖S‖", "exact_lower.cpp", "if (s.norm() > 1)", "if (false)", ["neumann"]),
    ("Neumann: no look at ‖D‖", "exact_lower.cpp", "if (d.norm() > 1)", "if (false)", ["neumann"]),
    ("Neumann: the norm of S for that of R", "exact_lower.cpp", ".norm(), r.norm()}", ".norm(), s.norm()}", ["neumann"]),
    ("Eckart–Young: one rank more", "exact_lower.cpp", "Tail{witness.rank + 1, tail}", "Tail{witness.rank + 2, tail}",
     ["eckart_young"]),
    ("Eckart–Young: the tail of one rank less", "exact_lower.cpp", "gram.trace() - Rational(witness.rank) * t",
     "gram.trace() - Rational(witness.rank - 1) * t", ["eckart_young"]),
    ("Eckart–Young: the defect counted once", "exact_lower.cpp", "Rational(order) * defect.norm()", "defect.norm()",
     ["eckart_young"]),
    ("Eckart–Young: L left out of the tail", "exact_lower.cpp", " - large.squared_frobenius_norm() -", " -",
     ["eckart_young"]),
    ("Eckart–Young: C C' left out of the defect", "exact_lower.cpp", " - small * small.transpose();", ";",
     ["eckart_young"]),
    ("Eckart–Young: weights of any size", "exact_lower.cpp", "if (weights.squared_frobenius_norm() > 1)", "if (false)",
     ["eckart_young"]),
    ("Eckart–Young: groups of any size", "exact_lower.cpp", "if (square > 1) return", "if (false) return",
     ["eckart_young"]),
    ("factors: one rank less", "exact_upper.cpp", "Error{u.cols(), error}", "Error{u.cols() - 1, error}", ["factors"]),
    ("factors: the denominator taken twice", "exact_upper.cpp", ".norm() / Rational(witness.denominator)",
     ".norm() / Rational(witness.denominator * witness.denominator)", ["factors"]),
    ("representative rows: half the error", "exact_upper.cpp", "subject.centre.select_rows(p)).norm();",
     "subject.centre.select_rows(p)).norm() / 2;", ["representative_rows"]),
    ("representative rows: one too few", "exact_upper.cpp", "std::count(used.begin(), used.end(), true)",
     "std::count(used.begin() + 1, used.end(), true)", ["representative_rows"]),
    ("support: every row counted", "exact_rules.cpp", "first.insert(a);", "first.insert(i);", ["rules"]),
    ("distinct rows: one forgotten", "exact_rules.cpp", "for (Index i = 0; i < a.rows(); ++i) {",
     "for (Index i = 1; i < a.rows(); ++i) {", ["rules"]),
    ("shape: one too few", "exact_rules.cpp", "std::min(subject.rows(), subject.cols())}",
     "std::min(subject.rows(), subject.cols()) - 1}", ["rules"]),
    ("fast: no look at the pivot rows", "fast_lower.cpp", "if (!has_identity(d, witness.pivots))", "if (false)",
     ["fixed_space"]),
    ("fast: Neumann without a look at ‖S‖", "fast_lower.cpp", "if (witness.selection.norm() > 1)", "if (false)",
     ["neumann"]),
    ("fast: Neumann without a look at ‖D‖", "fast_lower.cpp", "if (d_norm > 1)", "if (false)", ["neumann"]),
    ("fast: the norm of D for that of S", "fast_lower.cpp",
     "contraction(k, residual, witness.inverse.norm(),", "contraction(k, residual, witness.basis.norm(),",
     ["fixed_space"]),
    ("fast: no rounding errors in a product", "fast_chain.hpp", "upper_sum(upper_product(sums[i], factor), row_error[i])",
     "sums[i]", LOWER + ["factors"]),
    ("fast: Eckart–Young, one rank more", "fast_lower.cpp", "Tail{witness.rank + 1, tail}",
     "Tail{witness.rank + 2, tail}", ["eckart_young"]),
    ("fast: Eckart–Young, the defect counted once", "fast_lower.cpp", "Rational(order) * to_rational(delta)",
     "to_rational(delta)", ["eckart_young"]),
    ("fast: Eckart–Young, weights of any size", "fast_lower.cpp",
     "if (witness.row_weights.squared_frobenius_norm() > 1)", "if (false)", ["eckart_young"]),
    ("fast: factors, one rank less", "fast_upper.cpp", "return error(witness.left.cols(), upper",
     "return error(witness.left.cols() - 1, upper", ["factors"]),
    ("fast: representative rows, one too few", "fast_upper.cpp", "Index rank = 0;", "Index rank = -1;",
     ["representative_rows"]),
]


def commands(target):
    """The last command that Ninja runs for a target, as words."""
    said = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", target], check=True, capture_output=True, text=True)
    return shlex.split(said.stdout.strip().splitlines()[-1])


def object_of(room_file):
    room = room_file.split("/")[0]
    return f"lib/CMakeFiles/rankcert_room_{room}.dir/src/{room_file}.o"


def disagreements(program, kind):
    with open(os.path.join(CASES, kind + ".cases"), encoding="ascii") as cases:
        done = subprocess.run([program], stdin=cases, capture_output=True, text=True, check=False)
    with open(os.path.join(CASES, kind + ".expected"), encoding="ascii") as expected:
        wanted = [tuple(map(int, line.split())) for line in expected]
    answers = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(answers) != len(wanted) or not wanted:
        sys.exit(f"{program} on {kind}: it ended with {done.returncode}, {len(answers)} of {len(wanted)} answers\n"
                 f"{done.stderr}")
    return sum(found[:2] != bracket or found[2] > bracket[0] or found[3] < bracket[1]
               for found, bracket in zip(answers, wanted))


def build(number, name, old, new):
    """formal_compare with one place of one source changed."""
    folder = os.path.join(BUILD, "tests", "sabotage", str(number))
    original = os.path.join(ROOT, "lib", "src", ROOM[name])
    with open(original, encoding="utf-8") as source:
        text = source.read()
    if text.count(old) != 1:
        raise ValueError(f"{name} holds {old!r} {text.count(old)} times, not once")
    copy = os.path.join(folder, ROOM[name])
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    with open(copy, "w", encoding="utf-8") as out:
        out.write(text.replace(old, new))
    # A header changes the sources that include it.
    sources = [ROOM[name]] if name.endswith(".cpp") else ["certificate/fast_lower.cpp", "certificate/fast_upper.cpp"]
    link = commands("tests/formal_compare")
    for source in sources:
        words = commands(object_of(source))
        path = os.path.join(ROOT, "lib", "src", source)
        made = os.path.join(folder, os.path.basename(source) + ".o")
        words = [made if word == object_of(source) else word for word in words]
        place = words.index("-c")
        words[place + 1] = copy if copy.endswith(source) else path
        words[place:place] = ["-w", "-I" + os.path.dirname(path)]
        # A changed header comes before the one that it stands for.
        words.insert(next(i for i, word in enumerate(words) if word.startswith("-I")), "-I" + folder)
        subprocess.run(words, cwd=BUILD, check=True, capture_output=True, text=True)
        link = [made if word == object_of(source) else word for word in link]
    program = os.path.join(folder, "formal_compare")
    link[link.index("-o") + 1] = program
    link = [word for word in link if word not in (":", "&&")]  # CMake puts these around it
    subprocess.run(link, cwd=BUILD, check=True, capture_output=True, text=True)
    return program


def judge(job):
    number, (what, name, old, new, kinds) = job
    try:
        program = build(number, name, old, new)
    except ValueError as error:
        return f"{what}: {error}", False
    except subprocess.CalledProcessError as error:
        return f"{what}: does not build\n{error.stderr}", False
    counts = {kind: disagreements(program, kind) for kind in kinds}
    os.remove(program)
    caught = all(counts.values())
    return (f"{'caught' if caught else 'NOT CAUGHT'}: {what} (" +
            ", ".join(f"{kind} {count}" for kind, count in counts.items()) + ")"), caught


def main():
    honest = {kind: disagreements(os.path.join(BUILD, "tests", "formal_compare"), kind) for kind in KINDS}
    good = not any(honest.values())
    if not good:
        print(f"the unchanged program disagrees: {honest}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for line, caught in pool.map(judge, enumerate(SABOTAGES)):
            print(line, flush=True)
            good = good and caught
    print(f"{len(SABOTAGES)} sabotaged checkers, {'each caught' if good else 'NOT each caught'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
