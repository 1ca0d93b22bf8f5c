#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs LLVM's own worksharing tests on a libomp: with the hook off, and with every technique as OMP_SCHEDULE.

The tests and their lit.cfg stay where LLVM's source is; only the site configuration is written here, so that the tests
compile against the build's omp.h and load the library under test.
Exit status: 0 passed, 1 failed, 77 a tool is missing.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

SKIPPED = 77
QUICK_TECHNIQUES = ("fac2", "wf2")  # every technique runs in run_matrix.py
DEBIAN_TOOLS = sorted(pathlib.Path("/usr/lib").glob("llvm-*"), key=lambda p: p.name, reverse=True)

# Tests that a compiler older than the runtime gets wrong: non-rectangular collapse. With clang 14 they fail on clang's
# own libomp 14 as well, with one thread and no schedule in sight.
FIRST_CLANG_FOR_ALL_TESTS = 19
NEEDS_NEWER_CLANG = {
    f"worksharing/for/{name}.c": "clang compiles the non-rectangular nest wrongly"
    for name in ("omp_collapse_many_GELTGT_int", "omp_collapse_many_GTGEGT_int", "omp_collapse_many_LTLEGE_int",
                 "omp_collapse_one_int", "omp_for_collapse_non_rectangular")}
# A test that takes ten seconds of a core and names its schedule itself: without the hook and once beside it is enough.
NAMES_ITS_SCHEDULE = "worksharing/for/kmp_sch_simd_guided.c"
# Tests that cannot pass under a foreign OMP_SCHEDULE. They count when the hook is off.
NEEDS_NO_SCHEDULE = {
    "worksharing/for/omp_monotonic_schedule_set_get.c": "wants omp_get_schedule to say (static, 0) at the start"}

SITE_CONFIG = """\
config.test_c_compiler = {clang!r}
config.test_cxx_compiler = {clangxx!r}
config.test_compiler_features = {features!r}
config.test_compiler_has_omp_h = True
config.test_filecheck = {filecheck!r}
config.test_not = {not_tool!r}
config.test_openmp_flags = "-fopenmp"
config.test_extra_flags = ""
config.libomp_obj_root = {scratch!r}
config.library_dir = {library_dir!r}
config.omp_header_directory = {omp_h!r}
config.operating_system = "Linux"
config.hwloc_library_dir = ""
config.using_hwloc = False
config.has_ompt = True
config.has_ompx_taskgraph = False
config.has_libm = True
config.has_libatomic = False
config.is_standalone_build = True
config.has_omit_frame_pointer_flag = True
config.target_arch = {arch!r}
config.recursiveExpansionLimit = None
lit_config.load_config(config, {lit_cfg!r})
config.substitutions = [(key, {run!r} if key == "%libomp-run" else value)
                        for key, value in config.substitutions]
"""

# The suite runs many times and only the environment changes: compile each test once, most of them as Gimbal is built
# (--compile). The key is the command line, the compiler, the test and omp.h.
CACHING_COMPILER = """\
#!/bin/sh
for argument; do
    [ "$before" = -o ] && output=$argument
    case $argument in *.c | *.cpp) sources="$sources $argument" ;; esac
    before=$argument
done
key={cache}/$({{ echo {version!r} "$@"; cat {omp_h}/omp.h $sources; }} | md5sum | cut -c1-32)
if [ -f "$key" ]; then exec cp "$key" "$output"; fi
{compiler} "$@" && cp "$output" "$key.$$" && mv "$key.$$" "$key"
"""


def find_tool(option, *relative):
    """A tool from the option, the PATH, or the newest Debian LLVM that has it."""
    if option:
        return option if pathlib.Path(option).is_file() else None
    found = shutil.which(pathlib.Path(relative[0]).name)
    candidates = [found] if found else []
    candidates += [str(root / path) for root in DEBIAN_TOOLS for path in relative if (root / path).is_file()]
    return candidates[0] if candidates else None


def compiler_features(clang):
    """The names by which tests say `XFAIL: clang-5`."""
    text = subprocess.run([clang, "--version"], capture_output=True, text=True, check=True).stdout
    match = re.search(r"version (\d+)\.(\d+)\.(\d+)", text)
    major, minor, patch = match.groups()
    return ["clang", f"clang-{major}", f"clang-{major}.{minor}", f"clang-{major}.{minor}.{patch}"]


def prepare(options, tools):
    """Write the site configuration. clang's programs ask for libomp.so.5, the tests link -lomp: both lead to the
    library under test."""
    scratch = options.scratch.resolve()
    libraries = scratch / "lib"
    libraries.mkdir(parents=True, exist_ok=True)
    library = options.library.resolve()
    # The library finds libgimbal.so beside itself, and the loader takes that to be beside the link.
    links = {"libomp.so": library, "libomp.so.5": library}
    links |= {path.name: path for path in library.parent.glob("libgimbal*.so*")}
    for name, target in links.items():
        (libraries / name).unlink(missing_ok=True)
        (libraries / name).symlink_to(target)
    if options.compile:
        shutil.rmtree(scratch / "cache", ignore_errors=True)
    (scratch / "cache").mkdir(exist_ok=True)
    clang = scratch / "clang"
    features = compiler_features(options.clang)
    clang.write_text(CACHING_COMPILER.format(cache=scratch / "cache", compiler=tools[options.clang],
                                             version=features[-1], omp_h=options.omp_h.resolve()))
    clang.chmod(0o755)
    clangxx = shutil.which(options.clang.replace("clang", "clang++")) or "clang++"
    test_folder = options.llvm.resolve() / "openmp" / "runtime" / "test"
    (scratch / "lit.site.cfg").write_text(SITE_CONFIG.format(
        clang=str(clang), clangxx=clangxx, features=features + [os.uname().machine],
        filecheck=tools["FileCheck"], not_tool=tools["not"], scratch=str(scratch), library_dir=str(libraries),
        omp_h=str(options.omp_h.resolve()), arch=os.uname().machine, lit_cfg=str(test_folder / "lit.cfg"),
        # lit's own time limit needs a Python module that Debian does not install with it.
        run="true" if options.compile else "timeout 60 %t"))
    return scratch


def run_suite(options, lit, scratch, technique, left_out=()):
    """One run of lit with OMP_SCHEDULE=technique, or without one, less the tests left out.

    Returns (passed count, {failed name: output}).
    """
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMP_", "KMP_", "GIMBAL_", "LD_PRELOAD", "LIT_"))}
    # lit forwards none of the caller's OpenMP variables; LLVM's lit.cfg takes the ones named here. A RUN line that
    # sets OMP_SCHEDULE itself wins.
    forwarded = ["GIMBAL_REPORT=off", "GIMBAL_CACHE=off"] + ([f"OMP_SCHEDULE={technique}"] if technique else [])
    environment["CHECK_OPENMP_ENV"] = " ".join(forwarded)
    results = scratch / "results.json"
    results.unlink(missing_ok=True)
    fewer = ["--filter-out", "|".join(map(re.escape, left_out))] if left_out else []
    done = subprocess.run([sys.executable, lit, "-q", "-j", str(options.jobs), "--output", str(results), *fewer,
                           str(scratch / "worksharing")],
                          capture_output=True, text=True, env=environment, check=False)
    if not results.is_file():
        sys.exit(f"llvm worksharing: lit failed: {done.stdout}{done.stderr}")
    tests = json.loads(results.read_text())["tests"]
    passed = sum(test["code"] in ("PASS", "XFAIL") for test in tests)
    failed = {test["name"].split("::")[-1].strip(): test["output"] for test in tests
              if test["code"] not in ("PASS", "XFAIL", "UNSUPPORTED")}
    return passed, failed


def compiled_wrongly(options):
    """The tests that this clang gets wrong: they are not run, and named once."""
    major = int(compiler_features(options.clang)[1].split("-")[1])
    found = NEEDS_NEWER_CLANG if major < FIRST_CLANG_FOR_ALL_TESTS else {}
    for test, reason in found.items():
        print(f"  not run {test}: {reason}")
    return found


def report(options, name, passed, failed, seconds):
    """Print one run. Returns the number of tests that failed without an excuse."""
    excused = sorted(test for test in failed if name != "off" and test in NEEDS_NO_SCHEDULE)
    wrong = sorted(set(failed) - set(excused))
    note = f", {len(excused)} excused" if excused else ""
    print(f"  OMP_SCHEDULE {name:<14} {passed} passed, {len(wrong)} failed{note}, {seconds:.0f} s", flush=True)
    for test in excused:
        print(f"    excused {test}: {NEEDS_NO_SCHEDULE[test]}")
    for test in wrong:
        print(f"    FAILED {test}")
        if options.verbose:
            print(failed[test])
    return len(wrong)


def technique_names(tool):
    done = subprocess.run([tool, "info", "techniques", "--json"], capture_output=True, text=True, check=True)
    return [entry["name"] for entry in json.loads(done.stdout)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llvm", type=pathlib.Path, required=True, help="folder that holds openmp/")
    parser.add_argument("--omp-h", type=pathlib.Path, required=True, help="folder of the omp.h of the library's build")
    parser.add_argument("--library", type=pathlib.Path, required=True, help="the libomp.so under test")
    parser.add_argument("--scratch", type=pathlib.Path, required=True, help="folder for the compiled tests")
    parser.add_argument("--tool", help="the gimbal command: names the techniques")
    parser.add_argument("--schedules", help="instead: values of OMP_SCHEDULE, separated by blanks")
    parser.add_argument("--quick", action="store_true", help="only the techniques " + " ".join(QUICK_TECHNIQUES))
    parser.add_argument("--compile", action="store_true", help="only compile the tests, for later calls")
    parser.add_argument("--clang", default="clang")
    parser.add_argument("--lit", help="lit.py")
    parser.add_argument("--filecheck")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="show lit's own output")
    return parser.parse_args()


def main():
    options = parse_arguments()
    tools = {"lit": find_tool(options.lit, "bin/llvm-lit", "build/utils/lit/lit.py"),
             "FileCheck": find_tool(options.filecheck, "bin/FileCheck"),
             "not": find_tool(None, "bin/not"),
             options.clang: shutil.which(options.clang)}
    missing = [name for name, path in tools.items() if not path]
    if missing:
        print(f"SKIPPED llvm worksharing: {', '.join(missing)} not found")
        return SKIPPED
    names = options.schedules.split() if options.schedules else technique_names(options.tool) if options.tool else []
    if options.quick and not options.schedules:
        names = [name for name in names if name in QUICK_TECHNIQUES]
    scratch = prepare(options, tools)
    if options.compile:
        run_suite(options, tools["lit"], scratch, None)
        return 0
    begin = time.monotonic()
    wrong, total = 0, 0
    never = list(compiled_wrongly(options))
    for place, technique in enumerate([None, *names]):
        start = time.monotonic()
        left_out = never + [NAMES_ITS_SCHEDULE] * (place > 1)
        passed, failed = run_suite(options, tools["lit"], scratch, technique, left_out)
        total += passed + len(failed)
        wrong += report(options, technique or "off", passed, failed, time.monotonic() - start)
        if passed == 0:
            wrong += 1
    print(f"llvm worksharing: {len(names) + 1} runs of the suite, {total} tests, {wrong} failed, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
