// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

#include "counters/counter_backends.hpp"
#include "manager/thread_record.hpp"

namespace gimbal::pin {

/// By what the speeds of threads are measured: a counter backend, and what counts as progress where that is one.
/// @threads the manager's
class SpeedMeter {
public:
    /// @param only  the backend that the user named; nullopt: the best that there is
    SpeedMeter(std::optional<Backend> only, double period_s) : only_(only), period_s_(period_s) {}

    /// Chooses the backend. @param counts  some thread reports progress of its own
    void begin(bool counts);
    /// Where the workers' progress has become a better measure than the one in use, it is used from now on, and all
    /// counters start anew. @return whether it is another one now
    bool change(Workers& workers, double now);

    void open(Worker& worker) const;
    [[nodiscard]] Reading read(Worker& worker) const;

    /// @pre begin()
    [[nodiscard]] const BackendChoice& choice() const noexcept { return *choice_; }
    /// Whether progress is iterations of Gimbal's loops.
    [[nodiscard]] bool by_loops() const noexcept {
        return choice_->backend == Backend::progress && progress_ == Progress::loops;
    }

private:
    enum class Progress : std::uint8_t { none, loops, program };
    [[nodiscard]] Progress offered(const Workers& workers, double now) const;
    void choose(Progress progress);

    std::optional<Backend> only_;
    double period_s_;
    std::optional<BackendChoice> choice_;
    Progress progress_ = Progress::none;
};

}  // namespace gimbal::pin
