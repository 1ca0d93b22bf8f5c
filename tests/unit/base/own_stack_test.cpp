// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/own_stack.hpp"

#include <gtest/gtest.h>
#include <limits.h>
#include <pthread.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace {

using gimbal::with_room;

std::uintptr_t place_of_frame() {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

// Writes to all of it.
int use_stack() {
    std::array<volatile char, 300'000> large{};
    for (std::size_t i = 0; i < large.size(); i += 100) large[i] = 1;
    return large[100];
}

void* work_in_small_thread(void* result) {
    with_room([&] { *static_cast<int*>(result) = use_stack(); });
    return nullptr;
}

TEST(OwnStack, AThreadOfSixteenKilobytesHasRoom) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN), 0);
    pthread_t thread{};
    int result = 0;
    ASSERT_EQ(pthread_create(&thread, &attributes, work_in_small_thread, &result), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    EXPECT_EQ(result, 1);
}

TEST(OwnStack, TheMainThreadHasRoomAndStaysWhereItIs) {
    const std::uintptr_t here = place_of_frame();
    std::uintptr_t there = 0;
    with_room([&] { there = place_of_frame(); });
    EXPECT_LT(here - there, 100'000U);
}

TEST(OwnStack, WhatIsThrownArrivesAndOneInAnotherHasTheSameStack) {
    pthread_t thread{};
    const auto body = [](void* caught) -> void* {
        try {
            with_room([] {
                const std::uintptr_t outer = place_of_frame();
                with_room([&] {
                    if (outer - place_of_frame() > 100'000U) throw std::logic_error("another stack");
                });
                throw std::runtime_error("as meant");
            });
        } catch (const std::runtime_error&) {
            *static_cast<bool*>(caught) = true;
        }
        return nullptr;
    };
    bool caught = false;
    ASSERT_EQ(pthread_create(&thread, nullptr, body, &caught), 0);
    pthread_join(thread, nullptr);
    EXPECT_TRUE(caught);
}

}  // namespace
