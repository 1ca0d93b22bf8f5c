# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Install Gimbal into a fresh prefix and use it from there only, as somebody who never saw the build tree."""
import argparse
import gzip
import os
import pathlib
import re
import shlex
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
    for name in ("ranks", "ranks_fortran") if args.fortran else ("ranks",):
        assert "sum 499500" in run([args.mpiexec, "-n", "2", build / name], env=environment), name
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


def check_headers_of_c(prefix, compilers, compilers_of_mpi):
    """Each header of C alone, in strict C, where the C library declares nothing of POSIX, and in C++.
    @param compilers, compilers_of_mpi  of C, of C++; None: there is none"""
    headers = sorted(prefix.glob("include/**/*.h"))
    need_c11 = {"known_loops.h", "hook_layout.h"}  # for what runs teams: struct timespec
    assert need_c11 <= {header.name for header in headers}, headers
    for header in headers:
        name = header.relative_to(prefix / "include")
        of_mpi = name.parts[:2] == ("gimbal", "mpi") or len(name.parts) == 1
        for language, compiler in zip(("c", "c++"), compilers_of_mpi if of_mpi else compilers):
            standards = ["c++11", "c++17"] if language == "c++" else ["c11", "c17"]
            if language == "c" and header.name not in need_c11:
                standards.append("c99")
            for standard in standards if compiler else []:
                run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                     "-I", prefix / "include", "-x", language, "-"],
                    input=f"#include <{name}>\nextern int is_not_empty;\n")


def check_headers(prefix, mpicxx, cxx):
    """Each header of C++ alone, as a program would include it; those for ranks where their MPI's compiler is known."""
    headers = sorted(prefix.glob("include/gimbal/*.hpp")) + sorted(prefix.glob("include/gimbal/mpi/*.hpp"))
    assert headers, "no headers of C++ were installed"
    for header in headers:
        compiler = mpicxx if header.parent.name == "mpi" else cxx
        if not compiler:
            continue
        text = f"#include <{header.relative_to(prefix / 'include')}>\n"
        flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fopenmp", "-fsyntax-only", "-I", prefix / "include"]
        run([compiler, *flags, "-x", "c++", "-"], input=text)


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


def check_components(args, prefix, scratch):
    """A component that does not exist is said to be that."""
    source = scratch / "unknown-component"
    source.mkdir()
    (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(unknown LANGUAGES C)\n"
                                           "find_package(gimbal REQUIRED COMPONENTS omp mpii)\n")
    done = subprocess.run([args.cmake, "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
                           f"-DCMAKE_C_COMPILER={args.cc}"], text=True, capture_output=True)
    said = " ".join(done.stderr.split())
    assert done.returncode != 0 and 'there is no component "mpii"; allowed: omp pin mpi' in said, done.stderr


def check_licences(args, scratch):
    """Who gets one component gets the licences of what it is made of."""
    for component in ("runtime", "tools", "development", *(["mpi"] if args.mpiexec else [])):
        prefix = scratch / f"component-{component}"
        run([args.cmake, "--install", args.build, "--component", component, "--prefix", prefix])
        documents = prefix / "share/doc/gimbal"
        assert "Apache License" in (documents / "LICENSE").read_text(), component
        notices = (documents / "THIRD-PARTY-NOTICES.txt").read_text()
        for name, words in (("CLI11", "Neither the name of the University"), ("JSON for Modern C++", "Niels Lohmann"),
                            ("toml++", "Mark Gillard"), ("protozero", "Mapbox")):
            assert f"\n{name}: https://" in notices and words in notices, f"{component}: {name}"
        assert "Illinois/NCSA" in (documents / "LLVM-OPENMP-LICENSE.TXT").read_text(), component


def check_links(documents):
    """Every relative link of the installed documents leads to a file."""
    for document in documents.rglob("*.md"):
        text = re.sub(r"^(    [^\n]*|```.*?^```)$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if not re.match(r"[a-z]+:|#", link):
                assert (document.parent / link.split("#")[0]).exists(), f"{document}: {link} leads nowhere"
    for name in ("tools/campaign", "mpi_layer/fortran"):  # named without a link
        assert (documents / name / "README.md").exists(), name


def check_documents(prefix, version):
    """Licence, documents, manual pages, completions and module files are there, and name no folder of the build."""
    documents = prefix / "share/doc/gimbal"
    check_links(documents)
    names = re.findall(r"gimbal\\-(\w+)", gzip.decompress((prefix / "share/man/man1/gimbal.1.gz").read_bytes()).decode()
                       .split(".SH SEE ALSO")[1])
    assert {"run", "check", "tune", "campaign"} <= set(names), names
    pages = [f"share/man/man1/gimbal{name}.1.gz" for name in ("-preload", *(f"-{name}" for name in names))]
    for name in [documents / "LICENSE", documents / "docs/user-guide.md", "share/bash-completion/completions/gimbal",
                 "share/zsh/site-functions/_gimbal", f"share/modulefiles/gimbal/{version}",
                 f"share/modulefiles/gimbal/{version}.lua", "bin/gimbal-preload", *pages]:
        assert (prefix / name).stat().st_size > 0, name
    page = gzip.decompress((prefix / "share/man/man1/gimbal-run.1.gz").read_bytes()).decode()
    for said in (".TH gimbal\\-run 1", "GIMBAL_SCHEDULE", "\\-\\-schedule", ".SH EXAMPLES"):
        assert said in page, said
    for command, said, unsaid in (("tune", "NAME: VALUES", "gimbal top"),
                                  ("campaign", ".SH campaign run\n", "gimbal top"),
                                  ("check", "\\fB\\-\\-json\\fR\n", "VALUE")):
        page = gzip.decompress((prefix / f"share/man/man1/gimbal-{command}.1.gz").read_bytes()).decode()
        assert said in page and unsaid not in page, page
    completions = prefix / "share/bash-completion/completions/gimbal"

    def completed(*words):
        script = ('. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gimbal; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return run(["bash", "-c", script, "bash", completions, *words]).split()

    assert {"run", "report", "top"} <= set(completed("gimbal", "")), completed("gimbal", "")
    assert completed("gimbal", "run", "--sched") == ["--schedule"], completed("gimbal", "run", "--sched")
    assert "fac2" in completed("gimbal", "run", "--schedule", "fa"), completed("gimbal", "run", "--schedule", "fa")
    assert completed("gimbal", "info", "tech") == ["techniques"], completed("gimbal", "info", "tech")
    assert completed("gimbal", "tune", "--metr") == ["--metric-regex"], completed("gimbal", "tune", "--metr")
    assert completed("gimbal", "campaign", "run", "--re") == ["--retry"], completed("gimbal", "campaign", "run", "--re")
    assert "--html" in completed("gimbal", "report", "--json", "--"), completed("gimbal", "report", "--json", "--")
    if shutil.which("man"):
        said = run(["man", "--warnings", "-l", prefix / "share/man/man1/gimbal-run.1.gz"],
                   env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C"})
        assert "warning" not in said.split("NAME")[0], said[:500]


def check_moved(prefix, scratch, source, args):
    """The installed tree works after it is moved, and with blanks in its name."""
    moved = scratch / "a prefix that was moved"
    prefix.rename(moved)
    tool = moved / "bin" / "gimbal"
    program = scratch / "moved-loops"
    run([args.cc, "-g", "-fopenmp", source / "loops.c", "-o", program])
    said = run([tool, "run", "-t", "2", "--schedule", "gss", "--", program])
    assert "gss" in said and "loops.c:8" in said, said
    assert run([tool, "campaign", "--help"])
    folder = next(moved.rglob("gimbal.pc")).parent
    flags = run(["pkg-config", "--cflags", "--libs", "gimbal"], env={**os.environ, "PKG_CONFIG_PATH": str(folder)})
    program = scratch / "moved-consumer"
    run([args.cc, source / "consumer.c", "-o", program, *shlex.split(flags)])
    libraries = next(moved.rglob("libgimbal.so")).parent
    assert "covered 1000" in run([program], env={**os.environ, "LD_LIBRARY_PATH": str(libraries)})
    build = scratch / "moved consumer"
    run([args.cmake, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={moved}", f"-DCMAKE_C_COMPILER={args.cc}"])
    run([args.cmake, "--build", build, "--target", "consumer"])
    assert "covered 1000" in run([build / "consumer"])
    for path in moved.rglob("*"):
        if path.is_file() and path.suffix in (".cmake", ".pc", "", ".lua"):
            assert str(prefix).encode() not in path.read_bytes(), f"{path} names the prefix that it was installed to"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "scratch", "cmake", "cc", "cxx"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--mpiexec", help="of the MPI that the rank level was built with; without it that is left out")
    parser.add_argument("--mpicc", help="the C compiler of that MPI; without it headers for ranks are not read as C")
    parser.add_argument("--fortran", action="store_true", help="libgimbal_fortran.so was built")
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
        f"-DCMAKE_C_COMPILER={args.cc}", f"-DCONSUMER_FORTRAN={'ON' if args.fortran else 'OFF'}"])
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
    check_headers(prefix, args.mpicxx, args.cxx)
    check_headers_of_c(prefix, (args.cc, args.cxx), (args.mpicc, args.mpicxx))
    check_components(args, prefix, scratch)
    check_licences(args, scratch)

    if args.mpiexec:
        check_ranks(args, source, build, folders[0], libraries)

    if args.pin:
        check_placement(prefix, build)

    library = (build / "omp_library").read_text()
    assert pathlib.Path(library).is_relative_to(prefix.resolve()) and os.path.exists(library), library
    # The installed library must find libgimbal.so by itself and must not remember where it was built.
    dynamic = run(["readelf", "-d", library])
    assert "$ORIGIN" in dynamic and args.build not in dynamic, dynamic
    assert args.build.encode() not in pathlib.Path(library).read_bytes(), "libomp.so names the folder of the build"
    assert "libstdc++" not in run(["readelf", "-d", prefix / "bin" / "gimbal"])
    said = run([prefix / "bin" / "gimbal", "run", "-t", "2", "--schedule", "gss", "--", build / "loops"])
    assert "9990000" in said and "gss" in said and "loops.c:8" in said, said
    check_documents(prefix, run([prefix / "bin" / "gimbal", "--version"]).split()[-1])
    check_moved(prefix, scratch, source, args)
    print("installed, found by CMake and pkg-config, run from there, moved and run again")


if __name__ == "__main__":
    main()
