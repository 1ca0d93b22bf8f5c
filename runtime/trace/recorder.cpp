// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/recorder.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/own_state.hpp"
#include "base/process_state.hpp"
#include "base/warnings.hpp"

namespace gimbal {

std::atomic<bool> detail::trace_on{false};
std::uint32_t detail::trace_every = 1;
__thread TraceRing* detail::trace_ring = nullptr;

namespace {

constexpr std::uint64_t kCalibrate_us = 20'000;  // from one reading of both clocks to the next

/// All of a process. Never given back: threads may run until the very end.
struct Recorder {
    std::string path;  // of the trace
    std::uint64_t limit = 0;
    TraceFileHeader header;
    std::string (*name)(std::string path) = nullptr;
    std::mutex mutex;                       // guards what follows
    std::atomic<TraceFile*> file{nullptr};  // read without it, too
    std::string refusal;                    // why there is no file
    std::uint32_t threads = 0;
    std::map<std::string, std::uint32_t, std::less<>> texts;
    TraceRing* text_ring = nullptr;
    std::atomic<std::uint64_t> next_calibration{0};  // [ticks]
};

Recorder* recorder = nullptr;
// A thread that got nothing, or has ended, asks again only where another trace begins.
__thread Recorder* refused_by __attribute__((tls_model("initial-exec"))) = nullptr;
std::uint64_t generation = 0;

// Gives back the memory of a thread's records when the thread ends.
void end_ring(void* kept) noexcept {
    auto* const ring = static_cast<TraceRing*>(kept);
    if (ring != detail::trace_ring) return;
    refused_by = recorder;
    detail::trace_ring = nullptr;
    ring->give_back();
    delete ring;
}

// Not a thread_local object: see runtime/lending/waiters.cpp.
pthread_key_t key{};
const bool key_made = pthread_key_create(&key, end_ring) == 0;

/// All clocks at one moment.
struct Clocks {
    std::uint64_t ticks = 0;
    std::uint64_t steady_ns = 0;  // nobody sets it, and it goes on while the machine sleeps, as the ticks do
    std::uint64_t wall_ns = 0;
};

/// Of several readings the one that took least.
Clocks read_clocks() noexcept {
    Clocks now;
    std::uint64_t least = UINT64_MAX;
    for (int i = 0; i < 4; ++i) {
        const std::uint64_t before = ticks();
        const std::uint64_t wall_ns = wall_clock_ns();
        const std::uint64_t steady_ns = ns_on(CLOCK_BOOTTIME);
        const std::uint64_t after = ticks();
        if (after - before >= least) continue;
        least = after - before;
        now = {before + least / 2, steady_ns, wall_ns};
    }
    return now;
}

void read_later(TraceFileHeader& header) noexcept {
    const Clocks now = read_clocks();
    header.last_ticks = now.ticks;
    header.last_steady_ns = now.steady_ns;
}

/// With the lock held. @return nullptr: there is no file
TraceFile* file_of(Recorder& all) {
    TraceFile* made = all.file.load(std::memory_order_relaxed);
    if (made || !all.refusal.empty()) return made;
    TraceFileHeader header = all.header;
    header.magic = TraceFileHeader::kMagic;
    header.version = TraceFileHeader::kVersion;
    header.pid = static_cast<std::int32_t>(getpid());
    const std::string name = all.name(all.path);
    if (name.size() >= header.target.size()) {
        all.refusal = "no trace is written: its path has " + std::to_string(name.size()) + " bytes, and at most " +
                      std::to_string(header.target.size() - 1) + " are possible";
        warn_once(all.refusal);
        return nullptr;
    }
    std::copy(name.begin(), name.end(), header.target.begin());
    const std::string path = records_beside(all.path) + ".records-" + program_number();
    std::string refusal;
    made = TraceFile::create(path, header, all.limit, refusal);
    if (!made) {
        all.refusal = "no trace is written: cannot make \"" + path + "\": " + refusal;
        warn_once(all.refusal);
    }
    all.file.store(made, std::memory_order_release);
    return made;
}

/// With the lock held: room for one thread's records. @return nullptr: there is none, or no memory
TraceRing* new_ring(Recorder& all, std::uint64_t system_id) noexcept {
    const NotCancelled uncancelled;
    try {
        TraceFile* const file = file_of(all);
        if (!file) return nullptr;
        // Before the block: who has no memory takes none of the file, however often it asks.
        auto ring = std::make_unique<TraceRing>(*file);
        if (!ring->map(all.threads, system_id)) {
            ++file->header().blocks_dropped_for;
            return nullptr;
        }
        file->header().threads = ++all.threads;
        return ring.release();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

/// With the lock held. @return 0: there is no memory
std::uint32_t new_number(Recorder& all, std::string_view text) noexcept {
    try {
        const auto number = static_cast<std::uint32_t>(all.texts.size() + 1);
        all.texts.emplace(text, number);
        return number;
    } catch (const std::bad_alloc&) {
        return 0;
    }
}

/// With the lock held. All bytes, in whole records of one block: others may be lost.
void put_text(TraceRing& ring, std::uint32_t number, std::string_view text) noexcept {
    const std::size_t records = 1 + (text.size() + sizeof(TraceRecord) - 1) / sizeof(TraceRecord);
    for (std::uint64_t room = ring.room(); room < records && room > 0; --room) ring.put(TraceRecord{});
    ring.put(TraceKind::text, pair_of(number, text.size()));
    for (std::size_t at = 0; at < text.size(); at += sizeof(TraceRecord)) {
        TraceRecord bytes;
        std::memcpy(&bytes, text.data() + at, std::min(sizeof bytes, text.size() - at));
        ring.put(bytes);
    }
}

}  // namespace

bool TraceRing::map(std::uint32_t thread, std::uint64_t system_id) noexcept {
    block_ = file_.map_block(thread, system_id);
    return block_ != nullptr;
}

void TraceRing::pass_on() noexcept {
    const NotCancelled uncancelled;
    TraceBlockHeader& header = block_->header;
    const bool kept = file_.append(*block_);
    if (!kept) header.dropped += header.count;
    // A process that dies between these lines leaves two blocks of one number, and the fuller one counts.
    __atomic_store_n(&header.count, 0, __ATOMIC_RELEASE);
    if (kept) __atomic_store_n(&header.sequence, header.sequence + 1, __ATOMIC_RELEASE);
}

void TraceRing::give_back() noexcept {
    munmap(block_, TraceBlock::kBytes);
}

TraceRing* detail::make_trace_ring() noexcept {
    Recorder* const all = recorder;
    if (refused_by == all) return nullptr;
    const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
    {
        const auto lock = lock_or_give_up(all->mutex);
        if (!lock.owns_lock()) return nullptr;
        trace_ring = new_ring(*all, static_cast<std::uint64_t>(thread));
    }
    if (!trace_ring) refused_by = all;
    // Not of the main thread: where it ends first, the process's end is recorded still. Out of memory: the ring stays.
    if (trace_ring && key_made && thread != getpid()) pthread_setspecific(key, trace_ring);
    return trace_ring;
}

void start_trace(std::string path, std::uint64_t limit, const TraceFileHeader& header,
                 std::string (*name)(std::string path)) {
    recorder = new Recorder;
    ++generation;
    recorder->path = std::move(path);
    recorder->limit = limit;
    recorder->header = header;
    recorder->name = name;
    const Clocks now = read_clocks();
    recorder->header.start_ticks = now.ticks;
    recorder->header.start_ns = now.wall_ns;
    recorder->header.start_steady_ns = now.steady_ns;
    detail::trace_every = header.every;
    detail::trace_on.store(true, std::memory_order_relaxed);
}

std::uint64_t trace_generation() noexcept {
    return generation;
}

std::uint32_t trace_text(std::string_view text) noexcept {
    if (!tracing()) return 0;
    constexpr std::size_t kLongest = 4096;  // a part of a block
    text = text.substr(0, kLongest);
    const auto lock = lock_or_give_up(recorder->mutex);
    if (!lock.owns_lock()) return 0;
    if (const auto known = recorder->texts.find(text); known != recorder->texts.end()) return known->second;
    if (!recorder->text_ring) recorder->text_ring = new_ring(*recorder, 0);
    if (!recorder->text_ring) return 0;
    const std::uint32_t number = new_number(*recorder, text);
    if (number != 0) put_text(*recorder->text_ring, number, text);
    return number;
}

void calibrate_trace() noexcept {
    Recorder& all = *recorder;
    const std::uint64_t now = ticks();
    std::uint64_t due = all.next_calibration.load(std::memory_order_relaxed);
    // Acquire: partner of the store in file_of().
    TraceFile* const file = all.file.load(std::memory_order_acquire);
    if (now < due || !file) return;
    const auto pause = static_cast<std::uint64_t>(kCalibrate_us * ticks_per_microsecond());
    if (!all.next_calibration.compare_exchange_strong(due, now + pause, std::memory_order_relaxed)) return;
    read_later(file->header());
}

std::string trace_refusal() {
    if (!recorder) return {};
    const auto lock = lock_or_give_up(recorder->mutex);
    return lock.owns_lock() ? recorder->refusal : std::string();
}

std::string finish_trace() {
    if (!tracing()) return {};
    detail::trace_on.store(false, std::memory_order_relaxed);
    TraceFile* const file = recorder->file.load(std::memory_order_acquire);
    if (!file) return {};
    read_later(file->header());
    return file->path();
}

// Beside a device only root can make files.
std::string records_beside(const std::string& trace) {
    if (!trace.starts_with("/dev/") || trace.starts_with("/dev/shm/")) return trace;
    const char* const folder = std::getenv("TMPDIR");
    return from_start(folder && *folder ? folder : "/tmp") + "/gimbal-trace";
}

void note_refusal_said() noexcept {
    if (TraceFile* const file = recorder->file.load(std::memory_order_acquire)) file->header().refusal_said = 1;
}

// No lock: another thread of the parent may have had it. The blocks of such threads stay mapped.
void forget_trace_in_child() noexcept {
    detail::trace_on.store(false, std::memory_order_relaxed);
    if (detail::trace_ring) detail::trace_ring->leave_to_parent();
    if (recorder && recorder->text_ring) recorder->text_ring->leave_to_parent();
    if (TraceFile* const file = recorder ? recorder->file.load(std::memory_order_relaxed) : nullptr)
        file->leave_to_parent();
    detail::trace_ring = nullptr;
    recorder = nullptr;
}

}  // namespace gimbal
