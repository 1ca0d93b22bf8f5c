# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Install Gimbal into a fresh prefix and use it from there only, as somebody who never saw the build tree."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys


def run(command, **more):
    """Run and return standard output and error; a non-zero exit fails the test with all it said."""
    done = subprocess.run(command, text=True, capture_output=True, **more)
    if done.returncode != 0:
        sys.exit(f"failed ({done.returncode}): {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check_ranks(args, source, build, packages, libraries):
    """The rank level: component mpi of the CMake package, and gimbal-mpi of pkg-config."""
    environment = {**os.environ, "GIMBAL_REPORT": "off"}
    assert "sum 499500" in run([args.mpiexec, "-n", "2", build / "ranks"], env=environment)
    if not args.mpicxx:
        return
    flags = run(["pkg-config", "--cflags", "--libs", "gimbal-mpi"], env={**os.environ, "PKG_CONFIG_PATH": packages})
    program = build / "ranks-by-pkg-config"
    run([args.mpicxx, "-std=c++20", source / "ranks.cpp", "-o", program, *flags.split()])
    environment["LD_LIBRARY_PATH"] = str(libraries)
    assert "sum 499500" in run([args.mpiexec, "-n", "2", program], env=environment)


def check_placement(prefix, build):
    """Component pin, <gimbal/pin.h>, and the installed tool placing a program that links nothing of Gimbal."""
    library = (build / "pin_library").read_text()
    assert pathlib.Path(library).is_relative_to(prefix.resolve()) and os.path.exists(library), library
    program = build / "pinned"
    assert "gimbal" not in run(["readelf", "-d", program])
    assert "placement is not there" in run([program])
    for mode in ("observe", "static"):
        said = run([prefix / "bin" / "gimbal", "run", f"--pin={mode}", "--", program])
        assert "placement is there" in said and f"placement: {mode}, 2 threads" in said, said
        assert "metric progress" in said and "other" in said, said
    assert "processor" in run([prefix / "bin" / "gimbal", "pin", "show"])


def check_libraries(libraries):
    """What a stranger's process gets: an interface version in the name, no symbol that is not Gimbal's, and libraries
    that stay. Bound are: the C interface, the C++ classes, LB4MPI's names, what placement puts itself before."""
    paths = sorted(path for path in libraries.glob("libgimbal*.so") if path.name != "libgimbal_topology.so")
    assert paths, libraries
    for path in paths:
        dynamic = run(["readelf", "-d", path])
        assert re.search(rf"soname: \[{re.escape(path.name)}\.\d", dynamic), f"{path}: no interface version\n{dynamic}"
        assert "NODELETE" in dynamic, f"{path}: can be unloaded"
        shown = re.findall(r"^\S+ (\w) ([^@\s]+)", run(["nm", "-D", "--defined-only", path]), re.MULTILINE)
        leaked = [name for kind, name in shown if kind == "u" or (
            name.startswith("_Z") and not re.match(r"_ZNK?6gimbal|_ZT.N6gimbal", name))]
        assert not leaked, f"{path} shows {leaked}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "scratch", "cmake", "cc"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--mpiexec", help="of the MPI that the rank level was built with; without it that is left out")
    parser.add_argument("--mpicxx", help="the compiler of that MPI; without it pkg-config is not tried for ranks")
    parser.add_argument("--pin", action="store_true", help="libgimbal_pin.so was built")
    args = parser.parse_args()
    source = pathlib.Path(__file__).parent / "consumer"
    scratch = pathlib.Path(args.scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    prefix = scratch / "prefix"
    run([args.cmake, "--install", args.build, "--prefix", prefix])

    build = scratch / "consumer"
    run([args.cmake, "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={args.cc}"])
    run([args.cmake, "--build", build])
    assert "covered 1000" in run([build / "consumer"])

    folders = [str(path.parent) for path in prefix.rglob("gimbal.pc")]
    assert folders, "no gimbal.pc was installed"
    flags = run(["pkg-config", "--cflags", "--libs", "gimbal"],
                env={**os.environ, "PKG_CONFIG_PATH": folders[0]}).split()
    program = scratch / "by-pkg-config"
    run([args.cc, source / "consumer.c", "-o", program, *flags])
    libraries = next(prefix.rglob("libgimbal.so")).parent
    assert "covered 1000" in run([program], env={**os.environ, "LD_LIBRARY_PATH": str(libraries)})

    check_libraries(libraries)

    if args.mpiexec:
        check_ranks(args, source, build, folders[0], libraries)

    if args.pin:
        check_placement(prefix, build)

    library = (build / "omp_library").read_text()
    assert pathlib.Path(library).is_relative_to(prefix.resolve()) and os.path.exists(library), library
    # The installed library must find libgimbal.so by itself and must not remember where it was built.
    dynamic = run(["readelf", "-d", library])
    assert "$ORIGIN" in dynamic and args.build not in dynamic, dynamic
    said = run([prefix / "bin" / "gimbal", "run", "-t", "2", "--schedule", "gss", "--", build / "loops"])
    assert "9990000" in said and "gss" in said and "loops.c:8" in said, said
    print("installed, found by CMake and pkg-config, run from", prefix)


if __name__ == "__main__":
    main()
