// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gimbal/core_loan.h"

namespace gimbal::pin {

/// While it lives, no thread of this process is on a core that another one has lent to it (GIMBAL_LEND): masks are what
/// we or others have set. Whoever reads or sets masks of threads that are placed does so within it.
/// @threads any  @cost as gimbal_loans_pause()
class LoansPaused {
public:
    LoansPaused() noexcept : quiet_(gimbal_loans_pause() != 0) {}
    ~LoansPaused() { gimbal_loans_resume(); }
    LoansPaused(const LoansPaused&) = delete;
    LoansPaused& operator=(const LoansPaused&) = delete;

    /// False: a loan is still on its way, so masks may be between two states. Nothing can be concluded from them.
    [[nodiscard]] bool quiet() const noexcept { return quiet_; }

private:
    bool quiet_;
};

}  // namespace gimbal::pin
