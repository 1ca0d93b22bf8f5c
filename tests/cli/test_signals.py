# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals that come to `gimbal run`: the program has them as if it had been started alone, and nothing is left."""
import os
import pty
import signal
import subprocess
import threading
import time
import unittest

from support import ToolTest, with_signals
from terminal import Program

PATIENCE_S = 200

# Takes all signals as they come, and writes their numbers and values; ends after SIGUSR2, and with the tool.
LISTENER = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    printf("ready %d\n", (int)getpid());
    for (;;) {
        siginfo_t info;
        fflush(stdout);
        if (sigwaitinfo(&all, &info) < 0) continue;
        if (info.si_signo == SIGUSR2) return 0;
        printf("%d %d\n", info.si_signo, info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
    }
}
"""

# Counts what job control sends to it.
JOB = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
static void note(int number) { (void)number; (void)!write(1, "CONTINUED\n", 10); }
int main(int count, char **words) {
    (void)words;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCONT, note);
    if (count > 1) signal(SIGTSTP, SIG_IGN);
    printf("ready %d\n", (int)getpid());
    fflush(stdout);
    for (;;) pause();
}
"""

QUEUE = r"""
#include <signal.h>
#include <stdlib.h>
int main(int count, char **words) {
    union sigval value = {.sival_int = count > 3 ? atoi(words[3]) : 0};
    return sigqueue(atoi(words[1]), atoi(words[2]), value);
}
"""

def state(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0]


class Signals(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.listener = cls.compile(LISTENER, "listener")
        cls.job = cls.compile(JOB, "job")
        cls.queue = cls.compile(QUEUE, "queue")

    def start(self, *words, **more):
        process = subprocess.Popen([self.tool, "run", "--report", "off", "--", *words], cwd=self.work,
                                   env=self.environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   **more)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        # Its program ends with it: nobody reads for ever.
        patience = threading.Timer(PATIENCE_S, process.kill)
        patience.start()
        self.addCleanup(patience.cancel)
        return process

    def started(self, *words, **more):
        """@return the tool's process, and the number of the program's"""
        process = self.start(*words, **more)
        return process, int(process.stdout.readline().split()[1])

    def wait_for_state(self, pid, wanted):
        until = time.monotonic() + PATIENCE_S
        while state(pid) not in wanted:
            self.assertLess(time.monotonic(), until, f"process {pid} is {state(pid)}, not {wanted}")
            time.sleep(0.02)

    def end(self, process, status):
        self.assertEqual(process.wait(timeout=PATIENCE_S), status, process.stderr.read())
        self.assert_nothing_left()

    def test_every_one_reaches_the_program(self):
        names = "HUP INT QUIT ABRT USR1 PIPE ALRM TERM STKFLT CONT TSTP URG XCPU XFSZ VTALRM PROF WINCH IO PWR"
        numbers = [getattr(signal, f"SIG{name}") for name in names.split() if hasattr(signal, f"SIG{name}")]
        numbers += [signal.SIGRTMIN, signal.SIGRTMIN + 5, signal.SIGRTMAX]
        process, _ = self.started(self.listener)
        for number in numbers:
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), f"{int(number)} 0\n")
        process.send_signal(signal.SIGUSR2)
        self.end(process, 0)

    def test_those_of_real_time_keep_their_order_and_their_values(self):
        process, _ = self.started(self.listener)
        for value in range(1, 4):
            subprocess.run([self.queue, str(process.pid), str(int(signal.SIGRTMIN)), str(value)], check=True)
        for value in range(1, 4):
            self.assertEqual(process.stdout.readline(), f"{int(signal.SIGRTMIN)} {value}\n")
        process.send_signal(signal.SIGUSR2)
        self.end(process, 0)

    def test_one_that_the_program_does_not_expect_ends_it_and_the_tool(self):
        for number in (signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGPIPE, signal.SIGXFSZ,
                       signal.SIGRTMIN + 1):
            with self.subTest(number=number):
                process, program = self.started(self.job)
                process.send_signal(number)
                self.end(process, 128 + number)
                self.assertFalse(os.path.exists(f"/proc/{program}"))

    def test_an_alarm_that_was_set_before_the_tool_ends_the_program(self):
        """Timers survive exec, and belong to the tool then: perl -e 'alarm 5; exec @ARGV' gimbal run -- app"""
        process = self.start(self.job, preexec_fn=lambda: signal.alarm(10))
        self.end(process, 128 + signal.SIGALRM)

    def test_what_is_blocked_or_ignored_is_so_in_the_program(self):
        def prepare():
            for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGTSTP, signal.SIGALRM, signal.SIGRTMIN + 2):
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGUSR2, signal.SIGTERM, signal.SIGRTMIN + 3})
        words = ("grep", "-E", "^Sig(Blk|Ign|Cgt|Pnd)", "/proc/self/status")
        alone = subprocess.run(words, env=self.environment(), text=True, capture_output=True, check=True,
                               preexec_fn=prepare)
        process = self.start(*words, preexec_fn=prepare)
        self.assertEqual(process.communicate(timeout=PATIENCE_S)[0], alone.stdout)

    def test_a_closed_pipe_of_the_tools_own_is_not_the_programs(self):
        """Its note about a program that ignores SIGTERM cannot be written: the program goes on."""
        reader, writer = os.pipe()
        os.close(reader)
        script = self.script("trap '' TERM\necho ready $$\ntrap 'exit 9' PIPE\n"
                             "for i in 1 2 3 4 5 6 7 8; do sleep 1; done\nexit 3\n")
        process = subprocess.Popen([self.tool, "run", "--", script], cwd=self.work, env=self.environment(), text=True,
                                   stdout=subprocess.PIPE, stderr=writer)
        os.close(writer)
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=PATIENCE_S), 3)
        process.stdout.close()
        self.assert_nothing_left()

    # Where nobody could continue it the system stops no group: these have their own, with the tests for a shell.
    def test_a_stop_stops_both_and_both_go_on(self):
        tool, program = self.started(self.job, process_group=0)
        for _ in range(2):
            tool.send_signal(signal.SIGTSTP)
            self.wait_for_state(program, "T")
            self.wait_for_state(tool.pid, "T")
            tool.send_signal(signal.SIGCONT)
            self.wait_for_state(program, "SR")
            self.wait_for_state(tool.pid, "SR")
            self.assertEqual(tool.stdout.readline(), "CONTINUED\n")
        tool.send_signal(signal.SIGTERM)
        self.end(tool, 128 + signal.SIGTERM)

    def test_a_stop_that_the_program_ignores_stops_nobody(self):
        tool, program = self.started(self.job, "ignore", process_group=0)
        tool.send_signal(signal.SIGTSTP)
        tool.send_signal(signal.SIGCONT)
        self.assertEqual(tool.stdout.readline(), "CONTINUED\n")
        self.wait_for_state(tool.pid, "SR")
        self.wait_for_state(program, "SR")
        tool.send_signal(signal.SIGTERM)
        self.end(tool, 128 + signal.SIGTERM)

    def test_a_program_that_is_stopped_alone_leaves_the_tool_to_wait_for_its_end(self):
        tool, program = self.started(self.job, process_group=0)
        os.kill(program, signal.SIGTSTP)
        self.wait_for_state(program, "T")
        time.sleep(0.2)
        self.wait_for_state(tool.pid, "SR")
        os.kill(program, signal.SIGKILL)
        self.end(tool, 128 + signal.SIGKILL)

    def test_the_end_of_a_terminal_ends_the_program(self):
        """The system tells the leader of the session alone, and that is the tool: ssh -t host gimbal run -- app"""
        said = self.work / "said"
        script = self.script(f"echo $$ >> {said}\nwhile :; do sleep 0.1; done\n")
        child, terminal = pty.fork()
        if child == 0:
            os.execve(self.tool, [str(self.tool), "run", "--report", "off", "--", str(script)], self.environment())
        until = time.monotonic() + PATIENCE_S
        while not (said.exists() and said.read_text().endswith("\n")) and time.monotonic() < until:
            time.sleep(0.02)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 128 + signal.SIGHUP)
        self.assertFalse(os.path.exists(f"/proc/{said.read_text().strip()}"))
        self.assert_nothing_left()

    def test_a_signal_that_was_ignored_before_the_tool_asks_nobody_to_end(self):
        """nohup gimbal run -- app"""
        process = subprocess.Popen([self.tool, "run", "--", self.script("echo ready\nsleep 7\nexit 3\n")], cwd=self.work,
                                   env=self.environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   **with_signals(signal.SIG_IGN, signal.SIGHUP))
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        errors = process.communicate(timeout=PATIENCE_S)[1]
        self.assertEqual(process.returncode, 3)
        self.assertNotIn("SIGHUP", errors)

    def test_keys_of_a_terminal_stop_the_job_and_the_shell_goes_on(self):
        words = (f'set -m; "{self.tool}" run --report off -- "{self.job}"\n'
                 'echo "stopped: $?"\nfg\necho "ended: $?"\nread\n')
        with Program(["bash", "-c", words], self.environment(), cwd=self.work) as shell:
            shell.wait_for(lambda lines: any(line.startswith("ready") for line in lines))
            shell.press("\x1a")
            shell.wait_for(lambda lines: any("stopped: 148" in line for line in lines))
            shell.wait_for(lambda lines: any("CONTINUED" in line for line in lines))
            shell.press("\x03")
            shell.wait_for(lambda lines: any("ended: 130" in line for line in lines))
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
