// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/host_name.hpp"

#include <gtest/gtest.h>
#include <sys/utsname.h>

namespace gimbal {
namespace {

TEST(HostName, IsTheNameOfThisMachine) {
    utsname system{};
    ASSERT_EQ(uname(&system), 0);
    EXPECT_EQ(host_name(), system.nodename);
    EXPECT_TRUE(is_this_host(system.nodename));
    EXPECT_FALSE(is_this_host(std::string(system.nodename) + "2"));
    EXPECT_FALSE(is_this_host(""));
}

TEST(HostName, OneThatIsNotKnownIsNobodys) {
    EXPECT_FALSE(is_this_host(kUnknownHost));
}

}  // namespace
}  // namespace gimbal
