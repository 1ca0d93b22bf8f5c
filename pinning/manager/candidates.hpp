// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "manager/figures.hpp"
#include "manager/registry.hpp"

namespace gimbal::pin {

/// Threads that may become workers, and those that never do: helpers of libraries, and threads that nothing of ours has
/// run in.
/// @threads the manager's
class Candidates {
public:
    /// @param period_s    a thread is looked at for so long before it is judged [s]
    /// @param left_alone  out: threads that are never placed, and why; outlives this
    Candidates(double period_s, std::vector<LeftAlone>& left_alone) : period_s_(period_s), left_alone_(left_alone) {}

    /// @errors std::bad_alloc
    void add(RecordPointer record, double now);
    void forget_ended();
    /// Takes those out that compute; the main thread only where others do, and then first.
    /// @param workers  how many threads compute already
    [[nodiscard]] std::vector<RecordPointer> take_ripe(double now, std::size_t workers);
    /// Whether one of them reports progress of its own.
    [[nodiscard]] bool any_counts() const noexcept;
    /// Without those that have asked to be left alone, who may ask to be placed again. [count]
    [[nodiscard]] std::size_t size() const noexcept;

    /// Looks for threads that were not made by pthread_create() or thrd_create(): by clone(), or by the C library for a
    /// timer. Their creator may have been placed, and they inherit that.
    /// @param self     the manager's own thread
    /// One that is seen while some thread is just beginning may be that one: it is looked at again, some twenty times.
    /// @param at_once  also those that are seen for the first time
    /// @param found    called once for each
    void find_unknown(Registry& registry, pid_t self, bool at_once, const std::function<void(pid_t)>& found);

private:
    struct Candidate {
        RecordPointer record;
        double begun_s = 0;       ///< when it was first seen
        std::int64_t cpu_ns = 0;  ///< when it was first seen
        bool judged = false;      ///< `helper` is known
        bool helper = false;
    };

    [[nodiscard]] bool ripe(Candidate& candidate, double now, std::size_t all);
    [[nodiscard]] bool is_helper(Candidate& candidate);
    void leave_alone(std::string name, std::string why);

    double period_s_;
    std::vector<LeftAlone>& left_alone_;
    std::vector<Candidate> all_;
    std::map<pid_t, int> unknown_;  ///< threads that nothing of ours has run in -> looks at them; or kDealtWith
};

}  // namespace gimbal::pin
