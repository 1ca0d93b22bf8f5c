// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/registry.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "act/memory.hpp"
#include "act/thread_memory.hpp"

namespace gimbal::pin {

namespace {

/// Of a program that makes and ends more threads than this between two looks.
constexpr std::size_t kMaxEnding = 4096;

/// The kernel writes the number of the processor there whenever the thread returns to its program (rseq(2)), so that
/// looking where a thread runs costs one load. glibc registers it from 2.35 on.
const volatile std::uint32_t* processor_word() noexcept {
    static const auto* const offset = static_cast<const std::ptrdiff_t*>(dlsym(RTLD_DEFAULT, "__rseq_offset"));
    static const auto* const size = static_cast<const unsigned*>(dlsym(RTLD_DEFAULT, "__rseq_size"));
    if (!offset || !size || *size == 0) return nullptr;
    constexpr std::ptrdiff_t kProcessor = 4;  // cpu_id follows cpu_id_start
    const auto* const area = static_cast<const char*>(__builtin_thread_pointer()) + *offset;
    return reinterpret_cast<const volatile std::uint32_t*>(area + kProcessor);
}

}  // namespace

RecordPointer Registry::add_self(bool is_main, bool counts_inside, const void* routine) {
    auto record = std::make_shared<ThreadRecord>();
    record->tid = static_cast<pid_t>(syscall(SYS_gettid));
    record->main = is_main;
    record->routine = routine;
    record->seen = processor_word();
    // The main thread's stack is also the environment's and everybody's; it stays where it is.
    if (!is_main) {
        const PageRange stack = own_stack();
        if (stack.bytes > 0) record->memory.emplace_back(reinterpret_cast<const void*>(stack.begin), stack.bytes);
    }
    if (counts_inside) start_inside(*record);
    const std::lock_guard lock(mutex_);
    fresh_.reserve(fresh_.size() + 1);
    tids_.insert_or_assign(record->tid, Known{.record = record.get()});
    ending_.erase(record->tid);
    size_.store(tids_.size(), std::memory_order_relaxed);
    record->loops.reset(gimbal_loop_watch_begin());  // from here on nothing fails: the thread knows it, too
    record->id = next_++;
    fresh_.push_back(record);
    return record;
}

void Registry::start_inside(ThreadRecord& record) {
    if (record.inside.open(Backend::papi_inside, {.pid = 0, .tid = record.tid})) (void)record.inside.start_here();
}

void Registry::end(ThreadRecord& record) noexcept {
    gimbal_loop_watch_end();
    record.inside.stop_here();
    const std::lock_guard lock(mutex_);
    record.alive = false;
    record.seen = nullptr;
    // The C library keeps stacks for other threads, which have nothing to do with this one's node.
    if (record.bound && !record.memory.empty()) (void)bind_ranges({record.memory.data(), 1}, -1);
    std::erase_if(fresh_, [&](const RecordPointer& one) { return one.get() == &record; });
    note_ending(record.tid);
    set_by_program_.erase(record.tid);
    size_.store(tids_.size(), std::memory_order_relaxed);
}

// Takes no memory. The oldest make room, by half: those that ended just now are still in the kernel's list.
void Registry::note_ending(pid_t tid) noexcept {
    if (ending_.size() >= kMaxEnding)
        std::erase_if(ending_, [this](const auto& one) { return one.second.ended + kMaxEnding / 2 <= ended_; });
    auto known = tids_.extract(tid);
    if (known.empty()) return;
    known.mapped().ended = ++ended_;
    ending_.insert(std::move(known));
}

void Registry::note_set(pid_t tid, std::vector<int> before, const std::vector<int>& now) {
    const auto known = tids_.find(tid);
    if (known != tids_.end() && !known->second.record->own_mask.empty()) {
        // Children get the program's mask from now on.
        before = std::exchange(known->second.record->own_mask, {});
        known->second.record->given_mask.clear();
    }
    const auto [entry, fresh] = set_by_program_.try_emplace(tid, SetMask{std::move(before)});
    entry->second.made = made_.load();
    // One that is just beginning has its maker's mask, and none of its own yet that could be set back.
    const bool begins = known == tids_.end() && !all_arrived();
    if (!begins && entry->second.before == now) set_by_program_.erase(entry);
}

void Registry::forget_set_before(pid_t tid, std::uint64_t made) noexcept {
    const auto entry = set_by_program_.find(tid);
    if (entry != set_by_program_.end() && entry->second.made < made) set_by_program_.erase(entry);
}

std::unique_lock<std::mutex> Registry::lock_within(int milliseconds) noexcept {
    std::unique_lock lock(mutex_, std::try_to_lock);
    for (int i = 0; i < milliseconds && !lock.owns_lock(); ++i) {
        // Not usleep(): nobody is to be cancelled here.
        const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
        syscall(SYS_nanosleep, &pause, nullptr);
        (void)lock.try_lock();
    }
    return lock;
}

void Registry::collect(std::vector<RecordPointer>& fresh) {
    const std::lock_guard lock(mutex_);
    fresh.insert(fresh.end(), fresh_.begin(), fresh_.end());
    fresh_.clear();
}

void Registry::remove_known(std::vector<pid_t>& tids) {
    const std::lock_guard lock(mutex_);
    const auto is_gone = [&tids](const auto& one) {
        return std::find(tids.begin(), tids.end(), one.first) == tids.end();
    };
    std::erase_if(ending_, is_gone);
    std::erase_if(set_by_program_, is_gone);
    std::erase_if(tids, [this](pid_t tid) { return tids_.contains(tid) || ending_.contains(tid); });
}

}  // namespace gimbal::pin
