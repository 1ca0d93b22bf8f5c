// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gimbal/pin.h
#include <exception>
#include <mutex>

#include "act/thread_memory.hpp"
#include "attach/process.hpp"
#include "gimbal/pin.h"

namespace {

using namespace gimbal::pin;

/// The system allows a name of 15 bytes.
constexpr std::size_t kName = 15;

}  // namespace

extern "C" {

int gimbal_pin_register(const char* name) {
    ThreadRecord* const record = begin_self();
    if (!record) return -1;
    need_manager();
    try {
        const std::lock_guard lock(registry().mutex());
        if (name) record->name.assign(name, 0, kName);
        record->asked = true;
        record->left = false;
    } catch (const std::exception&) {
        return -1;
    }
    return 0;
}

void gimbal_pin_progress(uint64_t done) {
    ThreadRecord* const record = self();
    if (!record) return;
    record->progress.fetch_add(done, std::memory_order_relaxed);
    if (!record->counts.load(std::memory_order_relaxed)) record->counts.store(true, std::memory_order_relaxed);
    if (record->wants_memory.load(std::memory_order_relaxed) == -1) return;
    const int node = record->wants_memory.exchange(-1, std::memory_order_relaxed);
    if (node != -1) (void)follow_node(node);
}

int gimbal_pin_memory(const void* begin, size_t bytes) {
    ThreadRecord* const record = self();
    if (!record || !is_on()) return -1;
    try {
        const std::lock_guard lock(registry().mutex());
        record->memory.emplace_back(begin, bytes);
    } catch (const std::exception&) {
        return -1;
    }
    return 0;
}

int gimbal_pin_unregister(void) {
    ThreadRecord* const record = self();
    if (!record || !is_on()) return -1;
    const std::lock_guard lock(registry().mutex());
    if (record->bound) (void)bind_ranges(record->memory, -1);
    record->bound = false;
    // What the manager has asked for and the thread has not yet done, it does not do any more.
    record->wants_memory.store(-1, std::memory_order_relaxed);
    (void)follow_node(-1);
    record->memory.clear();
    record->left = true;
    return 0;
}

}  // extern "C"
