// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kept/build.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstring>
#include <string>

#include "gimbal/hash.hpp"

namespace {

using namespace gimbal;

Dl_info object_of(const void* address) {
    Dl_info info{};
    EXPECT_NE(dladdr(address, &info), 0);
    return info;
}

void somewhere() {}

TEST(Build, ObjectsDifferAndEachStaysWhatItIs) {
    const Dl_info here = object_of(reinterpret_cast<const void*>(&somewhere));
    const Dl_info library = object_of(reinterpret_cast<const void*>(&std::strlen));
    const std::uint64_t mine = build_of(here.dli_fbase, here.dli_fname);
    EXPECT_NE(mine, 0U);
    EXPECT_EQ(mine, build_of(here.dli_fbase, here.dli_fname));
    EXPECT_NE(mine, build_of(library.dli_fbase, library.dli_fname));
}

TEST(Build, TheProgramIsTheObjectOfItsOwnCode) {
    const Dl_info here = object_of(reinterpret_cast<const void*>(&somewhere));
    EXPECT_EQ(build_of_program(), build_of(here.dli_fbase, "/proc/self/exe"));
}

TEST(Build, AFileOfAnotherBuildIsTold) {
    const Dl_info here = object_of(reinterpret_cast<const void*>(&somewhere));
    const Dl_info library = object_of(reinterpret_cast<const void*>(&std::strlen));
    const std::uint64_t mine = build_of(here.dli_fbase, "/proc/self/exe");
    const char* const other = library.dli_fname;
    EXPECT_TRUE(may_be_build("/proc/self/exe", mine, "/proc/self/exe"));
    EXPECT_FALSE(may_be_build(other, mine, "/proc/self/exe"));
    EXPECT_TRUE(may_be_build(other, build_of(library.dli_fbase, other), other));
    EXPECT_TRUE(may_be_build(other, 0, other)) << "nothing is known of it";
    EXPECT_TRUE(may_be_build("/there/is/no/such/file", mine, "/proc/self/exe"));
}

TEST(Build, WithoutABuildIdTheFileCounts) {
    static const char kNoObject[128] = "no object";
    EXPECT_EQ(build_of(nullptr, "/proc/self/exe"), 0U);
    EXPECT_EQ(build_of(kNoObject, "/there/is/no/such/file"), 0U);
    EXPECT_EQ(build_of(kNoObject, nullptr), 0U);
    EXPECT_NE(build_of(kNoObject, "/proc/self/exe"), 0U);
}

std::string note(std::uint32_t type, std::string owner, std::string content) {
    const std::uint32_t words[3] = {static_cast<std::uint32_t>(owner.size()),
                                    static_cast<std::uint32_t>(content.size()), type};
    owner.resize((owner.size() + 3) / 4 * 4);
    content.resize((content.size() + 3) / 4 * 4);
    return std::string(reinterpret_cast<const char*>(words), sizeof words) + owner + content;
}

TEST(Build, AnIdIsFoundAmongOtherNotes) {
    const std::string owner("GNU", 4);
    const std::string id = "twenty bytes of hash";
    const std::string all = note(1, owner, "abi") + note(3, std::string("Go", 3), "x") + note(3, owner, id);
    EXPECT_EQ(build_id_in(all), id);
    EXPECT_EQ(build_id_in(note(1, owner, "abi")), "");
    for (std::size_t length = 0; length < all.size(); ++length)
        EXPECT_TRUE(build_id_in(std::string_view(all).substr(0, length)).empty()) << length;
}

TEST(Build, AMachineIsOfOneKindOnEachProcessor) {
    cpu_set_t allowed;
    ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    const std::uint64_t kind = machine_kind();
    EXPECT_NE(kind, hash_of("")) << "nothing is in it";
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
        EXPECT_EQ(machine_kind(), kind) << cpu;
    }
    EXPECT_EQ(sched_setaffinity(0, sizeof allowed, &allowed), 0);
}

}  // namespace
