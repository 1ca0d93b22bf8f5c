// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded (run.sh): exceptions in flight belong to a rank. C++ keeps them per thread, and simulated ranks take turns
// on one: a rank that another one interrupts while it handles an exception would find that one's. The C++ library asks
// for them by two functions that anybody may define (Itanium C++ ABI, part II, 2.2.2).
#include <simgrid/actor.h>

#include <array>
#include <cstddef>

// Not there in programs that the simulator starts and that are none of its own.
#pragma weak sg_actor_self
#pragma weak sg_actor_get_pid

namespace {

/// __cxa_eh_globals of the ABI.
struct InFlight {
    void* caught = nullptr;
    unsigned uncaught = 0;
};

constexpr std::size_t kMaxRanks = 1U << 16U;

InFlight* of_this_rank() noexcept {
    static std::array<InFlight, kMaxRanks> of_ranks;
    static thread_local InFlight of_thread;  // outside of ranks
    const sg_actor_t rank = sg_actor_self ? sg_actor_self() : nullptr;
    const std::size_t number = rank ? static_cast<std::size_t>(sg_actor_get_pid(rank)) : kMaxRanks;
    return number < kMaxRanks ? &of_ranks[number] : &of_thread;
}

}  // namespace

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): the ABI's names
[[gnu::visibility("default")]] void* __cxa_get_globals() noexcept {
    return of_this_rank();
}

[[gnu::visibility("default")]] void* __cxa_get_globals_fast() noexcept {
    return of_this_rank();
}
// NOLINTEND(bugprone-reserved-identifier)

}  // extern "C"
