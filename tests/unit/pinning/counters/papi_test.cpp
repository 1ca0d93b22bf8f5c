// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#if __has_include(<papi.h>)
#include <papi.h>
#define GIMBAL_TEST_HAS_PAPI_HEADER 1
#endif

#include "counters/hardware_event.hpp"
#include "counters/papi_library.hpp"
#include "support.hpp"

namespace gimbal::pin {
namespace {

#ifdef GIMBAL_TEST_HAS_PAPI_HEADER
static_assert(PapiLibrary::kOk == PAPI_OK);
static_assert(PapiLibrary::kNull == PAPI_NULL);
static_assert(PapiLibrary::kTotalInstructions == PAPI_TOT_INS);
#endif

TEST(Papi, IsOptional) {
    constexpr const char* kNames[] = {"libpapi_that_is_not_there.so"};
    PapiLibrary papi(kNames);
    EXPECT_FALSE(papi.start());
    EXPECT_EQ(papi.error(), "PAPI is not installed");
    EXPECT_EQ(PapiEvent(papi).start(test::own_tid()), "PAPI is not installed");
}

TEST(Papi, AnotherLibraryOfThatNameIsNotCalled) {
    constexpr const char* kNames[] = {"libm.so.6"};
    PapiLibrary papi(kNames);
    EXPECT_FALSE(papi.start());
    EXPECT_EQ(papi.error(), "it has no PAPI_library_init");
}

TEST(Papi, CountsInstructionsOrSaysWhyNot) {
    PapiLibrary& papi = PapiLibrary::installed();
    if (!papi.start()) GTEST_SKIP() << papi.error();
    PapiEvent event(papi);
    const int before = DescriptorSlot::taken();
    const std::string refusal = event.start(test::own_tid());
    if (!refusal.empty()) {
        EXPECT_THAT(refusal, testing::StartsWith("PAPI_"));
        EXPECT_EQ(DescriptorSlot::taken(), before);
        GTEST_SKIP() << "no such counter here: " << refusal;
    }
    Reading first, second;
    ASSERT_TRUE(event.read(first));
    test::spin();
    ASSERT_TRUE(event.read(second));
    EXPECT_GT(second.value, first.value + 1000);
}

TEST(Papi, AFailedStartCanBeTriedAgain) {
    PapiLibrary& papi = PapiLibrary::installed();
    if (!papi.start()) GTEST_SKIP() << papi.error();
    for (int i = 0; i < 100; ++i) {
        PapiEvent event(papi);
        (void)event.start(test::own_tid());
    }
    PapiEvent event(papi);
    Reading reading;
    EXPECT_FALSE(event.read(reading));
}

}  // namespace
}  // namespace gimbal::pin
