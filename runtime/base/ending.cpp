// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/process_state.hpp"

#include <time.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/clock.hpp"

namespace gimbal {

namespace detail {
__thread bool process_ending = false;
}

namespace {

std::uint64_t patience_ends_ns = 0;
bool in_handler = false;  // as far as the stack says
std::array<std::string_view, 16> missing{};
std::size_t missing_count = 0;

struct Stack {
    int depth = 0;
    bool interrupted = false;
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* frame, void* stack) {
    constexpr int kDeepest = 10'000;
    Stack& seen = *static_cast<Stack*>(stack);
    int before_instruction = 0;  // true only of a frame that a signal interrupted: calls return behind theirs
    _Unwind_GetIPInfo(frame, &before_instruction);
    seen.interrupted = before_instruction != 0;
    return seen.interrupted || ++seen.depth > kDeepest ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

// Takes no lock and no memory: glibc (from 2.35) finds unwind tables without either.
bool called_from_handler() noexcept {
    Stack seen;
    _Unwind_Backtrace(look_at_frame, &seen);
    return seen.interrupted;
}

}  // namespace

bool ending_in_handler() noexcept {
    return ending() && in_handler;
}

ProcessEnding::ProcessEnding() noexcept {
    in_handler = called_from_handler();
    patience_ends_ns = monotonic_ns() + std::uint64_t{kPatience_ms} * 1'000'000;
    missing_count = 0;
    detail::process_ending = true;
}

ProcessEnding::~ProcessEnding() {
    detail::process_ending = false;
}

std::unique_lock<std::mutex> lock_or_give_up(std::mutex& mutex) noexcept {
    if (!ending()) return std::unique_lock(mutex);
    std::unique_lock lock(mutex, std::try_to_lock);
    while (!lock.owns_lock() && monotonic_ns() < patience_ends_ns) {
        const timespec moment = {0, 200'000};
        nanosleep(&moment, nullptr);
        (void)lock.try_lock();
    }
    return lock;
}

void note_missing(const char* what) noexcept {
    if (!ending() || missing_count == missing.size()) return;
    const std::span known(missing.data(), missing_count);
    if (std::find(known.begin(), known.end(), std::string_view(what)) == known.end()) missing[missing_count++] = what;
}

std::string missing_parts() {
    std::string text;
    for (std::size_t i = 0; i < missing_count; ++i) text.append(i == 0 ? "" : ", ").append(missing[i]);
    return text;
}

}  // namespace gimbal
