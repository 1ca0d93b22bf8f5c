// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/pu_list.hpp"

#include <gmock/gmock.h>

#include "gimbal/error.hpp"

namespace gimbal::pin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Numbers = std::vector<int>;

std::string refusal(const auto& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_option);
        EXPECT_FALSE(error.hint().empty());
        return error.what();
    }
    return "nothing was thrown";
}

TEST(PuList, TextAndListAreInverse) {
    for (const char* text : {"", "0", "0-1", "0-7,16,20-22", "3,5,7", "65535"})
        EXPECT_EQ(pu_list_text(parse_pu_list(text, "x")), text);
}

TEST(PuList, IsSortedAndSaysEveryProcessorOnce) {
    EXPECT_THAT(parse_pu_list("5,1-3,2,0-1", "x"), ElementsAre(0, 1, 2, 3, 5));
}

TEST(PuList, ReadsWhatTheKernelWrites) {
    EXPECT_THAT(parse_pu_list("0-1\n", "cpuset.cpus"), ElementsAre(0, 1));
    EXPECT_THAT(parse_pu_list("\n", "cpuset.cpus"), IsEmpty());
    EXPECT_THAT(parse_pu_list(" 1 , 3 - 4 ", "x"), ElementsAre(1, 3, 4));
}

TEST(PuList, RefusesWithTheSettingAndTheText) {
    for (const char* text : {"a", "1-", "-1", "1,,2", "1-2-3", "0x1", "1;2", "99999999999999"}) {
        const std::string what = refusal([&] { (void)parse_pu_list(text, "GIMBAL_PIN_RESERVE"); });
        EXPECT_THAT(what, HasSubstr("GIMBAL_PIN_RESERVE")) << text;
    }
    EXPECT_THAT(refusal([] { (void)parse_pu_list("7-3", "x"); }), HasSubstr("ends before it begins"));
    EXPECT_THAT(refusal([] { (void)parse_pu_list("65536", "x"); }), HasSubstr("above 65535"));
}

TEST(PseudoNodes, AreListsBetweenSemicolons) {
    EXPECT_THAT(parse_pseudo_nodes("0-2;8,10", "x"), ElementsAre(Numbers{0, 1, 2}, Numbers{8, 10}));
    EXPECT_THAT(parse_pseudo_nodes("", "x"), IsEmpty());
    EXPECT_THAT(parse_pseudo_nodes("0-3", "x"), ElementsAre(Numbers{0, 1, 2, 3}));
}

TEST(PseudoNodes, EmptyOnesAndSharedProcessorsAreRefused) {
    EXPECT_THAT(refusal([] { (void)parse_pseudo_nodes("0-1;", "x"); }), HasSubstr("empty node"));
    EXPECT_THAT(refusal([] { (void)parse_pseudo_nodes("0-3;2-5", "x"); }), HasSubstr("processor 2-3 in two nodes"));
}

TEST(PuList, SetsOfProcessors) {
    const Numbers a{0, 1, 2, 5}, b{1, 5, 9};
    EXPECT_THAT(both(a, b), ElementsAre(1, 5));
    EXPECT_THAT(without(a, b), ElementsAre(0, 2));
}

}  // namespace
}  // namespace gimbal::pin
