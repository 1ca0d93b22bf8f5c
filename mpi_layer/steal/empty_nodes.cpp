// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/empty_nodes.hpp"

namespace gimbal::mpi {

namespace {

constexpr std::uint64_t kNodesOfWord = 0xFFFFFFFFU;

// Executions are numbered from 1 in words.
std::uint64_t tag_of(std::uint64_t epoch) {
    return (epoch + 1) << 32U;
}

// Whether a word with that tag is of an earlier execution. Ranks of a node are at most one apart.
bool is_older(std::uint64_t word, std::uint64_t tag) {
    return static_cast<std::int32_t>((tag >> 32U) - (word >> 32U)) > 0;
}

}  // namespace

std::uint64_t EmptyNodes::of_group(std::uint64_t epoch, int group) const noexcept {
    std::uint64_t nodes = 0;
    for (unsigned half = 0; half < 2; ++half) {
        const std::uint64_t word = words_[2 * group + static_cast<int>(half)].load(std::memory_order_relaxed);
        if ((word & ~kNodesOfWord) == tag_of(epoch)) nodes |= (word & kNodesOfWord) << 32U * half;
    }
    return nodes;
}

void EmptyNodes::add_group(std::uint64_t epoch, int group, std::uint64_t nodes) noexcept {
    const std::uint64_t tag = tag_of(epoch);
    for (unsigned half = 0; half < 2; ++half) {
        const std::uint64_t more = nodes >> 32U * half & kNodesOfWord;
        if (more == 0) continue;
        std::atomic<std::uint64_t>& word = words_[2 * group + static_cast<int>(half)];
        std::uint64_t seen = word.load(std::memory_order_relaxed);
        // That is all that is in it: nobody needs to see anything else because of it.
        while ((seen & ~kNodesOfWord) == tag ? (seen & more) != more : is_older(seen, tag)) {
            const std::uint64_t known = (seen & ~kNodesOfWord) == tag ? seen : tag;
            if (word.compare_exchange_weak(seen, known | more, std::memory_order_relaxed)) break;
        }
    }
}

}  // namespace gimbal::mpi
