# The Debian packages that rankcert is built from; sourced by examples/run, tests/run and proofs/run.
# shellcheck disable=SC2034
build_packages="cmake ninja-build g++ pkg-config ccache libboost-dev libeigen3-dev libgmp-dev libmpfr-dev
    libssl-dev libzip-dev libopenblas-dev libglpk-dev nlohmann-json3-dev libcli11-dev doctest-dev"
fuzz_packages="clang-14 libclang-rt-14-dev"
proof_packages="make python3 coq libcoq-mathcomp-algebra libcoq-mathcomp-zify libcoq-mathcomp-algebra-tactics
    ocaml-nox ocaml-findlib libzarith-ocaml-dev gappa libcoq-gappa libcoq-interval"
