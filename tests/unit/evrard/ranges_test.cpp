// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranges.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>

namespace evrard {
namespace {

TEST(Ranges, AppendJoinsWhatGoesOnAndKeepsTheOrder) {
    std::vector<Range> ranges;
    for (const Range range : {Range{4, 6}, Range{6, 9}, Range{9, 9}, Range{0, 2}, Range{2, 4}}) append(ranges, range);
    EXPECT_EQ(ranges, (std::vector<Range>{{4, 9}, {0, 4}}));
    EXPECT_EQ(total_size(ranges), 9U);
}

TEST(Ranges, CoverOnceSeesGapsOverlapsAndTooMuch) {
    EXPECT_TRUE(cover_once({}, 0));
    EXPECT_TRUE(cover_once({{4, 9}, {0, 4}}, 9));
    EXPECT_FALSE(cover_once({}, 1));
    EXPECT_FALSE(cover_once({{4, 9}, {0, 4}}, 10)) << "the last is missing";
    EXPECT_FALSE(cover_once({{4, 9}, {0, 3}}, 9)) << "one is missing";
    EXPECT_FALSE(cover_once({{4, 9}, {0, 5}}, 9)) << "one appears twice";
    EXPECT_FALSE(cover_once({{4, 9}, {1, 4}}, 9)) << "the first is missing";
    EXPECT_FALSE(cover_once({{0, 9}, {9, 12}}, 9)) << "there is more than there should be";
    EXPECT_FALSE(cover_once({{0, 9}, {4, 4}}, 9)) << "an empty range within another";
}

TEST(Ranges, UnpackPutsBackWhatPackTook) {
    struct Item {
        std::int32_t number;
        char letter;
    };
    std::vector<Item> items(12);
    for (std::size_t i = 0; i < items.size(); ++i)
        items[i] = {static_cast<std::int32_t>(i), static_cast<char>('a' + i)};
    const std::vector<Range> ranges{{7, 10}, {0, 1}, {3, 5}};
    const auto packed = pack(reinterpret_cast<const std::byte*>(items.data()), sizeof(Item), ranges);
    ASSERT_EQ(packed.size(), 6 * sizeof(Item));
    Item second{};
    std::memcpy(&second, packed.data() + 3 * sizeof(Item), sizeof(Item));
    EXPECT_EQ(second.number, 0) << "in the ranges' order, not in that of the items";

    std::vector<Item> back(items.size(), Item{-1, '-'});
    const std::byte* end = unpack(packed.data(), reinterpret_cast<std::byte*>(back.data()), sizeof(Item), ranges);
    EXPECT_EQ(end, packed.data() + packed.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool inside = i == 0 || i == 3 || i == 4 || (i >= 7 && i < 10);
        EXPECT_EQ(back[i].number, inside ? items[i].number : -1) << i;
        EXPECT_EQ(back[i].letter, inside ? items[i].letter : '-') << i;
    }
}

}  // namespace
}  // namespace evrard
