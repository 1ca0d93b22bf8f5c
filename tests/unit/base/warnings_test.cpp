// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/warnings.hpp"

#include <gmock/gmock.h>

#include "gimbal/gimbal.h"

namespace gimbal {
namespace {

using testing::Contains;
using testing::Not;

TEST(Notes, AnotherOneAboutTheSameTakesItsPlace) {
    EXPECT_EQ(gimbal_report_note("loop a", "half"), 0);
    EXPECT_EQ(gimbal_report_note("loop ab", "all"), 0);
    EXPECT_EQ(gimbal_report_note("loop a", "a third"), 0);
    EXPECT_THAT(warnings(), Contains("NOTE loop a: a third"));
    EXPECT_THAT(warnings(), Contains("NOTE loop ab: all"));
    EXPECT_THAT(warnings(), Not(Contains("NOTE loop a: half")));
}

TEST(Notes, WhatIsNoSentenceIsRefused) {
    for (const char* about : {static_cast<const char*>(nullptr), "", "a:b", "a\nb"})
        EXPECT_EQ(gimbal_report_note(about, "text"), GIMBAL_ERROR_WRONG_USE);
    for (const std::string& text : {std::string(), std::string("a\nb"), std::string(200, 'x')})
        EXPECT_EQ(gimbal_report_note("about", text.c_str()), GIMBAL_ERROR_WRONG_USE);
    EXPECT_EQ(gimbal_report_note("about", nullptr), GIMBAL_ERROR_WRONG_USE);
}

}  // namespace
}  // namespace gimbal
