// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "colony.hpp"
#include "library.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace aco {

/// Whether threads wait for each other.
enum class Barrier {
    each,  ///< one colony; threads meet after each iteration, so that all ants learn from all
    none,  ///< colonies of a fixed size that never meet: a thread takes a colony through all iterations, then the next
};

/// What is asked for. The answer depends on these and the instance only.
struct Search {
    std::int64_t ants = 400;
    std::int64_t iterations = 300;
    std::uint64_t seed = 1;
    Barrier barrier = Barrier::each;
    std::int64_t colony = 10;  ///< ants per colony, a divisor of ants; for Barrier::none

    std::int64_t colonies() const { return barrier == Barrier::none ? ants / colony : 1; }
};

/// What one thread has done since it was started.
struct alignas(64) ThreadWork {
    std::int64_t ants = 0;  ///< schedules made
    double cpu_s = 0.0;     ///< processor time, waiting at barriers included as far as it spins
    double wall_s = 0.0;    ///< of its part of each search; in a loop, of all of the search
};

/// Threads that search. They last as long as the object, and one search follows another on the same threads.
class Crew {
public:
    Crew() = default;
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    virtual ~Crew() = default;

    /// All iterations of all ants.
    /// @errors std::bad_alloc   @threads from one thread, not from within a search
    /// @cost O(ants iterations n^2) shared out over the threads
    virtual Outcome search(const Instance& instance, const Search& search) = 0;

    /// @return [threads] what each thread did
    virtual const std::vector<ThreadWork>& work() const = 0;
};

/// A farm of POSIX threads. Each has its own part of the ants (or, without barriers, of the colonies) from the start:
/// nothing evens out what a slow core costs, and with a barrier all wait for the slowest. The caller's thread sleeps
/// meanwhile. Threads are called aco-0, aco-1, ...
/// @param threads  >= 1   @errors std::system_error if the system has no more threads
std::unique_ptr<Crew> make_farm(int threads);

/// The same search by OpenMP: a team, of which the caller's thread is one. One ant is one iteration of a loop, or,
/// without barriers, one colony is; both loops are schedule(runtime), so the schedule is chosen from outside.
/// @param threads  >= 1, or fewer if OpenMP gives fewer; those that it does not give do nothing
std::unique_ptr<Crew> make_team(int threads);

}  // namespace aco
