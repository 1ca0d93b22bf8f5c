# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

from spack.package import *


class Gimbal(CMakePackage):
    """Gimbal removes load imbalance from hybrid MPI+OpenMP programs, without a change to them: a patched OpenMP runtime
    shares out the iterations of schedule(runtime) loops anew while a program runs."""

    license("Apache-2.0 WITH LLVM-exception")

    # Of a checkout: spack develop gimbal, or spack install gimbal with `url` set to where your site keeps archives.
    version("0.1.0")

    variant("mpi", default=True, description="Loops over MPI ranks, and where ranks wait in MPI")
    variant("pinning", default=True, description="Place threads on cores")
    variant("top", default=True, description="The live view of gimbal top")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+mpi")
    depends_on("cmake@3.25:", type="build")
    depends_on("git", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("protozero", type="build")
    depends_on("tomlplusplus", type="build")
    depends_on("elfutils")
    depends_on("hwloc@2:", when="+pinning")
    depends_on("mpi", when="+mpi")
    depends_on("ncurses", when="+top")
    depends_on("python@3.11:", type=("build", "run"))

    # LLVM's openmp/ and cmake/, unpatched: the patch holds insertions only.
    resource(
        name="llvm",
        url="https://deb.debian.org/debian/pool/main/l/llvm-toolchain-19/llvm-toolchain-19_19.1.7.orig.tar.xz",
        sha256="ae498f3bc58ae2d9f64ef5f0c035c4240152bf015a5b7738b15c22e93bdc97ce",
        destination="",
        placement="llvm-source",
    )

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("GIMBAL_LLVM_SOURCE", os.path.join(self.stage.source_path, "llvm-source")),
            self.define("GIMBAL_BUILD_UPSTREAM", False),
            self.define("GIMBAL_BUILD_APPS", False),
            self.define("GIMBAL_BUILD_TESTS", False),
            self.define("GIMBAL_BUILD_BENCH", False),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", self.spec.satisfies("~mpi")),
        ]
        if self.spec.satisfies("+mpi"):
            args.append(self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc))
            args.append(self.define("MPI_CXX_COMPILER", self.spec["mpi"].mpicxx))
        return args

    def test_runs_a_program(self):
        """gimbal run reports the loop of a program"""
        with working_dir(self.test_suite.stage, create=True):
            with open("loop.c", "w") as source:
                source.write(
                    "int main(void) {\n    static double x[1000];\n"
                    "#pragma omp parallel for schedule(runtime)\n"
                    "    for (int i = 0; i < 1000; ++i) x[i] = i;\n    return x[7] < 7;\n}\n"
                )
            which("cc")("-g", "-fopenmp", "loop.c", "-o", "loop")
            said = which(self.prefix.bin.gimbal)("run", "-t", "2", "--", "./loop", output=str, error=str)
            assert "auto" in said
