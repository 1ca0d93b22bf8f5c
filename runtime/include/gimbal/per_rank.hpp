// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(GIMBAL_SIMULATED_RANKS)
/// Where the rank that calls keeps its object of that number. Defined by what runs the ranks: mpi_layer/smpi.
extern "C" void** gimbal_rank_slot(unsigned number);
/// A number that no other object has.
extern "C" unsigned gimbal_rank_new_number(void);
#endif

namespace gimbal {

/// State that belongs to a rank, found by the rank that calls. A process is one rank, and this is a plain object then:
/// no lookup, no cost. Where the ranks of a job are simulated in one process (docs/inside.md), each has a T of its own,
/// made when it first asks. Never destroyed: loops may run while the process ends.
/// @tparam T  with a constructor without arguments; constant, for objects outside functions
/// @threads those of T
template <class T>
class PerRank {
public:
#if defined(GIMBAL_SIMULATED_RANKS)
    PerRank() noexcept : number_(gimbal_rank_new_number()) {}
    [[nodiscard]] T& here() noexcept {
        void** const slot = gimbal_rank_slot(number_);
        if (!*slot) *slot = new T{};
        return *static_cast<T*>(*slot);
    }

private:
    unsigned number_;
#else
    constexpr PerRank() noexcept : only_{} {}
    constexpr ~PerRank() {}
    PerRank(const PerRank&) = delete;
    PerRank& operator=(const PerRank&) = delete;
    [[nodiscard]] T& here() noexcept { return only_; }

private:
    union {
        T only_;
    };
#endif
};

}  // namespace gimbal
