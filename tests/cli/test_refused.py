# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal run`: programs that are refused before the start, and those beside them that are not."""
import os
import pathlib
import re
import struct
import subprocess
import unittest

from support import ToolTest


class Refusals(ToolTest):
    def refused(self, program, *says, env=None):
        result = self.gimbal("run", "--", program, env=env)
        self.assertEqual(result.returncode, 2, result.stderr)
        for text in says:
            self.assertIn(text, result.stderr)

    def test_static_programs(self):
        self.refused(self.compile("int main(void) { return 0; }", "fixed", "-static"), "linked statically")

    def test_programs_of_another_c_library(self):
        self.refused(self.compile("int main(void) { return 0; }", "musl", "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"),
                     "musl", "glibc")

    def test_a_dynamic_linker_starts_the_program_that_it_is_told(self):
        program = self.compile("int main(void) { return 3; }", "told")
        linker = re.search(r"interpreter: (/[^]]+)\]", subprocess.run(["readelf", "-lW", program], capture_output=True,
                                                                     text=True, check=True).stdout)[1]
        for words in ((program,), ("--inhibit-cache", program)):
            result = self.gimbal("run", "--report", "off", "--", linker, *words)
            self.assertEqual((result.returncode, result.stderr), (3, ""))

    def test_static_programs_that_are_position_independent(self):
        try:
            program = self.compile("int main(void) { return 0; }", "static-pie", "-static-pie", "-fPIE")
        except subprocess.CalledProcessError:
            self.skipTest("the C compiler cannot link with -static-pie")
        self.refused(program, "linked statically")

    def rights_count(self):
        """Skip where files give programs no rights, or this user cannot have such files."""
        if os.getuid() != 0:
            self.skipTest("only root can give a file to another user, or capabilities")
        if os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest("the folder for temporary files is mounted nosuid")
        if "NoNewPrivs:\t1" in pathlib.Path("/proc/self/status").read_text():
            self.skipTest("this process may not get new rights (no_new_privs)")

    def test_programs_with_the_rights_of_others(self):
        self.rights_count()
        for bits, said in ((0o4755, "setuid"), (0o2755, "setgid")):
            program = self.compile("int main(void) { return 0; }", "other-user")
            os.chown(program, 65534, 65534)
            program.chmod(bits)
            self.refused(program, f"runs with other rights than yours ({said})")
            checked = self.gimbal("check", program)
            self.assertEqual(checked.returncode, 1)
            self.assertIn(f"({said})", checked.stdout)
            program.unlink()

    def test_bits_that_lead_to_the_same_user_and_group_change_nothing(self):
        program = self.compile("int main(void) { return 4; }", "same-user")
        program.chmod(0o6755)
        self.assertEqual(self.gimbal("run", "--report", "off", "--", program).returncode, 4)
        self.assertEqual(self.gimbal("check", program).returncode, 0)

    def test_programs_with_file_capabilities(self):
        self.rights_count()
        program = self.compile("int main(void) { return 5; }", "capable")
        try:  # cap_net_raw, permitted and effective
            os.setxattr(program, "security.capability", struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))
        except OSError as error:
            self.skipTest(f"files cannot be given capabilities: {error}")
        # Root has them already.
        self.assertEqual(self.gimbal("run", "--report", "off", "--", program).returncode, 5)
        for path in (self.folder, self.folder / "bin", self.folder / "lib"):
            path.chmod(0o755)
        for command, status in ("run", 2), ("check", 1):
            words = ["--", program] if command == "run" else [program]
            result = subprocess.run([self.tool, command, *words], env=self.environment(), cwd="/", text=True,
                                    capture_output=True, timeout=60, user=65534, group=65534, extra_groups=[])
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn("runs with other rights than yours (file capabilities)", result.stdout + result.stderr)

    def test_a_second_runtime_in_a_library(self):
        self.compile("void __kmpc_fork_call(void) {}", "libother.so", "-shared", "-fPIC")
        program = self.compile("void __kmpc_fork_call(void); int main(void) { __kmpc_fork_call(); return 0; }", "twice",
                               f"-L{self.folder}", "-l:libother.so", f"-Wl,-rpath,{self.folder}")
        self.refused(program, "second OpenMP runtime", str(self.folder / "libother.so"))

    def test_what_only_libiomp5_has(self):
        self.compile("", "lib/libiomp5.so", "-shared", "-fPIC", "-Wl,-soname,libiomp5.so")
        self.compile("void __kmpc_fork_call(void) {} void __kmpc_magic(void) {} void omp_of_mine(void) {}",
                     "libiomp5.so", "-shared", "-fPIC", "-Wl,-soname,libiomp5.so")
        self.compile("void omp_of_mine(void) {}", "libmine.so", "-shared", "-fPIC")
        flags = ("-Wl,--no-as-needed", f"-L{self.folder}", "-l:libiomp5.so", "-l:libmine.so", f"-Wl,-rpath,{self.folder}")
        main = "void {0}(void); int main(int n, char **w) {{ (void)w; if (n > 9) {0}(); return 0; }}"
        for name in ("__kmpc_fork_call", "omp_of_mine"):
            self.assertEqual(self.gimbal("run", "--", self.compile(main.format(name), "fine", *flags)).returncode, 0, name)
        self.refused(self.compile(main.format("__kmpc_magic"), "magic", *flags),
                     "functions of libiomp5 that libomp does not have: __kmpc_magic")

    def test_a_runtime_that_ld_preload_names_stays_idle_or_is_refused(self):
        self.compile("", "lib/libiomp5.so", "-shared", "-fPIC", "-Wl,-soname,libiomp5.so")
        source = "void __kmpc_fork_call(void) { __builtin_trap(); } void __kmpc_magic(void) {}"
        intel = self.compile(source, "libiomp5.so", "-shared", "-fPIC", "-Wl,-soname,libiomp5.so")
        other = self.compile(source, "libother.so", "-shared", "-fPIC")
        program = self.compile("void __kmpc_fork_call(void) __attribute__((weak)); "
                               "int main(void) { __kmpc_fork_call(); return 7; }", "called")
        result = self.gimbal("run", "--report", "off", "--", program, env={"LD_PRELOAD": str(intel)})
        self.assertEqual((result.returncode, result.stderr), (7, ""))
        result = self.gimbal("run", "--", program, env={"LD_PRELOAD": f"{intel}:{other}"})
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"second OpenMP runtime would run in the process: {other}", result.stderr)
        self.assertIn("LD_PRELOAD names it", result.stderr)
        self.compile("void __kmpc_magic(void); void use(void) { __kmpc_magic(); }", "libuse.so", "-shared", "-fPIC")
        magic = self.compile("void use(void); int main(int n, char **w) { (void)w; if (n > 9) use(); return 0; }",
                             "magic", f"-L{self.folder}", "-l:libuse.so", f"-Wl,-rpath,{self.folder}",
                             "-Wl,--allow-shlib-undefined")
        result = self.gimbal("run", "--", magic, env={"LD_PRELOAD": str(intel)})
        self.assertEqual(result.returncode, 2)
        self.assertIn("functions of libiomp5 that libomp does not have: __kmpc_magic", result.stderr)

    def test_a_libomp_of_llvms_own_name_is_replaced(self):
        self.compile("", "lib/libomp_unversioned.so", "-shared", "-fPIC", "-Wl,-soname,libomp.so")
        self.compile("void __kmpc_fork_call(void) { __builtin_trap(); } void __kmpc_magic(void) {}", "libomp.so",
                     "-shared", "-fPIC", "-Wl,-soname,libomp.so")
        flags = (f"-L{self.folder}", "-lomp", f"-Wl,-rpath,{self.folder}")
        main = "void {0}(void); int main(int n, char **w) {{ (void)w; if (n {1}) {0}(); return 0; }}"
        program = self.compile(main.format("__kmpc_fork_call", "> 0"), "called", *flags)
        magic = self.compile(main.format("__kmpc_magic", "> 9"), "magic", *flags)
        self.refused(magic, "functions of another libomp that Gimbal's, of LLVM 19, does not have: __kmpc_magic")
        for there in ("installed", "missing"):
            with self.subTest(there):
                result = self.gimbal("run", "--", program)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(self.gimbal("check", program).returncode, 0)
            (self.folder / "libomp.so").unlink(missing_ok=True)

    def test_a_libomp_whose_path_is_written_into_the_program_is_not_replaced(self):
        self.compile("", "lib/libomp_unversioned.so", "-shared", "-fPIC", "-Wl,-soname,libomp.so")
        (self.folder / "there").mkdir()
        other = self.compile("void __kmpc_fork_call(void) {}", "there/libomp.so", "-shared", "-fPIC")
        program = self.compile("void __kmpc_fork_call(void); int main(void) { __kmpc_fork_call(); return 0; }",
                               "pathed", str(other))
        self.refused(program, "second OpenMP runtime", str(other))

    def test_a_libomp_that_has_been_given_the_name_of_libgomp(self):
        """As conda has it: a link to a library whose own name is another."""
        other = self.compile("void GOMP_parallel(void) { __builtin_trap(); } void __kmpc_fork_call(void) {}",
                             "libllvm.so", "-shared", "-fPIC", "-Wl,-soname,libgomp.so.1")
        link = self.folder / "libgomp.so.1"
        link.unlink(missing_ok=True)
        link.symlink_to(other)
        self.addCleanup(link.unlink)
        program = self.compile("void GOMP_parallel(void); int main(void) { GOMP_parallel(); return 0; }", "linked",
                               str(link), f"-Wl,-rpath,{self.folder}")
        self.assertEqual(self.gimbal("run", "--", program).returncode, 0)

    def test_a_libomp_of_another_origin_is_not_gimbals(self):
        """In a prefix with a compiler beside it; and without Gimbal's."""
        own = self.folder / "lib" / "gimbal" / "libomp.so"
        own.parent.mkdir()
        self.libomp.rename(own)
        try:
            self.compile("void __kmpc_fork_call(void) {} void GOMP_parallel(void) {}", "lib/libomp.so", "-shared",
                         "-fPIC", "-Wl,-soname,libomp.so")
            self.assertIn(f"{own}\n", self.gimbal("info", "build").stdout)
            away = own.rename(own.with_suffix(".away"))
            self.assertIn(f"none (looked for {own}, ", self.gimbal("info", "build").stdout)
            said = self.gimbal("run", "--", "true").stderr
            self.assertIn("lib/libomp.so (a libomp that is there is not Gimbal's)\n", said)
            away.rename(own)
        finally:
            own.rename(self.libomp)
            own.parent.rmdir()

    def test_a_second_runtime_in_the_program(self):
        program = self.compile("void __kmpc_fork_call(void) {} int main(void) { return 0; }", "inside")
        self.refused(program, "inside the program itself")

    def test_the_mpi_is_where_its_own_functions_are(self):
        """Neither a variable that the linker copies into a program nor a wrapper of MPI_Init() is an MPI."""
        self.compile("int ompi_mpi_comm_world = 1; void PMPI_Init(void) {} void MPI_Init(void) {}", "libmpi.so.40",
                     "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40")
        self.compile("void PMPI_Init(void); void MPI_Init(void) { PMPI_Init(); }", "libwrapper.so", "-shared", "-fPIC")
        program = self.compile("extern int ompi_mpi_comm_world; void MPI_Init(void);"
                               "int main(void) { MPI_Init(); return ompi_mpi_comm_world - 1; }", "copies",
                               "-fno-pie", "-no-pie", f"-L{self.folder}", "-l:libwrapper.so", "-l:libmpi.so.40",
                               f"-Wl,-rpath,{self.folder}")
        symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
        self.assertIn("B ompi_mpi_comm_world", symbols)
        self.assertIn(f"Open MPI ({self.folder}/libmpi.so.40)", self.gimbal("check", program).stdout)

    def test_the_check_advises_no_more_ranks_than_processors(self):
        self.compile("void PMPI_Init(void) {}", "libmpich.so.12", "-shared", "-fPIC", "-Wl,-soname,libmpich.so.12")
        program = self.compile("void PMPI_Init(void); __attribute__((weak)) void GOMP_loop_runtime_start(void);"
                               "int main(int n, char **w) { (void)w; PMPI_Init(); if (n > 9) GOMP_loop_runtime_start();"
                               "return 0; }", "ranked", f"-L{self.folder}", "-l:libmpich.so.12",
                               f"-Wl,-rpath,{self.folder}")
        usable = os.sched_getaffinity(0)
        try:
            os.sched_setaffinity(0, {min(usable)})
            said = self.gimbal("check", program).stdout
        finally:
            os.sched_setaffinity(0, usable)
        self.assertIn(f"gimbal run -n 1 -- {program}\n", said)

    def test_the_check_says_that_it_does_not_see_what_is_loaded_later(self):
        program = self.compile("int main(void) { return 0; }", "empty")
        self.assertIn("Libraries that it loads while it runs (dlopen, modules of Python) are not seen: gimbal check "
                      "LIBRARY.so", self.gimbal("check", program).stdout)
        self.assertIn("it calls no OpenMP (was it built with -fopenmp?)", self.gimbal("check", program).stdout)
        library = self.compile("void nothing(void) {}", "libempty.so", "-shared", "-fPIC")
        self.assertNotIn("loads while it runs", self.gimbal("check", library).stdout)

    def test_the_check_says_as_the_run_does_where_the_runtime_is_missing(self):
        program = self.compile("void GOMP_parallel(void); int main(void) { GOMP_parallel(); return 0; }", "usual",
                               "-fPIC", str(self.libomp))
        away = self.libomp.with_suffix(".away")
        self.libomp.rename(away)
        try:
            checked = [self.gimbal("check", *words, program) for words in ((), ("--json",))]
        finally:
            away.rename(self.libomp)
        for result in checked:
            self.assertEqual(result.returncode, 1)
            self.assertIn("the patched OpenMP runtime was not found", result.stdout)
            self.assertNotIn("side by side", result.stdout)
        self.assertIn("looked for /", checked[0].stdout)
        self.assertIn(f"{self.libomp}\n", checked[0].stdout)

    def test_functions_that_only_libgomp_has(self):
        self.compile("void GOMP_parallel(void) {} void GOMP_magic(void) {} void GOMP_target_data(void) {} "
                     "void GOMP_warning(void) {} void GOMP_error(void) {}",
                     "libgomp.so.1", "-shared", "-fPIC", "-Wl,-soname,libgomp.so.1")
        flags = (str(self.folder / "libgomp.so.1"), f"-Wl,-rpath,{self.folder}")
        main = "int main(int n, char **w) {{ (void)w; if (n > 9) {}(); return 0; }}"
        magic = self.compile("void GOMP_magic(void); " + main.format("GOMP_magic"), "magic", *flags)
        self.refused(magic, "functions of libgomp that libomp does not have: GOMP_magic")
        for name in ("GOMP_parallel", "GOMP_target_data", "GOMP_warning", "GOMP_error"):
            program = self.compile(f"void {name}(void); " + main.format(name), "fine", *flags)
            self.assertEqual(self.gimbal("run", "--", program).returncode, 0, name)

    def test_the_address_sanitizer_comes_first(self):
        try:
            program = self.compile("int main(void) { return 0; }", "sanitized", "-fsanitize=address")
        except subprocess.CalledProcessError:
            self.skipTest("the compiler has no address sanitizer")
        result = self.gimbal("run", "--", program)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("runtime does not come first", result.stderr)

    def test_the_check_never_starts_the_program(self):
        trace = self.work / "count"
        source = ('#include <stdio.h>\n'
                  'int main(void) { FILE *f = fopen("count", "a"); fputs("x", f); return fclose(f); }')
        self.assertEqual(self.gimbal("run", "--", self.compile(source, "counting")).returncode, 0)
        self.assertEqual(trace.read_text(), "x")


if __name__ == "__main__":
    unittest.main()
