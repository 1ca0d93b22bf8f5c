// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace aco {
namespace {

/// What parsing two instances of two jobs says.
std::string error_of(const std::string& text) {
    try {
        parse_instances("bad.txt", text, 2, 2);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "no error";
}

TEST(ParseInstances, TimesThenWeightsThenDueDatesInAnyWhiteSpace) {
    const auto instances = parse_instances("good.txt", " 1 2\n3 4\r\n5 6\t7 8 9 10 11 0", 2, 2);
    ASSERT_EQ(instances.size(), 2U);
    EXPECT_EQ(instances[0].processing, (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(instances[0].weight, (std::vector<std::int64_t>{3, 4}));
    EXPECT_EQ(instances[0].due, (std::vector<std::int64_t>{5, 6}));
    EXPECT_EQ(instances[1].due, (std::vector<std::int64_t>{11, 0}));
}

TEST(ParseInstances, WrongCountsAreOneClearError) {
    EXPECT_EQ(error_of("1 2 3 4 5 6 7 8 9 10 11"), "bad.txt: 11 numbers, but 2 instances of 2 jobs have 12");
    EXPECT_EQ(error_of("1 2 3 4 5 6 7 8 9 10 11 12 13"), "bad.txt: 13 numbers, but 2 instances of 2 jobs have 12");
    EXPECT_EQ(error_of(""), "bad.txt: 0 numbers, but 2 instances of 2 jobs have 12");
    EXPECT_EQ(error_of(" \n\n "), "bad.txt: 0 numbers, but 2 instances of 2 jobs have 12");
}

TEST(ParseInstances, WhatIsNoNumberIsNamedWithItsLine) {
    const std::string end = " is not a whole number from 0 to 1000000";
    EXPECT_EQ(error_of("1 2\n3 four 5"), "bad.txt:2: 'four'" + end);
    EXPECT_EQ(error_of("1 2\n\n3.5"), "bad.txt:3: '3.5'" + end);
    EXPECT_EQ(error_of("-1 2"), "bad.txt:1: '-1'" + end);
    EXPECT_EQ(error_of("1000001"), "bad.txt:1: '1000001'" + end);
    EXPECT_EQ(error_of("99999999999999999999"), "bad.txt:1: '99999999999999999999'" + end);
    EXPECT_EQ(error_of("1,2"), "bad.txt:1: '1,2'" + end);
    EXPECT_EQ(error_of(std::string("1 \0 2", 5)), "bad.txt:1: '?'" + end);
    EXPECT_EQ(error_of("\x1b[31m" + std::string(1000, 'x')), "bad.txt:1: '?[31mxxxxxxxxxxxxxxx...'" + end);
}

TEST(ParseInstances, JobsWithoutTimeOrWeightAreNamed) {
    EXPECT_EQ(error_of("1 2 3 4 5 6 7 0 9 10 11 12"),
              "bad.txt: job 2 of instance 2 has no processing time or no weight");
    EXPECT_EQ(error_of("1 2 0 4 5 6 7 8 9 10 11 12"),
              "bad.txt: job 1 of instance 1 has no processing time or no weight");
}

TEST(ParseListed, OneValuePerInstance) {
    EXPECT_EQ(parse_listed("good.txt", " 913\n 0\n", 2), (std::vector<std::int64_t>{913, 0}));
    EXPECT_THROW(parse_listed("bad.txt", "913", 2), std::runtime_error);
    EXPECT_THROW(parse_listed("bad.txt", "913 x", 2), std::runtime_error);
}

TEST(LoadLibrary, ReadsEverySetThatIsHere) {
    for (const auto& [name, jobs] : {std::pair{"wt40", 40U}, {"wt50", 50U}, {"wt100", 100U}}) {
        const Library library = load_library(ACO_DATA, name);
        EXPECT_EQ(library.instances.size(), kInstancesPerSet);
        EXPECT_EQ(library.listed.size(), kInstancesPerSet);
        EXPECT_TRUE(std::ranges::all_of(library.instances, [&](const Instance& i) { return i.jobs() == jobs; }));
    }
    const Library library = load_library(ACO_DATA, "wt40");
    EXPECT_EQ(library.listed[0], 913);
    EXPECT_EQ(library.instances[0].processing[0], 26);
}

TEST(LoadLibrary, NamesTheFileThatIsNotThere) {
    try {
        load_library("/no/such/folder", "wt40");
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "/no/such/folder/wt40.txt: cannot be read");
    }
    EXPECT_THROW(load_library(ACO_DATA, "wt41"), std::runtime_error);
}

}  // namespace
}  // namespace aco
