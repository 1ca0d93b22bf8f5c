// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>
#include <vector>

#include "gimbal/topology.h"

namespace gimbal {

/// How far apart the processors of a machine are, as far as their threads notice. Never changes.
/// @threads every member may be called concurrently
class Topology {
public:
    /// Flat: nothing is known, and all processors are equally far from each other.
    Topology() = default;

    /// @param places  [processors] places[c] is where processor number c of the operating system stands
    explicit Topology(std::vector<gimbal_cpu_place> places) noexcept : places_(std::move(places)) {}

    /// The smallest thing that two processors share.
    /// @param cpu_a, cpu_b  processor numbers of the operating system; any number: -1 is a worker nobody has located
    /// @return 0 same core, 1 same cache of level 2, 2 same cache of level 3, 3 same NUMA node, 4 same package,
    ///         5 none of these or unknown; a number >= 0 is at 0 from itself, a negative one at 5 from everything
    /// @errors none  @cost O(1), no lock
    [[nodiscard]] unsigned distance(int cpu_a, int cpu_b) const noexcept;

    /// Somebody told us about this machine.
    [[nodiscard]] bool known() const noexcept { return !places_.empty(); }

    /// Largest known processor number + 1 [count]; 0 if nothing is known. Not all of them need exist.
    [[nodiscard]] int cpus() const noexcept { return static_cast<int>(places_.size()); }

private:
    std::vector<gimbal_cpu_place> places_;
};

/// What Topology::distance() returns when two processors share nothing that is known.
inline constexpr unsigned kFarthest = 5;

/// The machine this process runs on. Asked for when first called, so not by processes that never steal; flat, with a
/// warning in the report, when it cannot be had. Where load_topology_elsewhere is set it is flat until it is there, and
/// nobody waits. Not for the chunk path: call it when a loop is opened.
/// @return stays as it is, also when later calls return another one  @errors none
/// @threads any; without load_topology_elsewhere those who come while the first one asks wait for it
/// @cost the first call of a process takes milliseconds, or hands in a job; later ones two atomic loads
[[nodiscard]] const Topology& topology() noexcept;

/// Has `load`, which takes milliseconds and may wait for the dynamic loader, run on a thread that the program never
/// waits for. A thread that opens a loop must not wait for the loader: another one may run a library's constructor in
/// dlopen(), whose team waits for the first. @return false: it will not run
/// `process` sets it when the library is loaded, before there are threads; nullptr, in tools and tests: topology()
/// loads.
inline bool (*load_topology_elsewhere)(void (*load)()) noexcept = nullptr;

/// Wait while a thread loads the machine, for fork(), whose child would begin with a loader in the midst of something.
/// @param patience_ms  at most so long: that thread may wait for this one, which is in dlopen()  @threads any
void await_topology(int patience_ms) noexcept;

/// Let topology() return `fake`, which must outlive its use; nullptr: the machine again. For tests.
/// @threads any, but references to the earlier one stay in use
void use_topology(const Topology* fake) noexcept;

}  // namespace gimbal
