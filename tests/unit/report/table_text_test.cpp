// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "report/table.hpp"

namespace gimbal {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
    TextTable table({"loop", "n"}, {TextTable::Side::left, TextTable::Side::right});
    table.add({"a", "100"});
    table.add({"longer", "1"});
    EXPECT_EQ(table.text(), "loop      n\na       100\nlonger    1\n");
    EXPECT_EQ(table.text(2).substr(0, 6), "  loop");
}

TEST(ShortenName, ShortNamesStay) {
    EXPECT_EQ(shorten_name("a.cpp:1 f", 20), "a.cpp:1 f");
}

TEST(ShortenName, ThePathLosesItsBeginningFirst) {
    const std::string text = shorten_name("/home/user/project/src/very/deep/sph.cpp:210 density", 30);
    EXPECT_EQ(text.size(), 30U);
    EXPECT_TRUE(text.starts_with("..."));
    EXPECT_TRUE(text.ends_with("sph.cpp:210 density"));
}

TEST(ShortenName, ThenTheFunctionLosesItsEnd) {
    const std::string text = shorten_name("sph.cpp:210 " + std::string(100, 'f'), 30);
    EXPECT_EQ(text.size(), 30U);
    EXPECT_TRUE(text.starts_with("sph.cpp:210 ff"));
    EXPECT_TRUE(text.ends_with("..."));
}

TEST(ShortenName, AnyLengthFits) {
    for (std::size_t where = 0; where < 80; where += 7)
        for (std::size_t function = 0; function < 80; function += 7)
            EXPECT_LE(shorten_name(std::string(where, 'w') + " " + std::string(function, 'f'), 44).size(), 44U);
}

TEST(Seconds, KeepsAboutFourDigits) {
    EXPECT_EQ(seconds(0), "0.00");
    EXPECT_EQ(seconds(0.00312), "0.0031");
    EXPECT_EQ(seconds(12.408), "12.41");
    EXPECT_EQ(seconds(12345.6), "12346");
    EXPECT_EQ(per_cent(0.0981), "9.8 %");
}

}  // namespace
}  // namespace gimbal
