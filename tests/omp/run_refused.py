#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in a sandbox that refuses system calls (seccomp), from their start or once they have begun; libraries with
loops that are loaded to find their own functions before all others (RTLD_DEEPBIND). Loops run, and run once."""
import pathlib
import subprocess
import unittest

from tool_test import ARGUMENTS, ToolTest, environment, main

# Refuses the system calls that it is given, then runs loops for so many milliseconds, with teams of changing size. With
# "start:" before them it begins anew under the filter.
SANDBOX = """
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define CALL(name) {#name, SYS_##name}
static const struct { const char *name; int number; } kCalls[] = {
    CALL(sched_setaffinity), CALL(perf_event_open), CALL(process_vm_readv), CALL(prctl),
    CALL(openat), CALL(madvise), CALL(setpriority), CALL(getcpu), CALL(mbind), CALL(set_mempolicy),
    CALL(get_mempolicy), CALL(move_pages), CALL(tgkill), CALL(memfd_create), CALL(readlinkat), CALL(ftruncate),
    CALL(fallocate), CALL(sched_yield), CALL(getdents64), CALL(newfstatat), CALL(sysinfo)};
static int refuse(const char *names) {
    struct sock_filter filter[64];
    unsigned short length = 0;
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t k = 0; k < sizeof kCalls / sizeof kCalls[0]; ++k) {
        const char *at = strstr(names, kCalls[k].name);
        const size_t size = strlen(kCalls[k].name);
        if (!at || (at != names && at[-1] != ',') || (at[size] && at[size] != ',')) continue;
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)kCalls[k].number, 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {length, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}
static long now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}
#define LOOP(name, work) static long name(int threads) { \\
    long sum = 0; \\
    _Pragma("omp parallel for schedule(runtime) reduction(+ : sum) num_threads(threads)") \\
    for (int i = 0; i < 1000; ++i) { for (volatile int k = 0; k < (work); ++k) {} sum += i; } \\
    return sum; }
LOOP(even, 100)
LOOP(uneven, i)
LOOP(tiny, 0)
int main(int count, char **words) {
    if (count < 3) return 2;
    if (strncmp(words[1], "start:", 6) == 0) {
        char *again[] = {words[0], words[1] + 5, words[2], NULL};
        if (refuse(words[1] + 6)) return 77;
        execv("/proc/self/exe", again);
        return 78;
    }
    if (words[1][0] != ':') {
        if (tiny(2) != 499500) return 3;
        if (refuse(words[1])) return 77;
    }
    long wrong = 0;
    for (const long end = now_ms() + atol(words[2]); now_ms() < end;)
        for (int k = 0; k < 10; ++k)
            wrong += (even(2) != 499500) + (uneven(2 + k % 2) != 499500) + (tiny(2) != 499500);
    printf("wrong %ld\\n", wrong);
    return 0;
}
"""

ALL = ("sched_setaffinity,perf_event_open,process_vm_readv,prctl,madvise,setpriority,getcpu,mbind,set_mempolicy,"
       "get_mempolicy,move_pages,tgkill,memfd_create,readlinkat,ftruncate,fallocate,sched_yield,getdents64,sysinfo")

# The library's loops find the OpenMP runtime that it is linked with, if that is another one than is there.
LOADER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
    double sum = 0, own = 0;
    for (int k = 0; k < 20; ++k) {
        void *plugin = count > 1 ? dlopen(words[1], RTLD_NOW | RTLD_DEEPBIND) : NULL;
        if (!plugin) return 2;
        double (*run)(int) = (double (*)(int))dlsym(plugin, "sweep");
#pragma omp parallel for schedule(runtime) reduction(+ : own)
        for (int i = 0; i < 1000; ++i) own += i % 2;
        sum += run(1000);
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum += run(10) / 5;
    }
    printf("%g %g\\n", own, sum);
    return 0;
}
"""

PLUGIN = """
double sweep(int n) {
    double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += i % 2;
    return sum;
}
"""


class Refused(ToolTest):
    def run_sandbox(self, program, calls, milliseconds=150, pin=""):
        library = pathlib.Path(ARGUMENTS.library).resolve()
        preloaded = f"{library} {library.parent / 'libgimbal_pin.so'}" if pin else str(library)
        variables = environment(LD_PRELOAD=preloaded, OMP_NUM_THREADS="2", GIMBAL_SCHEDULE="runtime",
                                GIMBAL_PIN=pin or "off", GIMBAL_PIN_PERIOD="0.02",
                                GIMBAL_CACHE=str(self.folder / "kept"))
        result = subprocess.run([program, calls, str(milliseconds)], env=variables, text=True, capture_output=True,
                                timeout=300, cwd=self.folder)
        if result.returncode == 77:
            self.skipTest("no filter can be set here")
        self.assertEqual((result.returncode, result.stdout), (0, "wrong 0\n"), result.stderr)
        return result.stderr

    def test_loops_run_where_system_calls_are_refused(self):
        for compiler in self.compilers():
            program = self.build(compiler, SANDBOX, "-O1")
            for calls in (ALL, f"start:{ALL}", f"{ALL},openat,newfstatat"):
                with self.subTest(compiler=compiler, calls=calls):
                    said = self.run_sandbox(program, calls)
                    if "newfstatat" not in calls:  # by which standard error is known to be what it was
                        self.assertIn("gimbal", said)

    def test_placement_does_without_what_is_refused(self):
        if not (pathlib.Path(ARGUMENTS.library).resolve().parent / "libgimbal_pin.so").exists():
            self.skipTest("libgimbal_pin.so is not built")
        program = self.build(self.compilers()[0], SANDBOX, "-O1", "-DPINNED")
        for pin in ("learn", "observe"):
            for calls in ("sched_setaffinity", "perf_event_open,process_vm_readv,prctl", f"start:{ALL}",
                          f"{ALL},openat"):
                with self.subTest(pin=pin, calls=calls):
                    self.run_sandbox(program, calls, 500, pin)

    def test_libraries_that_find_their_own_functions_first(self):
        for compiler in self.compilers():
            self.build(compiler, PLUGIN, "-O1", "-shared", "-fPIC").rename(self.folder / "libdeep.so")
            program = self.build(compiler, LOADER, "-O1", "-DDEEP", "-ldl")
            for pin in (False, True):
                with self.subTest(compiler=compiler, pin=pin):
                    library = pathlib.Path(ARGUMENTS.library).resolve()
                    other = library.parent / "libgimbal_pin.so"
                    variables = environment(LD_PRELOAD=f"{library} {other}" if pin and other.exists() else str(library),
                                            GIMBAL_PIN="learn" if pin else "off", OMP_NUM_THREADS="2",
                                            GIMBAL_SCHEDULE="runtime")
                    result = subprocess.run([program, "./libdeep.so"], env=variables, text=True, capture_output=True,
                                            timeout=300, cwd=self.folder)
                    self.assertEqual((result.returncode, result.stdout), (0, "10000 10040\n"), result.stderr)


if __name__ == "__main__":
    main()
