// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/hash.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace gimbal {
namespace {

// The vectors of the authors of FNV.
TEST(Hash, IsFnv1a) {
    EXPECT_EQ(hash_of(""), 0xcbf29ce484222325U);
    EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cU);
    EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8U);
    EXPECT_EQ(hash_of("\xff\x80"), hash_of("\x80", hash_of("\xff"))) << "no byte is negative";
}

TEST(Hash, PartsOneAfterTheOtherAreTheWhole) {
    EXPECT_EQ(hash_of("bar", hash_of("foo")), hash_of("foobar"));
}

TEST(Hash, ANumberIsItsBytes) {
    constexpr std::string_view kBytes("\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    EXPECT_EQ(hash_with(kHashOfNothing, 0x0102030405060708U), hash_of(kBytes));
    EXPECT_EQ(hash_with(hash_of("foo"), 0), hash_of(std::string_view("foo\0\0\0\0\0\0\0\0", 11)));
}

}  // namespace
}  // namespace gimbal
