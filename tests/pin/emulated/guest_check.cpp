// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs in the emulated guest, which has hardware counters and, with several processors, two NUMA nodes. One line per
// check: "ok NAME: figures" or "FAIL NAME: figures". The first argument says what to expect: "counters" or "none".
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "act/actuator.hpp"
#include "act/memory.hpp"
#include "counters/counter_backends.hpp"
#include "counters/thread_counter.hpp"
#include "guest_support.hpp"
#include "machine/machine.hpp"
#include "machine/pu_list.hpp"

namespace {

using namespace gimbal::pin;
using namespace gimbal::pin::guest;

/// The same work twice must be about the same count, and twice the work about twice the count.
void check_backend(Backend backend, bool single) {
    const std::string name = "backend " + std::string(backend_name(backend));
    Worker* worker = new Worker;  // outlived by nothing: ended before its counter
    ThreadCounter counter;
    if (!counter.open(backend, {.pid = 0, .tid = worker->tid(), .progress = nullptr}))
        return check(name.c_str(), false, counter.error());
    worker->start_inside(counter);
    constexpr long kTurns = 10'000'000;
    const auto count = [&](long turns) {
        const Reading before = counter.read();
        worker->work_through(turns);
        const Reading after = counter.read();
        return before.valid && after.valid ? static_cast<double>(after.value - before.value) : -1.0;
    };
    const double once = count(kTurns), again = count(kTurns), twice = count(2 * kTurns);
    const double room = single ? 0.01 : 0.25;  // with several processors QEMU counts time, not instructions
    const bool ok = once > kTurns && std::abs(again / once - 1) < room && std::abs(twice / once - 2) < 2 * room;
    char text[160];
    std::snprintf(text, sizeof text, "%.0f, again %.0f, twice the work %.0f %s", once, again, twice,
                  counter.error().c_str());
    delete worker;
    check(name.c_str(), ok, text);
}

void check_cost(Backend backend) {
    ThreadCounter counter;
    const Worker worker;
    if (!counter.open(backend, {.pid = 0, .tid = worker.tid(), .progress = nullptr})) return;
    constexpr int kReads = 1000;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kReads; ++i) (void)counter.read();
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
    std::printf("cost of a reading by %s: %.1f us\n", std::string(backend_name(backend)).c_str(),
                spent.count() / kReads);
}

/// A thread that shares its processor must look about half as fast as one that does not.
void check_sharing(const Machine& machine, Backend backend) {
    Worker first, second;
    Actuator actuator(machine.allowed());
    ThreadCounter counter;
    counter.open(backend, {.pid = 0, .tid = first.tid(), .progress = nullptr});
    const std::vector<int> here{machine.allowed().back()};
    for (const Worker* worker : {&first, &second}) {
        actuator.take(worker->tid());
        actuator.place(worker->tid(), here);
    }
    const SpeedRules rules{.period_s = 0.1, .blocked_below = 0.05, .most_per_ns = 64};
    const auto speed = [&](bool shared) {
        first.begin(400'000'000);
        if (shared) second.begin(400'000'000);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const Reading before = counter.read();
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
        const Speed found = speed_between(before, counter.read(), rules);
        first.wait();
        second.wait();
        return found;
    };
    const Speed alone = speed(false), shared = speed(true);
    char text[160];
    std::snprintf(text, sizeof text, "alone %.3g/s, shared %.3g/s (%s), waiting %.2f", alone.per_s, shared.per_s,
                  std::string(verdict_name(shared.verdict)).c_str(), shared.wait_share);
    check("sharing a processor shows",
          alone.valid() && shared.valid() && shared.per_s < 0.75 * alone.per_s && shared.per_s > 0.25 * alone.per_s,
          text);
}

void check_placement(const Machine& machine) {
    Worker worker;
    Actuator actuator(machine.allowed());
    actuator.take(worker.tid());
    bool ok = true;
    std::string seen;
    for (const int pu : machine.allowed()) {
        ok = ok && actuator.place(worker.tid(), std::vector<int>{pu}) == Outcome::done;
        worker.work_through(1'000'000);
        ok = ok && worker.cpu() == pu;
        seen += std::to_string(worker.cpu()) + "(node " + std::to_string(machine.memory_of(worker.cpu())) + ") ";
    }
    check("a thread runs where it is placed", ok && actuator.restore_all() == 1, seen);
}

/// @param other  a node to come from, the same one if there is no other
void check_memory(int node, int other) {
    constexpr long kPages = 64;
    const std::size_t bytes = kPages * page_size();
    auto* at = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(at, 1, bytes);
    bind_range(at, bytes, other);
    const long before = on_node(at, bytes, node);
    const int error = bind_range(at, bytes, node);
    const long after = on_node(at, bytes, node);
    check("mbind moves a range", error == 0 && after == kPages && before == (node == other ? kPages : 0),
          "to node " + std::to_string(node) + ": " + std::to_string(before) + " of 64 pages before, " +
              std::to_string(after) + " after");
    munmap(at, bytes);

    std::vector<char> heap(100 * page_size() + 123, 1);
    const PageRange inner = inner_pages(reinterpret_cast<std::uintptr_t>(heap.data()), heap.size(), page_size());
    const int heap_error = bind_range(heap.data(), heap.size(), node);
    const long moved = on_node(reinterpret_cast<const char*>(inner.begin), inner.bytes, node);
    check("mbind moves a piece of the heap", heap_error == 0 && moved == static_cast<long>(inner.bytes / page_size()),
          std::to_string(moved) + " of " + std::to_string(inner.bytes / page_size()) + " pages");
    unbind_range(heap.data(), heap.size());

    std::thread([&] {
        const OwnPolicy own;
        const int policy_error = set_own_policy(node);
        auto* mine =
            static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        std::memset(mine, 1, bytes);
        const long touched = on_node(mine, bytes, node);
        check("a thread's own policy holds", policy_error == 0 && touched == kPages && own.restore() == 0,
              std::to_string(touched) + " of 64 pages on node " + std::to_string(node));
        munmap(mine, bytes);
        const PageRange stack = own_stack();
        const int local = 0;
        const void* here[] = {&local};
        int before[] = {-1}, where[] = {-1};
        pages_on(here, before);
        const int stack_error = bind_range(reinterpret_cast<void*>(stack.begin), stack.bytes, node);
        pages_on(here, where);
        check("a thread's stack moves", stack_error == 0 && where[0] == node,
              "from node " + std::to_string(before[0]) + " to " + std::to_string(where[0]) + ", error " +
                  std::to_string(stack_error));
    }).join();
}

/// What each node has left: where it is nothing, pages go to another one without an error.
void show_free_memory(const Machine& machine) {
    for (const int memory : machine.inventory().memories) {
        std::ifstream file("/sys/devices/system/node/node" + std::to_string(memory) + "/meminfo");
        for (std::string line; std::getline(file, line);)
            if (line.find("MemFree") != std::string::npos) std::printf("%s\n", line.c_str());
    }
}

bool write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    return static_cast<bool>(file << text << std::flush);
}

/// A control group of our own loses processors while a thread is placed on one of them, and gets them back.
void check_cpuset() {
    const std::string top = "/sys/fs/cgroup", group = top + "/gimbal";
    mount("none", top.c_str(), "cgroup2", 0, nullptr);
    write_file(top + "/cgroup.subtree_control", "+cpuset");
    mkdir(group.c_str(), 0755);
    if (!write_file(group + "/cpuset.cpus", "0-3") || !write_file(group + "/cgroup.procs", std::to_string(getpid()))) {
        std::printf("skipped: no control groups in this guest\n");
        return;
    }
    Machine machine;
    Worker worker;
    Actuator actuator(machine.allowed());
    actuator.take(worker.tid());
    actuator.place(worker.tid(), std::vector<int>{3});
    write_file(group + "/cpuset.cpus", "0-1");
    const Outcome early = actuator.place(worker.tid(), std::vector<int>{2});
    check("processors that went away ask for a refresh", early == Outcome::refresh, std::string(outcome_name(early)));
    const Holder seen = actuator.check(worker.tid());
    const MachineChange change = machine.refresh();
    actuator.set_ceiling(machine.allowed());
    check("a control group that shrinks is not taken for a wish",
          seen == Holder::kernel && change.gone == std::vector<int>{2, 3} && actuator.take_warnings().empty(),
          change.text());
    const Outcome moved = actuator.place(worker.tid(), std::vector<int>{1});
    worker.work_through(1'000'000);
    check("the thread is placed on what is left", moved == Outcome::done && worker.cpu() == 1,
          "it runs on " + std::to_string(worker.cpu()));
    write_file(group + "/cpuset.cpus", "0-3");
    const MachineChange back = machine.refresh();
    actuator.set_ceiling(machine.allowed());
    const Holder after = actuator.check(worker.tid());
    const Outcome again = actuator.place(worker.tid(), std::vector<int>{3});
    worker.work_through(1'000'000);
    check("it may go back when the group grows",
          back.come == std::vector<int>{2, 3} && (after == Holder::ours || after == Holder::kernel) &&
              again == Outcome::done && worker.cpu() == 3,
          back.text());
    write_file(top + "/cgroup.procs", std::to_string(getpid()));
}

}  // namespace

int main(int argc, char** argv) {
    const bool counters = argc < 2 || std::strcmp(argv[1], "none") != 0;
    const Machine machine;
    const bool single = machine.allowed().size() == 1;
    std::printf("%s: processors %s, %zu memories\n", machine.inventory().source.c_str(),
                pu_list_text(machine.allowed()).c_str(), machine.inventory().memories.size());
    check("the tree has the machine's nodes", machine.place().inside.size() == (single ? 1U : 2U),
          std::to_string(machine.place().inside.size()));
    check("the kernel allows the same memories",
          allowed_memories().size() == std::max<std::size_t>(1, machine.inventory().memories.size()) || single,
          pu_list_text(allowed_memories()));
    const BackendChoice choice = choose_backend();
    std::printf("%s\n", choice.text().c_str());
    check("the backends finds what there is",
          counters ? choice.backend == Backend::papi_attach : choice.backend == Backend::cpu_time,
          std::string(backend_name(choice.backend)));
    if (counters) {
        for (const Backend backend : {Backend::papi_attach, Backend::papi_inside, Backend::perf_instructions}) {
            check_backend(backend, single);
            check_cost(backend);
        }
    }
    check_cost(Backend::cpu_time);
    show_free_memory(machine);
    check_sharing(machine, choice.backend);
    check_placement(machine);
    if (!single) check_cpuset();
    const std::vector<int>& memories = machine.inventory().memories;
    for (std::size_t i = 0; i < memories.size(); ++i) check_memory(memories[i], memories[(i + 1) % memories.size()]);
    if (!single) {
        check_huge_pages(memories.front(), memories.back());
        check_learning(machine, choice.backend);
    }
    std::printf("%s: %d failed\n", failures == 0 ? "PASS" : "FAILED", failures);
    return failures == 0 ? 0 : 1;
}
