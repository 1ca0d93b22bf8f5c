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

TEST(ShortenName, CutsNoLetterInTwo) {
    EXPECT_EQ(shorten_name("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f\xc3\xa9\xc3\xa8\xc3\xa0\xc3\xb8", 12),
              "\xc3\xa4...\xc3\xa8\xc3\xa0\xc3\xb8");
}

TEST(ShortenName, ShortNamesStay) {
    EXPECT_EQ(shorten_name("a.cpp:1 f", 20), "a.cpp:1 f");
}

TEST(ShortenName, ControlCharactersAreEscaped) {
    EXPECT_EQ(shorten_name("a\x1b[31m\n\t\x7f", 40), "a\\x1b[31m\\n\\t\\x7f");
    EXPECT_EQ(shorten_name("\xc2\x9b \xc3\xa4", 40), "\\xc2\\x9b \xc3\xa4");
}

TEST(ShortenName, TheMiddleGivesWay) {
    const std::string text = shorten_name("/home/user/project/src/very/deep/libgravity.so", 30);
    EXPECT_EQ(text.size(), 30U);
    EXPECT_TRUE(text.starts_with("/home/user"));
    EXPECT_TRUE(text.ends_with("libgravity.so"));
}

TEST(ShortenName, FileAndLineStayWhole) {
    const std::string text = shorten_name("sph.cpp:210 sph::force::" + std::string(100, 'f') + "_loop", 30);
    EXPECT_EQ(text.size(), 30U);
    EXPECT_TRUE(text.starts_with("sph.cpp:210 ..."));
    EXPECT_TRUE(text.ends_with("_loop"));
}

TEST(ShortenName, FoldersGoFirst) {
    EXPECT_EQ(shorten_name("/home/user/project/src/exit_in_handler.c:45 tiny_loops", 44),
              "exit_in_handler.c:45 tiny_loops");
}

TEST(ShortenName, AnyLengthFits) {
    for (std::size_t where = 0; where < 80; where += 7)
        for (std::size_t function = 0; function < 80; function += 7)
            EXPECT_LE(shorten_name(std::string(where, 'w') + " " + std::string(function, 'f'), 44).size(), 44U);
}

TEST(TextTable, RemarksDoNotMakeItWider) {
    TextTable table({"loop", "n"}, {TextTable::Side::left, TextTable::Side::right});
    table.add({"a", "100"});
    table.remark("a long line below");
    EXPECT_EQ(table.width(), 9U);
}

TEST(Fitted, LongLinesGoOnIndented) {
    EXPECT_EQ(fitted("one two three four\nshort\n", 10), "one two\n  three\n  four\nshort\n");
    EXPECT_EQ(fitted("  a bb ccc dddd", 8), "  a bb\n    ccc\n    dddd");
}

TEST(Fitted, NothingIsLost) {
    const std::string text = "NOTE " + std::string(90, 'x') + " and then some words that do not fit\n\n   \nend";
    for (std::size_t width = 40; width < 140; ++width) {
        std::string plain, expected;
        for (const char letter : fitted(text, width))
            if (letter != ' ' && letter != '\n') plain += letter;
        for (const char letter : text)
            if (letter != ' ' && letter != '\n') expected += letter;
        EXPECT_EQ(plain, expected) << width;
    }
    EXPECT_EQ(fitted(text, 0), text);
    EXPECT_EQ(fitted("", 40), "");
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
