// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/plain_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <limits>

#include "base/spelling.hpp"
#include "gimbal/random.hpp"

namespace gimbal {
namespace {

std::string printed(const char* form, int digits, double value) {
    std::array<char, 500> text{};
    std::snprintf(text.data(), text.size(), form, digits, value);
    return text.data();
}

// The tests themselves run in the C locale; tests/locale has programs in others.
TEST(PlainText, NumbersAreWrittenAsPrintfDoesInTheCLocale) {
    std::vector<double> values = {0, -0.0, 1, 0.1, 0.489, 1e-9, 123456789.0, 1e300, -2.5, 1e15, 999999.5};
    Random random(7);
    for (int i = 0; i < 2000; ++i) values.push_back((random.unit() - 0.5) * 1e12 * random.unit() * random.unit());
    for (const double value : values) {
        for (const int digits : {0, 1, 2, 3, 6}) EXPECT_EQ(fixed_digits(value, digits), printed("%.*f", digits, value));
        for (const int digits : {1, 3, 4, 6, 9, 16})
            EXPECT_EQ(significant_digits(value, digits), printed("%.*g", digits, value));
    }
    EXPECT_EQ(fixed_digits(std::numeric_limits<double>::max(), 3),
              printed("%.*f", 3, std::numeric_limits<double>::max()));
    EXPECT_EQ(significant_digits(std::numeric_limits<double>::infinity(), 3), "inf");
}

TEST(PlainText, NumbersAreReadWithAPoint) {
    std::string_view rest;
    EXPECT_EQ(leading_number("0.8:16", &rest), 0.8);
    EXPECT_EQ(rest, ":16");
    EXPECT_EQ(leading_number("0,8", &rest), 0);
    EXPECT_EQ(rest, ",8");
    EXPECT_FALSE(leading_number("x"));
    EXPECT_FALSE(leading_number(""));
    EXPECT_EQ(whole_number_text("12.5"), 12.5);
    EXPECT_FALSE(whole_number_text("12,5"));
    EXPECT_FALSE(whole_number_text("1e999"));
}

TEST(PlainText, LettersAreThoseOfAscii) {
    EXPECT_EQ(ascii_upper('i'), 'I');
    EXPECT_EQ(ascii_lower('I'), 'i');
    EXPECT_EQ(ascii_lower('\xC4'), '\xC4');
    EXPECT_TRUE(ascii_alnum('z') && ascii_alnum('Z') && ascii_alnum('0') && !ascii_alnum('\xE4') && !ascii_alnum('_'));
}

TEST(PlainText, WordsAreWhatStandsBetweenBlanks) {
    EXPECT_EQ(words_of("  mpiexec -bind-to\tnone "), (std::vector<std::string>{"mpiexec", "-bind-to", "none"}));
    EXPECT_TRUE(words_of("   ").empty());
}

}  // namespace
}  // namespace gimbal
