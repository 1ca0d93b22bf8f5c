// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "steal/context.hpp"
#include "steal/coordinator.hpp"

namespace gimbal::mpi {

/// How a thief looks for work: one of the rules of StealOptions. Calls no callback of the program.
class Search {
public:
    virtual ~Search() = default;

    /// A thief has nothing, or next to nothing, left to do: ask if that makes sense now. Never waits.
    virtual void look() = 0;

    /// An answer has come.
    virtual void on_nothing(int source, const StealHeader& answer) = 0;
    virtual void on_items(int source) = 0;
    /// The coordinator's answer. @param rank  -1: there is nobody any more
    virtual void on_victim(int rank) { static_cast<void>(rank); }

    /// Parts that are out of somebody's queue already and belong to this rank [count].
    [[nodiscard]] virtual int claims_out() const noexcept { return 0; }
};

/// Own node first: claim from the fullest queue there; then ask a random rank of another node that is not known to be
/// empty.
[[nodiscard]] std::unique_ptr<Search> make_nearest_search(StealContext& context, std::uint64_t seed);

/// Ask the coordinator, rank 0, whom to ask.
[[nodiscard]] std::unique_ptr<Search> make_seed_search(StealContext& context, Coordinator& coordinator);

}  // namespace gimbal::mpi
