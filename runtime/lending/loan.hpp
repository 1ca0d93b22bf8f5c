// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "gimbal/core_loan.h"

namespace gimbal {

/// Whether a thread has reached a meeting. @cost one load
[[nodiscard]] inline bool reached(const gimbal_waiter& member, std::uint64_t meeting) noexcept {
    return __atomic_load_n(&member.meeting, __ATOMIC_SEQ_CST) == meeting;
}

/// Whether a thread that waits has been let go on. @cost one load
[[nodiscard]] inline bool may_go_on(const gimbal_release& release) noexcept {
    return release.word && __atomic_load_n(release.word, __ATOMIC_SEQ_CST) == release.value;
}

/// The name of a loan: where it is noted and which one there. 0: none.
using LoanName = std::uint64_t;

/// Lend the core that the caller is on to a thread that has not reached a meeting. Notes are kept in memory of the
/// library's own, so that both sides may ask about a loan whatever has become of the other.
/// @param borrower  its thread must be known
/// @return 0: it has a loan already, has just come, or may not be moved; or all notes are in use. Nothing has changed
/// @threads the lender; end_loan() by both, at any time  @cost three system calls
LoanName begin_loan(gimbal_waiter& borrower, const gimbal_meeting& meeting) noexcept;

/// While a loan begins its borrower may have the mask of the lender's core alone: what it starts inherits that.
/// @threads the borrower, before it goes on with the program  @cost one load if it has begun
void await_loan(LoanName name) noexcept;

/// The borrower gets its own mask back and leaves the lender's core. The first to come does it; the other one returns
/// when it is done. A borrower that may run on that core in any case is left there by the lender: it may be running the
/// program, and has to end the loan itself.
/// @cost two to five system calls; one load if it has ended
void end_loan(LoanName name) noexcept;

/// Whether a loan still stands. @cost one load
[[nodiscard]] bool stands(LoanName name) noexcept;

/// A child after fork() has no loans: those of its parent are not its to end.
void restart_loans_in_child() noexcept;

}  // namespace gimbal
