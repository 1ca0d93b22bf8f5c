# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs under libgimbal_pin.so as their users meet it: masks, children, exit status, messages, what is left."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

LIBRARY = os.environ["GIMBAL_PIN_LIBRARY"]
PROGRAMS = pathlib.Path(os.environ["PIN_PROGRAMS"])
TOOL = os.environ.get("GIMBAL_TOOL", "")
ACO = os.environ.get("ACO", "")
CPUS = sorted(os.sched_getaffinity(0))
SHM = pathlib.Path("/dev/shm")


def environment(mode, **more):
    """Pseudo-nodes of one processor each, so that every placement narrows a mask."""
    values = {name: value for name, value in os.environ.items()
              if not name.startswith(("GIMBAL_", "OMP_", "KMP_", "GOMP_"))}
    values.update({"LD_PRELOAD": LIBRARY, "GIMBAL_PIN": mode, "GIMBAL_PIN_PERIOD": "0.05", "GIMBAL_CACHE": "off",
                   "ASKS": "1"})
    values.update(more)
    return values


def run(name, *words, mode="static", preexec=None, **more):
    return subprocess.run([PROGRAMS / name, *map(str, words)], env=environment(mode, **more), capture_output=True,
                          text=True, timeout=600, preexec_fn=preexec, check=False)


def run_until(is_so, name, *words, **more):
    """Until the result is so; numbers with a point among the words are seconds, and grow from run to run. On a machine
    that is busy threads are placed late, and the placing thread may not come to its end in time."""
    for factor in (1, 5, 15):
        result = run(name, *(factor * word if isinstance(word, float) else word for word in words), **more)
        if is_so(result):
            break
    return result


def reports(text):
    return lambda result: text in result.stderr


def places_four(mode):
    return lambda result: (figures(result.stdout)["least"] == 1 and
                           f"placement: {mode}, 4 threads" in result.stderr)


def figures(text):
    return {name: int(value) for name, value in re.findall(r"([\w-]+)=(-?\d+)", text)}


def masks(pid):
    """Of all threads that are still there."""
    found = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(ProcessLookupError):
            found[int(task)] = os.sched_getaffinity(int(task))
    return found


def pages(pid=None):
    return [path for path in SHM.glob("gimbal-pin.*") if pid is None or f".{pid}." in path.name]


@unittest.skipIf(len(CPUS) < 2, "one processor: there is nowhere to go")
class Masks(unittest.TestCase):
    def test_static_places_every_thread_within_what_the_process_inherited(self):
        result = run_until(places_four("static"), "busy_pthread", 4, 2.0)
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assertEqual(figures(result.stdout)["least"], 1, result.stdout)
        self.assertIn("placement: static, 4 threads", result.stderr)

    def test_learning_stays_within_what_the_process_inherited(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run_until(places_four("learn"), "busy_pthread", 4, 2.0, mode="learn",
                               GIMBAL_PIN_TRACE=folder + "/t.csv", GIMBAL_PIN_SETTINGS="GUARD=0",
                               GIMBAL_OUTPUT=folder + "/r.json")
            self.assertEqual(result.returncode, 7, result.stderr)
            self.assertEqual(figures(result.stdout)["least"], 1)
            lines = pathlib.Path(folder, "t.csv").read_text(encoding="utf-8").splitlines()
            self.assertTrue(lines[0].startswith("time_s,tick,event,thread"))
            self.assertGreaterEqual(sum(",join," in line for line in lines), 4)
            record = json.loads(pathlib.Path(folder, "r.json").read_text(encoding="utf-8"))
            self.assertEqual(len(record["placement"]["threads"]), 4)

    def test_a_link_in_the_place_of_a_trace_is_replaced_and_not_followed(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "precious").write_text("old", encoding="utf-8")
            pathlib.Path(folder, "t.csv").symlink_to("precious")
            result = run_until(reports("placement: observe"), "busy_pthread", 2, 1.0, mode="observe",
                               GIMBAL_PIN_TRACE=folder + "/t.csv")
            self.assertEqual(result.returncode, 7, result.stderr)
            self.assertEqual(pathlib.Path(folder, "precious").read_text(encoding="utf-8"), "old")
            self.assertTrue(pathlib.Path(folder, "t.csv").read_text(encoding="utf-8").startswith("time_s,tick"))
            pathlib.Path(folder, "device.csv").symlink_to("/dev/full")
            result = run_until(reports("links are not followed"), "busy_pthread", 2, 1.0, mode="observe",
                               GIMBAL_PIN_TRACE=folder + "/device.csv")
            self.assertEqual(result.returncode, 7, result.stderr)
            self.assertIn("links are not followed", result.stderr)

    def test_observing_never_changes_a_mask(self):
        result = run_until(reports("anywhere"), "busy_pthread", 4, 1.5, mode="observe")
        seen = figures(result.stdout)
        self.assertEqual((seen["least"], seen["most"]), (len(CPUS), len(CPUS)))
        self.assertIn("anywhere", result.stderr)

    def test_a_run_that_ends_too_soon_says_so_without_a_table(self):
        for words, more in (((2, 0.05), {"GIMBAL_PIN_PERIOD": "5"}), ((2, 1), {"GIMBAL_PIN_PERIOD": "3600"})):
            for mode in ("learn", "static"):
                result = run("busy_pthread", *words, mode=mode, **more)
                self.assertRegex(result.stderr, f"placement: {mode}, no thread was placed: the run ended before .* "
                                                f"{more['GIMBAL_PIN_PERIOD']} s")
                self.assertNotIn("processors at the end", result.stderr)

    def test_a_mask_of_one_processor_is_left_as_it_is(self):
        one = {CPUS[0]}
        result = run_until(reports("2 threads on 1 processor"), "busy_pthread", 2, 1.0,
                           preexec=lambda: os.sched_setaffinity(0, one))
        self.assertIn("is respected: threads are only observed", result.stderr)
        self.assertNotIn("anywhere", result.stderr)
        self.assertIn("2 threads on 1 processor in 1 node", result.stderr)
        self.assertEqual(figures(result.stdout)["most"], 1)

    def test_forced_into_a_mask_of_one_processor_nothing_widens(self):
        one = {CPUS[0]}
        result = run("busy_pthread", 2, 1, preexec=lambda: os.sched_setaffinity(0, one), GIMBAL_PIN_FORCE="on")
        self.assertEqual(result.returncode, 7)
        self.assertEqual(figures(result.stdout)["most"], 1)
        self.assertNotIn("only observed", result.stderr)

    def test_bound_by_the_user_is_left_alone_with_one_warning(self):
        result = run_until(reports("placement: observe"), "busy_pthread", 2, 1.0, OMP_PROC_BIND="close")
        # At once, and in the report.
        self.assertEqual(result.stderr.count("OMP_PROC_BIND=close is respected"), 2, result.stderr)
        self.assertEqual(figures(result.stdout)["least"], len(CPUS))

    def test_masks_are_given_back_at_the_end_while_threads_run(self):
        result = run_until(reports("moves"), "busy_pthread", 3, 3.0, "leave",
                           LD_PRELOAD=f"{LIBRARY}:{PROGRAMS / 'liblate.so'}")
        self.assertEqual(result.returncode, 11, result.stderr)
        self.assertIn("moves", result.stderr)
        self.assertEqual(figures(result.stdout)["late"], len(CPUS))

    def test_a_quick_exit_keeps_the_report(self):
        result = run_until(reports("moves"), "busy_pthread", 3, 3.0, "quick")
        self.assertEqual(result.returncode, 11, result.stderr)
        self.assertIn("moves", result.stderr)

    def test_a_thread_that_asks_to_be_left_alone_gets_its_mask_back(self):
        def is_placed_and_left(done):
            seen = figures(done.stdout)
            return (seen["first"], seen["second"]) == (1, len(CPUS)) and "metric progress" in done.stderr

        result = run_until(is_placed_and_left, "busy_std_thread", 2, 3.0)
        self.assertEqual(result.returncode, 5)
        seen = figures(result.stdout)
        self.assertEqual((seen["first"], seen["second"]), (1, len(CPUS)), result.stderr)
        self.assertIn("metric progress", result.stderr)

    def test_a_thread_that_was_left_alone_and_asks_again_is_placed_again(self):
        result = run_until(lambda done: figures(done.stdout)["third"] == 1, "busy_std_thread", 3, 4.0)
        self.assertEqual(result.returncode, 5)
        seen = figures(result.stdout)
        self.assertEqual((seen["second"], seen["third"]), (len(CPUS), 1), result.stderr)

    def test_children_have_the_mask_that_the_thread_had_before(self):
        result = run("children")
        seen = figures(result.stdout)
        self.assertEqual(seen.pop("placed"), 1, result.stdout)
        wanted = {"fork", "fork-thread", "spawn", "vfork-execl", "fork-execv", "system", "popen", "thread", "exec"}
        self.assertEqual(seen, {how: len(CPUS) for how in wanted}, result.stderr)

    def test_whom_somebody_else_binds_is_left_there(self):
        for seconds in ("5", "25", "75"):  # as run_until()
            with subprocess.Popen([PROGRAMS / "busy_pthread", "2", seconds], env=environment("static"), text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                with contextlib.suppress(ProcessLookupError):  # it has ended
                    self.bind_a_placed_thread(process)
                _, errors = process.communicate(timeout=600)
            if "bound by another program" in errors:
                break
        self.assertIn("bound by another program", errors)

    def bind_a_placed_thread(self, process):
        """Elsewhere, and see that it stays there."""
        placed = []
        while not placed and process.poll() is None:
            time.sleep(0.05)
            placed = [(tid, mask) for tid, mask in masks(process.pid).items() if len(mask) == 1]
        for tid, mask in placed[:1]:
            other = {CPUS[1]} if mask == {CPUS[0]} else {CPUS[0]}
            os.sched_setaffinity(tid, other)
            for _ in range(20):
                time.sleep(0.05)
                self.assertEqual(os.sched_getaffinity(tid), other)


class Programs(unittest.TestCase):
    def test_a_gcc_openmp_program_computes_what_it_should(self):
        if not (PROGRAMS / "busy_openmp").exists():
            self.skipTest("no OpenMP compiler")
        for mode in ("static", "learn", "observe"):
            result = run_until(reports(f"placement: {mode}"), "busy_openmp", 1.0, mode=mode, OMP_NUM_THREADS="3")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(figures(result.stdout), {"wrong": 0, "team": 3, "some": 1})
            self.assertIn(f"placement: {mode}", result.stderr)

    def test_loops_that_gimbal_schedules_are_the_measure_without_a_word_from_the_program(self):
        if not TOOL or not (PROGRAMS / "loops_openmp").exists():
            self.skipTest("no tool, or no OpenMP compiler")
        for schedule in ("fac2", "static", "ss"):
            for seconds in (1.5, 7.5, 22.5):  # as run_until()
                placement = self.placement_of_loops(schedule, seconds)
                speeds = [thread["speed"] for thread in placement.get("threads", [])]
                if placement.get("metric") == "progress" and len(speeds) == 2 and min(speeds) > 0:
                    break
            self.assertEqual(placement.get("metric"), "progress", placement)
            self.assertIn("first pace", placement["unit"])
            self.assertEqual(len(placement["threads"]), 2)
            self.assertGreater(min(speeds), 0)

    def placement_of_loops(self, schedule, seconds):
        """What the record says; nothing if there was none in time."""
        with tempfile.TemporaryDirectory() as folder:
            record = folder + "/r.json"
            words = [TOOL, "run", "-t", "2", "--schedule", schedule, "--pin=observe", "--", PROGRAMS / "loops_openmp",
                     seconds]
            values = environment("off", GIMBAL_OUTPUT=record)
            del values["LD_PRELOAD"], values["GIMBAL_PIN"]
            result = subprocess.run(list(map(str, words)), env=values, capture_output=True, text=True, timeout=600,
                                    check=False)
            self.assertEqual((result.returncode, result.stdout), (0, "wrong=0\n"), result.stderr)
            return json.loads(pathlib.Path(record).read_text(encoding="utf-8")).get("placement", {})

    def test_a_counter_that_no_thread_can_start_is_said_and_replaced(self):
        result = run_until(reports("papi-inside"), "busy_pthread", 2, 1.5, mode="observe",
                           GIMBAL_PIN_METRIC="papi-inside")
        self.assertEqual(result.returncode, 7, result.stderr)
        if "(metric papi-inside)" not in result.stderr:  # this machine counts instructions
            self.assertIn('"papi-inside" was asked for and does not work here', result.stderr)

    def test_aco_has_the_same_answer(self):
        if not os.path.exists(ACO):
            self.skipTest("aco was not built")
        words = [ACO, "--instance", "wt40:6", "--ants", "100", "--iterations", "60", "--threads", "3", "--json"]
        answers = []
        for mode in ("off", "static", "learn"):
            result = subprocess.run(words, env=environment(mode, GIMBAL_REPORT="off"), capture_output=True, text=True,
                                    timeout=600, check=True)
            answer = json.loads(result.stdout.splitlines()[-1])
            answers.append({key: answer[key] for key in answer if "checksum" in key or key in ("best", "tardiness")})
        self.assertTrue(answers[0])
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])

    def test_off_leaves_no_trace(self):
        result = run("busy_pthread", 2, 0.3, mode="off")
        self.assertEqual((result.returncode, result.stderr), (7, ""))

    def test_a_program_of_one_thread_is_not_looked_at(self):
        result = subprocess.run(["true"], env=environment("learn"), capture_output=True, text=True, timeout=600,
                                check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_manager_cannot_be_cancelled(self):
        result = run_until(reports("placement: static, 2 threads"), "busy_pthread", 2, 2.0, "cancel")
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assertEqual(figures(result.stdout)["cancelled"], 0)
        self.assertIn("placement: static, 2 threads", result.stderr)

    def test_many_threads(self):
        result = run("busy_pthread", 200, 1.5, mode="learn")
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assertEqual(figures(result.stdout)["outside"], 0)

    def test_processes_of_one_run_have_a_trace_each(self):
        with tempfile.TemporaryDirectory() as folder:
            def traces():
                return sorted(path.name for path in pathlib.Path(folder).glob("t*.csv"))

            for number in (1, 2):
                run_until(lambda _, wanted=number: len(traces()) == wanted, "busy_pthread", 2, 0.3,
                          GIMBAL_PIN_TRACE=f"{folder}/t.csv", GIMBAL_RUN_DIR=folder)
                self.assertEqual(len(traces()), number, traces())
            self.assertRegex(traces()[0], r"^t-\d+\.csv$")
            for name in traces():
                self.assertTrue(pathlib.Path(folder, name).read_text(encoding="utf-8").startswith("time_s,tick"))

    def test_a_trace_that_cannot_be_written_ends_nothing(self):
        result = run_until(reports("/dev/full"), "busy_pthread", 2, 1.0, GIMBAL_PIN_TRACE="/dev/full")
        self.assertEqual(result.returncode, 7)
        self.assertIn("/dev/full", result.stderr)


class Settings(unittest.TestCase):
    def refused(self, *words, **more):
        result = run("busy_pthread", 2, 0.1, **more)
        self.assertEqual(result.returncode, 7, result.stderr)
        self.assertEqual(result.stderr.count("gimbal: "), 1, result.stderr)
        self.assertNotIn("placement:", result.stderr)
        for word in ("gimbal: warning: ", "without Gimbal", *words):
            self.assertIn(word, result.stderr)

    def test_what_is_wrong_is_one_warning_and_nobody_is_placed(self):
        self.refused("GIMBAL_PIN", "learn observe static", mode="lern")
        self.refused("GIMBAL_PIN_METRIC", GIMBAL_PIN_METRIC="speed")
        self.refused("GIMBAL_PIN_NODES", GIMBAL_PIN_NODES="0-")
        self.refused("GIMBAL_PIN_NODES", GIMBAL_PIN_NODES="0;60000")
        self.refused("GIMBAL_PIN_RESERVE", GIMBAL_PIN_RESERVE="zero")
        self.refused("GIMBAL_PIN_SETTINGS", "RESOURCES", GIMBAL_PIN_SETTINGS="RESOURCE=1")
        self.refused("GIMBAL_PIN_SETTINGS", GIMBAL_PIN_SETTINGS="GUARD")
        self.refused("GIMBAL_PIN_PERIOD", GIMBAL_PIN_PERIOD="0")

    def test_without_strictness_the_program_runs(self):
        result = run("busy_pthread", 2, 0.3, GIMBAL_PIN_SETTINGS="RESOURCE=1", GIMBAL_STRICT="0")
        self.assertEqual(result.returncode, 7)
        self.assertIn("warning", result.stderr)

    def test_the_seeds_words_are_read(self):
        words = ('RESOURCES={"NUMA_BANDWIDTH"};RESOURCES_EST_METHODS={"RL"};RESOURCES_OPT_METHODS={"AL"};'
                 'CHILD_RESOURCES={"CPU_BANDWIDTH"};CHILD_RESOURCES_EST_METHODS={"RL"}')
        result = run("busy_pthread", 2, 1, mode="learn", GIMBAL_PIN_SETTINGS=words)
        self.assertEqual(result.returncode, 7, result.stderr)


class Traces(unittest.TestCase):
    def test_a_killed_process_leaves_nothing_behind_after_the_next_start(self):
        with subprocess.Popen([PROGRAMS / "busy_pthread", "2", "60"], env=environment("static"),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            for _ in range(1000):
                time.sleep(0.05)
                if pages(process.pid):
                    break
            self.assertTrue(pages(process.pid))
            if TOOL:
                shown = subprocess.run([TOOL, "pin", "show"], capture_output=True, text=True, timeout=600, check=True)
                self.assertIn(f"process {process.pid} ", shown.stdout)
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=600)
        self.assertTrue(pages(process.pid))
        run_until(lambda _: not pages(process.pid), "busy_pthread", 2, 2.0)
        self.assertFalse(pages(process.pid))

    def test_a_process_that_ends_removes_its_page(self):
        with subprocess.Popen([PROGRAMS / "busy_pthread", "2", "1"], env=environment("static"),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            process.wait(timeout=600)
        self.assertFalse(pages(process.pid))


if __name__ == "__main__":
    unittest.main()
