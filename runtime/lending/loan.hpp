// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "gimbal/core_loan.h"

namespace gimbal {

/// The name of a loan: where it is noted and which one there. 0: none.
using LoanName = std::uint64_t;

/// Lend the core that the caller is on. Notes are kept in memory of the library's own, so that both sides may ask
/// about a loan whatever has become of the other.
/// @param borrower  its thread must be known; nobody else may be lending to it
/// @return 0: refused, or all notes are in use, and nothing has changed
/// @threads the lender; end_loan() by both, at any time  @cost three system calls
LoanName begin_loan(gimbal_waiter& borrower) noexcept;

/// The borrower gets its own mask back and leaves the lender's core. Whoever comes first does it; the other one returns
/// when it is done.
/// @cost one or two system calls; one load if it has ended
void end_loan(LoanName name) noexcept;

/// Whether a loan still stands. @cost one load
[[nodiscard]] bool stands(LoanName name) noexcept;

}  // namespace gimbal
