// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call_path.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unwind.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "gimbal/hash.hpp"
#include "node.hpp"

namespace gimbal::waiting {

namespace {

constexpr std::size_t kMaxPaths = 1024;
constexpr std::size_t kSeats = 2 * kMaxPaths;  // a table that is half empty finds its entries soon
constexpr std::size_t kFrames = 8;             // of the program's, that tell paths apart
constexpr std::uint32_t kMaxReads = 20000;  // of the stack; a program that always calls anew is known by callers alone

struct Entry {
    std::atomic<std::uint64_t> key;  // 0: free
    std::atomic<CallPath*> path;
};

std::array<Entry, kSeats> g_table;
std::atomic<std::uint32_t> g_paths{0};
std::atomic<std::uint32_t> g_reads{0};

/// What any thread has found before, for programs that call from more places than a thread remembers. Two words that
/// two threads write at once may be of two places: then they do not match.
struct Found {
    std::atomic<std::uint64_t> key_and_path;  // both, mixed by an exclusive or
    std::atomic<CallPath*> path;
};
constexpr std::size_t kFound = 4096;
std::array<Found, kFound> g_found;

/// What a thread has found before. The frame is an address, the depth of the stack: what lies there is not looked at,
/// for a program need not keep frame pointers.
struct Known {
    const void* caller;
    const void* frame;
    CallPath* path;
    CallId call;  // one place may call several functions, by their addresses
};
constexpr std::size_t kKnown = 64;
constinit __attribute__((tls_model("initial-exec"))) thread_local std::array<Known, kKnown> t_known{};

bool is_in_library(const void* address) noexcept {
    Dl_info info{};
    if (dladdr(address, &info) == 0 || !info.dli_fname) return false;
    std::string_view name(info.dli_fname);
    name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
    return name.starts_with("libmpi") || name.starts_with("libgimbal_");
}

/// What a thread has asked before.
struct Asked {
    const void* address;
    bool is_library;
};
constexpr std::size_t kAsked = 16;
constinit __attribute__((tls_model("initial-exec"))) thread_local std::array<Asked, kAsked> t_asked{};

struct Stack {
    const void* caller;
    bool begun = false;  // the caller's frame has been reached
    std::uint64_t hash = kHashOfNothing;
    std::size_t frames = 0;
    const void* program = nullptr;  // the first frame that is the program's own
};

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* argument) noexcept {
    Stack& stack = *static_cast<Stack*>(argument);
    const void* const address = reinterpret_cast<const void*>(_Unwind_GetIP(context));
    if (!address) return _URC_END_OF_STACK;
    stack.begun |= address == stack.caller;
    if (!stack.begun) return _URC_NO_REASON;
    if (!stack.program && !is_in_library(address)) stack.program = address;
    if (stack.frames++ < kFrames) stack.hash = hash_with(stack.hash, reinterpret_cast<std::uint64_t>(address));
    return stack.frames < kFrames || !stack.program ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/// There are too many already: this one never gets one, and nobody has to look again.
CallPath* const kNoPath = reinterpret_cast<CallPath*>(&g_table);

CallPath* insert(std::uint64_t key, CallId call, const void* address) noexcept {
    for (std::size_t i = 0; i < kSeats; ++i) {
        Entry& entry = g_table[(key + i) % kSeats];
        std::uint64_t found = entry.key.load(std::memory_order_relaxed);
        if (found == 0) {
            if (g_paths.load(std::memory_order_relaxed) >= kMaxPaths) return kNoPath;
            if (entry.key.compare_exchange_strong(found, key)) {
                // Of threads that are here at once each may take one too many: there is room.
                g_paths.fetch_add(1, std::memory_order_relaxed);
                CallPath* const made = new (std::nothrow) CallPath(call, address);
                entry.path.store(made, std::memory_order_release);
                return made;
            }
        }
        // Another thread may still be making it: then this call is not counted.
        if (found == key) return entry.path.load(std::memory_order_acquire);
    }
    return kNoPath;
}

/// The stack that a thread was started with. Another one, of a coroutine, may begin with an address that leads nowhere,
/// and reading the frames there would end the process.
struct OwnStack {
    std::uintptr_t low = 0, high = 0;
    bool known = false;
};
constinit __attribute__((tls_model("initial-exec"))) thread_local OwnStack t_stack{};

bool is_on_own_stack(const void* frame) noexcept {
    if (!t_stack.known) {
        t_stack.known = true;
        pthread_attr_t attributes;
        void* low = nullptr;
        std::size_t bytes = 0;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
        if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
            t_stack.low = reinterpret_cast<std::uintptr_t>(low);
            t_stack.high = t_stack.low + bytes;
        }
        pthread_attr_destroy(&attributes);
    }
    const auto address = reinterpret_cast<std::uintptr_t>(frame);
    return address >= t_stack.low && address < t_stack.high;
}

CallPath* look_up(CallId call, const void* caller, const void* frame) noexcept {
    Stack stack{.caller = caller};
    if (is_on_own_stack(frame) && g_reads.fetch_add(1, std::memory_order_relaxed) < kMaxReads)
        _Unwind_Backtrace(take_frame, &stack);
    if (!stack.begun) stack.hash = hash_with(stack.hash, reinterpret_cast<std::uint64_t>(caller));
    const std::uint64_t key = hash_with(stack.hash, static_cast<std::uint64_t>(call) + 1);
    return insert(key ? key : 1, call, stack.program ? stack.program : caller);
}

}  // namespace

CallPath::CallPath(CallId call, const void* address) noexcept : call_(call), module_(""), offset_(0) {
    Dl_info info{};
    void* map = nullptr;
    if (dladdr1(address, &info, &map, RTLD_DL_LINKMAP) != 0 && info.dli_fname && map) {
        // The program itself has no name in the loader's list, and may have been called by one that leads nowhere
        // later.
        const bool is_program = *static_cast<const link_map*>(map)->l_name == '\0';
        const std::unique_ptr<char, void (*)(void*)> program(is_program ? realpath("/proc/self/exe", nullptr) : nullptr,
                                                             free);
        const char* const path = program ? program.get() : info.dli_fname;
        if (const char* const copy = strdup(path)) module_ = copy;  // the object may be unloaded
        // The call itself, not where it returns to: that may be another line.
        offset_ = reinterpret_cast<std::uintptr_t>(address) - 1 - static_cast<const link_map*>(map)->l_addr;
    }
    if (node().slots() > 0) lasts_ = new (std::nothrow) std::uint32_t[static_cast<std::size_t>(node().slots())]();
}

std::uint64_t CallPath::estimated(std::uint64_t time_ns) noexcept {
    const std::uint64_t calls = calls_.load(std::memory_order_relaxed);
    times_ns_[calls % kTimes] = static_cast<std::uint32_t>(std::min<std::uint64_t>(time_ns, UINT32_MAX));
    if (calls % kEvery == 0) {
        const auto count = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(calls + 1, kTimes));
        auto sorted = times_ns_;
        std::nth_element(sorted.begin(), sorted.begin() + count / 10, sorted.begin() + count);
        low_ns_ = std::min<std::uint64_t>(sorted[static_cast<std::size_t>(count / 10)], kTransfer_ns);
    }
    return time_ns > low_ns_ ? time_ns - low_ns_ : 0;
}

void CallPath::note_last(const Visit& visit) noexcept {
    if (!visit.seen) return;
    add_to(seen_calls_, 1);
    if (visit.last_is_self) add_to(last_calls_, 1);
    if (visit.last_slot < 0 || !lasts_) return;
    const std::uint64_t often = ++lasts_[visit.last_slot];
    if (often < often_.load(std::memory_order_relaxed)) return;
    often_.store(often, std::memory_order_relaxed);
    often_slot_.store(visit.last_slot, std::memory_order_relaxed);
}

std::uint64_t CallPath::add(const Visit& visit) noexcept {
    const std::uint64_t time_ns = visit.end_ns - visit.begin_ns;
    // The file takes its time, too: what the ranks compute says who is late.
    const std::uint64_t guess_ns = row_of(call_).kind == Kind::file ? 0 : estimated(time_ns);
    const std::uint64_t slack_ns = visit.known ? std::min(visit.slack_ns, time_ns) : guess_ns;
    add_to(time_ns_, time_ns);
    add_to(waiting_ns_, slack_ns);
    if (visit.known) add_to(known_calls_, 1);
    note_last(visit);
    const double interval_s = last_end_ns_ ? 1e-9 * static_cast<double>(visit.begin_ns - last_end_ns_) : 0;
    history_.add(1e-9 * static_cast<double>(slack_ns), interval_s, visit.seen && visit.last_is_self);
    predicted_ns_.store(static_cast<std::uint64_t>(1e9 * history_.predicted_s()), std::memory_order_relaxed);
    last_end_ns_ = visit.end_ns;
    add_to(calls_, 1);
    return slack_ns;
}

void CallPath::read(gimbal_waiting_path& out) const noexcept {
    const auto seconds = [](const std::atomic<std::uint64_t>& ns) {
        return 1e-9 * static_cast<double>(ns.load(std::memory_order_relaxed));
    };
    const auto count = [](const std::atomic<std::uint64_t>& sum) { return sum.load(std::memory_order_relaxed); };
    out = {.call = row_of(call_).name,
           .module = module_,
           .offset = offset_,
           .calls = count(calls_),
           .time_s = seconds(time_ns_),
           .waiting_s = seconds(waiting_ns_),
           .predicted_s = seconds(predicted_ns_),
           .exact_calls = count(known_calls_),
           .seen_calls = count(seen_calls_),
           .last_calls = count(last_calls_),
           .last_rank = static_cast<int>(often_slot_.load(std::memory_order_relaxed)),
           .by_that_rank = count(often_)};
    if (out.last_rank >= 0) out.last_rank = node().rank(out.last_rank).world_rank;
}

bool is_library(const void* address) noexcept {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    Asked& asked = t_asked[(number ^ (number >> 4U) ^ (number >> 8U)) % kAsked];
    if (asked.address != address) asked = {address, is_in_library(address)};
    return asked.is_library;
}

bool is_on_stack(const void* caller, const void* frame) noexcept {
    struct Sought {
        const void* caller;
        std::uintptr_t frame;
        bool found = false;
    } sought{caller, reinterpret_cast<std::uintptr_t>(frame)};
    if (!is_on_own_stack(frame) || !is_on_own_stack(__builtin_frame_address(0))) return true;
    const auto look = [](_Unwind_Context* context, void* argument) {
        Sought& of = *static_cast<Sought*>(argument);
        of.found = reinterpret_cast<const void*>(_Unwind_GetIP(context)) == of.caller &&
                   static_cast<std::uintptr_t>(_Unwind_GetCFA(context)) > of.frame;
        return of.found ? _URC_END_OF_STACK : _URC_NO_REASON;
    };
    _Unwind_Backtrace(look, &sought);
    return sought.found;
}

CallPath* find_path(CallId call, const void* caller, const void* frame) noexcept {
    const auto mix = reinterpret_cast<std::uintptr_t>(caller) ^ (reinterpret_cast<std::uintptr_t>(frame) >> 4U) ^
                     static_cast<std::uintptr_t>(call);
    Known& known = t_known[(mix ^ (mix >> 7U)) % kKnown];
    if (known.caller == caller && known.frame == frame && known.call == call && known.path)
        return known.path == kNoPath ? nullptr : known.path;
    const std::uint64_t key =
        hash_with(hash_with(reinterpret_cast<std::uintptr_t>(caller), static_cast<std::uint64_t>(call)),
                  reinterpret_cast<std::uintptr_t>(frame));
    Found& found = g_found[key % kFound];
    // Acquire: partner of the release below, after which the path is complete.
    CallPath* path = found.path.load(std::memory_order_acquire);
    const std::uint64_t word = found.key_and_path.load(std::memory_order_relaxed);
    if (!path || (word ^ reinterpret_cast<std::uintptr_t>(path)) != key) {
        path = look_up(call, caller, frame);
        found.key_and_path.store(key ^ reinterpret_cast<std::uintptr_t>(path), std::memory_order_relaxed);
        found.path.store(path, std::memory_order_release);
    }
    known = {caller, frame, path, call};
    return path == kNoPath ? nullptr : path;
}

std::size_t longest_paths(std::span<gimbal_waiting_path> paths) noexcept {
    // The time as it was once: others go on adding to it.
    std::array<std::pair<std::uint64_t, const CallPath*>, kMaxPaths> found{};
    std::size_t count = 0;
    for (const Entry& entry : g_table)
        if (const CallPath* const path = entry.path.load(std::memory_order_acquire); path && count < found.size())
            found[count++] = {path->time_ns(), path};
    const std::size_t most = std::min(count, paths.size());
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most),
                      found.begin() + static_cast<std::ptrdiff_t>(count), std::greater<>());
    for (std::size_t i = 0; i < most; ++i) found[i].second->read(paths[i]);
    return most;
}

}  // namespace gimbal::waiting
