// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "topology/topology.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <new>

#include "base/own_state.hpp"
#include "topology/provider.hpp"

namespace gimbal {

namespace {

// The process that asked for the machine; 0: nobody has.
std::atomic<pid_t> asked_by = 0;
// Somebody in this process, or in one it was forked from, is at it or was.
std::atomic<bool> begun = false;
// The answer, once it is there; never destroyed, for loops may run until the very end of the process.
std::atomic<const Topology*> machine = nullptr;
std::atomic<const Topology*> instead = nullptr;

bool same(std::int32_t a, std::int32_t b) noexcept {
    return a >= 0 && a == b;
}

/// Room for an object that is never destroyed, and needs no memory to be made.
using Room = std::array<std::byte, sizeof(Topology)>;

const Topology& nothing_known() noexcept {
    alignas(Topology) static Room room;
    static const Topology* const made = new (room.data()) Topology;
    return *made;
}

const Topology& publish(const Topology& made) noexcept {
    const Topology* first = nullptr;
    // Release: with the acquire loads of `machine` in topology() and first_use().
    if (machine.compare_exchange_strong(first, &made, std::memory_order_acq_rel, std::memory_order_acquire))
        return made;
    return *first;
}

void load() noexcept {
    alignas(Topology) static Room room;
    if (!begun.exchange(true)) (void)publish(*new (room.data()) Topology(load_topology(provider_path())));
}

const Topology& first_use() noexcept {
    const NotCancelled uncancelled;
    const pid_t here = getpid();
    pid_t earlier = asked_by.load();
    // A child forked while a thread of its parent was at it: nobody here will ever answer, and the locks that thread
    // held inside hwloc stay locked.
    if (earlier != here && begun.load() && !machine.load(std::memory_order_acquire)) return publish(nothing_known());
    const bool first = earlier != here && asked_by.compare_exchange_strong(earlier, here);
    if (load_topology_elsewhere) {
        if (first && !load_topology_elsewhere(load)) return publish(nothing_known());
        return nothing_known();
    }
    if (first) load();
    const Topology* answer = nullptr;
    while (!(answer = machine.load(std::memory_order_acquire))) usleep(100);
    return *answer;
}

}  // namespace

unsigned Topology::distance(int cpu_a, int cpu_b) const noexcept {
    if (cpu_a < 0 || cpu_b < 0) return kFarthest;
    if (cpu_a == cpu_b) return 0;
    if (cpu_a >= cpus() || cpu_b >= cpus()) return kFarthest;
    const gimbal_cpu_place& a = places_[static_cast<std::size_t>(cpu_a)];
    const gimbal_cpu_place& b = places_[static_cast<std::size_t>(cpu_b)];
    if (same(a.core, b.core)) return 0;
    if (same(a.l2, b.l2)) return 1;
    if (same(a.l3, b.l3)) return 2;
    if (same(a.numa, b.numa)) return 3;
    if (same(a.package, b.package)) return 4;
    return kFarthest;
}

const Topology& topology() noexcept {
    // Acquire: with the release of use_topology(), and with that of publish().
    if (const Topology* fake = instead.load(std::memory_order_acquire)) return *fake;
    if (const Topology* answer = machine.load(std::memory_order_acquire)) return *answer;
    return first_use();
}

void await_topology(int patience_ms) noexcept {
    for (int waited = 0; waited < patience_ms && begun.load() && !machine.load(std::memory_order_acquire); ++waited)
        usleep(1000);
}

void use_topology(const Topology* fake) noexcept {
    instead.store(fake, std::memory_order_release);  // with the acquire load in topology()
}

}  // namespace gimbal
