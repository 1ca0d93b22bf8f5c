// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/record.hpp"

#include <gtest/gtest.h>

namespace gimbal {
namespace {

TEST(TraceRecord, KeepsItsKindAndItsTimeSinceTheStart) {
    for (const std::uint64_t start : {0ULL, 12345ULL, (1ULL << 56U) - 10, ~0ULL - 1000}) {
        for (const std::uint64_t later : {0ULL, 1ULL, 1000ULL, (1ULL << 56U) - 1}) {
            const TraceRecord record = trace_record(TraceKind::slack, start + later, 7);
            EXPECT_EQ(kind_of(record), TraceKind::slack);
            EXPECT_EQ(ticks_since(record, start), later) << "start " << start;
            EXPECT_EQ(record.payload, 7U);
        }
    }
}

TEST(TraceRecord, AChunkFitsIntoOneIfItsFiguresDo) {
    EXPECT_TRUE(fits_one_record(0, 1));
    EXPECT_TRUE(fits_one_record((1ULL << 40U) - 1, (1U << kChunkBits) - 1));
    EXPECT_FALSE(fits_one_record(1ULL << 40U, 1));
    EXPECT_FALSE(fits_one_record(0, 1U << kChunkBits));
}

TEST(TraceRecord, APairKeepsBothHalves) {
    const std::uint64_t pair = pair_of(kNoTraceThread, UINT32_MAX - 1);
    EXPECT_EQ(pair >> 32U, kNoTraceThread);
    EXPECT_EQ(pair & UINT32_MAX, UINT32_MAX - 1);
    EXPECT_EQ(pair_of(1, ~0ULL), (1ULL << 32U) + UINT32_MAX) << "the lower half does not spill";
}

}  // namespace
}  // namespace gimbal
