// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal::test {

inline constexpr long kNoLimit = -1;
/// How many blocks operator new still gives the calling thread before it throws std::bad_alloc.
extern thread_local long blocks_left;

/// While it lives, the calling thread gets so many blocks. What the test itself needs must not be within.
class FewBlocks {
public:
    explicit FewBlocks(long blocks) noexcept { blocks_left = blocks; }
    ~FewBlocks() { blocks_left = kNoLimit; }
    FewBlocks(const FewBlocks&) = delete;
    FewBlocks& operator=(const FewBlocks&) = delete;
};

}  // namespace gimbal::test
