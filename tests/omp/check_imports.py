#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asserts that the loop programs really call each entry point that a compiler has for schedule(runtime) loops.

Without this a compiler that chooses another entry point would leave the old one untested, and nothing would fail.
"""
import argparse
import pathlib
import subprocess
import sys

GNU_COMMON = {
    "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
    "GOMP_loop_maybe_nonmonotonic_runtime_start", "GOMP_loop_maybe_nonmonotonic_runtime_next",
    "GOMP_loop_nonmonotonic_runtime_start", "GOMP_loop_nonmonotonic_runtime_next",
    "GOMP_loop_runtime_start", "GOMP_loop_runtime_next",
    "GOMP_loop_ordered_runtime_start", "GOMP_loop_ordered_runtime_next",
    "GOMP_loop_doacross_runtime_start", "GOMP_loop_end_nowait",
}
GNU_C = GNU_COMMON | {
    "GOMP_loop_ull_maybe_nonmonotonic_runtime_start", "GOMP_loop_ull_maybe_nonmonotonic_runtime_next",
    "GOMP_loop_ull_nonmonotonic_runtime_start", "GOMP_loop_ull_nonmonotonic_runtime_next",
    "GOMP_loop_ull_runtime_start", "GOMP_loop_ull_runtime_next",
    "GOMP_loop_ull_ordered_runtime_start", "GOMP_loop_ull_ordered_runtime_next",
    "GOMP_loop_ull_doacross_runtime_start", "GOMP_loop_start", "GOMP_loop_ull_start",
    "GOMP_loop_ordered_start", "GOMP_loop_ull_ordered_start", "GOMP_loop_doacross_start",
    "GOMP_loop_ull_doacross_start", "GOMP_sections2_start", "GOMP_loop_end", "GOMP_loop_end_cancel",
}
CLANG = {f"__kmpc_dispatch_{what}_{kind}" for what in ("init", "next") for kind in ("4", "4u", "8", "8u")} | {
    f"__kmpc_dispatch_fini_{kind}" for kind in ("4", "8", "8u")} | {
    "__kmpc_ordered", "__kmpc_doacross_init", "__kmpc_doacross_wait", "__kmpc_cancel", "__kmpc_cancellationpoint"}
EXPECTED = {
    "loops-gcc": GNU_C, "loops-gcc-nodebug": GNU_C, "loops-gfortran": GNU_COMMON,
    "loops-clang": CLANG, "loops-clang-nodebug": CLANG,
}
C_PROGRAMS = ("loops-gcc", "loops-gcc-nodebug", "loops-clang", "loops-clang-nodebug")


def undefined_symbols(program):
    """Names that a program imports, without versions."""
    done = subprocess.run(["nm", "-D", "--undefined-only", str(program)], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in done.stdout.splitlines() if line.strip()}


def readelf(option, program):
    return subprocess.run(["readelf", option, str(program)], capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the loop programs")
    folder = parser.parse_args().programs
    failed, checked, skipped = 0, 0, 0
    for name, expected in EXPECTED.items():
        if not (folder / name).is_file():
            print(f"SKIPPED {name}: not built, its compiler is missing")
            skipped += 1
            continue
        missing = sorted(expected - undefined_symbols(folder / name))
        checked += len(expected)
        failed += len(missing)
        for symbol in missing:
            print(f"FAILED {name} does not call {symbol}")
        needed = readelf("-d", folder / name)
        if name in C_PROGRAMS and "libstdc++" in needed:
            print(f"FAILED {name} links libstdc++: it no longer stands for C programs")
            failed += 1
        debug = readelf("-S", folder / name)
        if (".debug_info" in debug) == name.endswith("-nodebug"):
            print(f"FAILED {name}: debug information where there should be none, or none where there should be")
            failed += 1
    print(f"omp imports: {checked} entry points, {failed} failed, {skipped} programs skipped")
    return 1 if failed or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
