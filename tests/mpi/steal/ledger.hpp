// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gimbal/mpi/steal_loop.hpp"

namespace gimbal::test {

/// Items of different sizes whose bytes and results say whose they are, and what became of them: a steal loop that
/// checks itself. @threads one
class Ledger {
public:
    /// @param owned  items of this rank  @param salt  makes the items of this loop unlike those of others
    Ledger(MPI_Comm comm, std::int64_t owned, std::uint64_t salt);

    /// Called for every item that this rank runs. @param owner, item  whose, and which of them
    std::function<void(int owner, std::int64_t item)> on_item = {};

    /// The callbacks of this ledger, which must outlive their use.
    [[nodiscard]] mpi::StealWork work();

    /// Construct a steal loop and run it.
    mpi::StealRecord run(std::string_view name, const mpi::StealOptions& options = {});

    /// Whether all own items ran once, here or elsewhere, their results came once, and nothing that came or went was
    /// wrong; and whether the record says the same. Local.
    [[nodiscard]] testing::AssertionResult settled(const mpi::StealRecord& record) const;
    /// settled() on all ranks, and as many items stolen as given. Collective.
    [[nodiscard]] testing::AssertionResult exactly_once(const mpi::StealRecord& record) const;

private:
    void run_own(std::int64_t first, std::int64_t count);
    void pack(std::int64_t first, std::int64_t count, std::vector<std::byte>& items) const;
    void run_stolen(int owner, std::int64_t first, std::int64_t count, std::span<const std::byte> items,
                    std::vector<std::byte>& results);
    void accept(std::int64_t first, std::int64_t count, std::span<const std::byte> results);
    void wrong(const std::string& what);

    MPI_Comm comm_;
    int rank_ = 0;
    std::uint64_t salt_;
    std::vector<unsigned char> ran_here_;  // [owned]
    std::vector<unsigned char> accepted_;  // [owned]
    std::int64_t stolen_ = 0;
    std::string wrong_;
};

}  // namespace gimbal::test
