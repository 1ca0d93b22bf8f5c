// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kept/format.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace {

using namespace gimbal;

constexpr std::uint64_t kRun = 0x1234'5678'9abc'def0;

std::string three_loops() {
    return format_kept(kRun, std::vector<KeptLoop>{{30, "thirty"}, {10, "ten"}, {20, "twenty, the longest of them"}});
}

TEST(KeptFormat, WhatIsWrittenIsFound) {
    const std::string text = three_loops();
    const auto loops = KeptLoops::read(kRun, text);
    ASSERT_TRUE(loops);
    ASSERT_EQ(loops->size(), 3U);
    EXPECT_EQ(loops->find(10), "ten");
    EXPECT_EQ(loops->find(20), "twenty, the longest of them");
    EXPECT_EQ(loops->find(30), "thirty");
    for (const std::uint64_t other : {0, 11, 25, 31}) EXPECT_TRUE(loops->find(other).empty()) << other;
    EXPECT_EQ(loops->at(0).id, 10U);
}

TEST(KeptFormat, NoLoopsAreAFileToo) {
    const std::string text = format_kept(kRun, {});
    const auto loops = KeptLoops::read(kRun, text);
    ASSERT_TRUE(loops);
    EXPECT_TRUE(loops->find(10).empty());
}

TEST(KeptFormat, OfTwoThatHaveOneIdTheFirstCounts) {
    const std::string text = format_kept(kRun, std::vector<KeptLoop>{{7, "more important"}, {7, "less"}});
    EXPECT_EQ(KeptLoops::read(kRun, text)->find(7), "more important");
}

TEST(KeptFormat, AnotherProgramsFileIsNotRead) {
    EXPECT_FALSE(KeptLoops::read(kRun + 1, three_loops()));
}

TEST(KeptFormat, OneChangedBitAnywhereMakesAllOfItWorthless) {
    const std::string text = three_loops();
    for (std::size_t at = 0; at < text.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = text;
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
            EXPECT_FALSE(KeptLoops::read(kRun, damaged)) << "byte " << at << ", bit " << bit;
        }
    }
}

TEST(KeptFormat, EveryLengthButItsOwnIsWrong) {
    const std::string text = three_loops();
    for (std::size_t length = 0; length < text.size(); ++length)
        EXPECT_FALSE(KeptLoops::read(kRun, std::string_view(text).substr(0, length))) << length;
    EXPECT_FALSE(KeptLoops::read(kRun, text + '\0'));
    EXPECT_FALSE(KeptLoops::read(kRun, std::string(kLargestKept + 1, 'x')));
}

TEST(KeptFormat, WhatDoesNotFitIsLeftOut) {
    const std::string large(40'000, 'x');
    std::vector<KeptLoop> loops;
    for (std::uint64_t id = 0; id < 100; ++id) loops.push_back({id, large});
    loops.push_back({1000, "small"});
    const std::string text = format_kept(kRun, loops);
    EXPECT_LE(text.size(), kLargestKept);
    const auto read = KeptLoops::read(kRun, text);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->find(0), large) << "the first ones come first";
    EXPECT_TRUE(read->find(99).empty());
    EXPECT_EQ(read->find(1000), "small");
}

TEST(KeptBytes, WhatWasPutIsGot) {
    ByteWriter to;
    to.put(std::uint64_t{1} << 60U);
    to.put_text("fac2");
    to.put_part(std::string(300, 'p'));
    to.put_real(0.25);
    to.put(std::uint8_t{1});
    ByteReader from(to.bytes());
    EXPECT_EQ(from.get<std::uint64_t>(), std::uint64_t{1} << 60U);
    EXPECT_EQ(from.get_text(), "fac2");
    EXPECT_EQ(from.get_part(), std::string(300, 'p'));
    EXPECT_EQ(from.get_real(0, 1), 0.25);
    EXPECT_FALSE(from.done());
    EXPECT_TRUE(from.get_flag());
    EXPECT_TRUE(from.done());
}

TEST(KeptBytes, WhatIsNotThereIsZeroAndNotOk) {
    ByteReader empty("");
    EXPECT_EQ(empty.get<std::uint32_t>(), 0U);
    EXPECT_FALSE(empty.ok());
    ByteWriter to;
    to.put(std::uint16_t{500});  // a part of 500 bytes that does not follow
    ByteReader part(to.bytes());
    EXPECT_TRUE(part.get_part().empty());
    EXPECT_FALSE(part.ok());
}

TEST(KeptBytes, NumbersOutOfRangeAreNotOk) {
    using Limits = std::numeric_limits<double>;
    for (const double wrong : {Limits::quiet_NaN(), Limits::infinity(), -1.0}) {
        ByteWriter to;
        to.put_real(wrong);
        ByteReader from(to.bytes());
        EXPECT_EQ(from.get_real(0, 10), 0);
        EXPECT_FALSE(from.ok());
    }
    ByteReader flag("\x02");
    EXPECT_FALSE(flag.get_flag());
    EXPECT_FALSE(flag.ok());
}

}  // namespace
