// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace gimbal::learn {

/// A walk from 0 back to 0 over K numbers that goes from every number to every number, itself included, exactly once:
/// an Eulerian circuit of the complete digraph with loops, or a de Bruijn sequence of order 2.
///
/// The sequence is 0, 01, 02, ..., 1, 12, 13, ..., K-1: the Lyndon words of length 1 and 2 in order. It needs no table.
/// @threads guarded by its owner  @cost O(1) per step
/// @source Fredricksen, Maiorana 1978; test: tests/unit/learn/policy_test.cpp
class Circuit {
public:
    /// @param size  K, >= 1
    explicit Circuit(std::uint32_t size) noexcept : size_(size) { advance(); }

    /// Where the next step leads; the first one leaves from 0.
    [[nodiscard]] std::uint32_t upcoming() const noexcept { return at_second_ ? second_ : first_; }

    /// Go on by one letter: a word i, then the words ij for all j > i.
    void advance() noexcept {
        if (first_ != second_ && !at_second_) {
            at_second_ = true;
            return;
        }
        at_second_ = false;
        if (++second_ < size_) return;
        if (++first_ == size_) first_ = 0;
        second_ = first_;
    }

private:
    std::uint32_t size_;
    std::uint32_t first_ = 0;
    std::uint32_t second_ = 0;  // the word is (first, second); a single letter if they are equal
    bool at_second_ = false;
};

}  // namespace gimbal::learn
