// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "team/team.hpp"

namespace gimbal::mpi {

/// Memory of rank 0 that every rank reaches by MPI's one-sided functions. Rank 0 uses the same
/// functions: nothing else is atomic among them. A rank that waits for an operation yields, and answers the others'
/// requests.
///
/// Nowhere is MPI_Compare_and_swap needed, which Open MPI 4.1 ends a program for on windows that it has allocated.
/// @threads one at a time  @errors gimbal::Error(mpi)
class RmaWindow {
public:
    /// A word that is not 0 at first.
    struct First {
        std::size_t at = 0;  ///< a multiple of 8 [bytes]
        std::uint64_t value = 0;
    };
    /// Of every `every` bytes, the first `bytes` are 0 at first.
    struct Zeroed {
        std::size_t bytes = 0;
        std::size_t every = 0;
    };
    /// A part of the team's memory of that kind, as long as the team. Collective over it.
    /// @param bytes  a multiple of 8, and of zeroed.every
    RmaWindow(Team& team, std::size_t bytes, const Zeroed& zeroed, std::span<const First> first = {});
    RmaWindow(const RmaWindow&) = delete;
    RmaWindow& operator=(const RmaWindow&) = delete;

    /// Add to a word. @param at  its place, a multiple of 8 [bytes]  @return what it was before  @cost a round trip
    std::uint64_t add(std::size_t at, std::uint64_t value);
    [[nodiscard]] std::uint64_t read(std::size_t at);

    /// Copy to the window. It is there when this returns. No operation of another rank may be under way there.
    void put(std::size_t at, const void* from, std::size_t bytes);
    void get(std::size_t at, void* to, std::size_t bytes);

    /// Words of rank 0 as it sees them without MPI. nullptr on other ranks, or if MPI keeps a window's public and
    /// private copies apart.
    [[nodiscard]] const volatile std::uint64_t* own_words() const noexcept { return own_; }

    /// Operations on several words in the time of one; in no order.
    class Batch {
    public:
        explicit Batch(RmaWindow& window) noexcept : window_(window) {}
        /// @param before  out, valid after wait(): what the word was; may be nullptr
        void add(std::size_t at, std::uint64_t value, std::uint64_t* before = nullptr);
        void read(std::size_t at, std::uint64_t* value);
        /// Not to be mixed with add() by other ranks at the same time.
        void store(std::size_t at, std::uint64_t value);
        /// Until all are done, at rank 0 too.
        void wait();

    private:
        static constexpr std::size_t kMax = 8;
        void begin(std::size_t at, std::uint64_t operand, MPI_Op op, std::uint64_t* result);

        RmaWindow& window_;
        std::size_t count_ = 0;
        std::array<std::uint64_t, kMax> operands_{};
        std::array<std::uint64_t, kMax> unwanted_{};
        std::array<MPI_Request, kMax> requests_{};
    };

private:
    MPI_Win window_ = MPI_WIN_NULL;  // of which this is a part
    std::size_t base_ = 0;           // where it begins there [bytes]
    const volatile std::uint64_t* own_ = nullptr;
};

}  // namespace gimbal::mpi
