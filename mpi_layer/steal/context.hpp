// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>

#include "gimbal/mpi/steal_loop.hpp"
#include "steal/mailbox.hpp"
#include "steal/node_queues.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

/// [s] of a clock that never goes back.
[[nodiscard]] inline double steal_clock() noexcept {
#if defined(GIMBAL_SIMULATED_RANKS)
    return static_cast<double>(gimbal_rank_ticks()) * 1e-9;  // of virtual time
#else
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

/// A callback has returned that ended MPI or freed the communicator: the group and its team are gone, and run() is left
/// without touching them.
struct GroupGone {};

/// Calls the program's callbacks, until one throws; none is called after that.
class Callbacks {
public:
    /// @return whether it came to an end; false: an earlier one failed, or this one has  @errors GroupGone
    template <class Callback>
    bool call(const Callback& callback) {
        if (error_) return false;
        try {
            callback();
        } catch (...) {
            fail(std::current_exception());
        }
        require_group();
        return !error_;
    }
    /// To be asked inside call(), where more follows what the program does. @errors GroupGone
    void require_group() const {
        if (closed_) throw GroupGone();
    }
    /// The program ends the execution inside a callback.
    void close(std::exception_ptr error) noexcept {
        fail(std::move(error));
        closed_ = true;
    }
    void fail(std::exception_ptr error) noexcept {
        if (!error_) error_ = std::move(error);
    }
    [[nodiscard]] bool failed() const noexcept { return error_ != nullptr; }
    [[nodiscard]] const std::exception_ptr& error() const noexcept { return error_; }

private:
    std::exception_ptr error_;
    bool closed_ = false;
};

/// One execution on one rank: what its parts share.
struct StealContext {
    Team& team;
    NodeQueues& queues;
    Mailbox& mail;
    const StealWork& work;
    std::uint64_t epoch = 0;
    double look_s = 0;  ///< how long a thief may have to wait for this rank [s]
    double ratio = 0;   ///< as StealView has it; counts once ratio_known
    bool ratio_known = false;
    StealRecord record = {};
    Callbacks callbacks = {};

    /// A message with more than that, or with another piece as large as its largest, is full. So larger ones than MPI
    /// sends at once, 2^31 - 1 bytes, come of single pieces only.
    [[nodiscard]] std::size_t most_bytes() const noexcept { return team.settings().steal_bytes; }

    [[nodiscard]] StealHeader header(StealKind kind) const noexcept { return {.epoch = epoch, .kind = kind}; }
};

}  // namespace gimbal::mpi
