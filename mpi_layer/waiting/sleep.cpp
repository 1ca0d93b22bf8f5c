// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sleep.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>

#include "gimbal/rank_cores.h"
#include "gimbal/rank_loop.h"
#include "node.hpp"

// Not there where libgimbal.so is not, or is older: then a rank only sleeps.
#pragma weak gimbal_rank_cores_lend
#pragma weak gimbal_rank_cores_wanted
#pragma weak gimbal_rank_cores_take_back
#pragma weak gimbal_rank_warn

namespace gimbal::waiting {

namespace {

constexpr std::uint64_t kSpin_ns = 20000;       // what others need to come at the same time
constexpr std::uint64_t kLook_ns = 70000;       // after somebody has woken it up: a message takes both sides
constexpr std::uint64_t kShortest_ns = 200000;  // from one look to the next where nobody wakes it up
constexpr std::uint64_t kLongest_ns = 5000000;
constexpr int kLooksAlone = 20;  // looks by itself, from one look at the others' processes to the next

std::atomic<std::uint64_t> g_patience_ns{5'000'000'000};
std::atomic<std::uint64_t> g_sleeps{0};
std::atomic<bool> g_lends{false};

inline void pause_briefly() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield" ::: "memory");
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

/// @return false: the time is over, nobody has woken it up
bool sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t seen, std::uint64_t limit_ns) noexcept {
    timespec limit{.tv_sec = 0, .tv_nsec = static_cast<long>(limit_ns)};
    return syscall(SYS_futex, &word, FUTEX_WAIT, seen, &limit, nullptr, 0) == 0 || word.load() != seen;
}

/// The cores of this rank, lent while it lives.
class Lending {
public:
    Lending() noexcept : lent_(gimbal_rank_cores_lend && gimbal_rank_cores_take_back && g_lends.load()) {
        if (lent_) gimbal_rank_cores_lend();
    }
    ~Lending() {
        if (lent_) gimbal_rank_cores_take_back();
    }
    Lending(const Lending&) = delete;
    Lending& operator=(const Lending&) = delete;

private:
    bool lent_;
};

bool comes_soon(Awaited& awaited) noexcept {
    for (const std::uint64_t end = now_ns() + kSpin_ns; now_ns() < end;) {
        if (awaited.is_there()) return true;
        pause_briefly();
    }
    return false;
}

bool is_of_use() noexcept {
    return !gimbal_rank_cores_wanted || gimbal_rank_cores_wanted() != 0;
}

}  // namespace

bool Patience::double_if_over() noexcept {
    const std::uint64_t now = now_ns();
    if (since_ns_ == 0) since_ns_ = now;
    std::uint64_t patience_ns = g_patience_ns.load(std::memory_order_relaxed);
    if (now - since_ns_ < patience_ns) return false;
    // Not twice for two threads.
    g_patience_ns.compare_exchange_strong(patience_ns, 2 * patience_ns, std::memory_order_relaxed);
    return true;
}

std::uint64_t sleep_until(Awaited& awaited) noexcept {
    if (!is_of_use() || awaited.is_there() || node().sleep_forbidden() || comes_soon(awaited)) return 0;
    RankSlot& self = node().rank(node().slot());
    const std::uint64_t begin_ns = now_ns();
    const Lending lending;
    g_sleeps.fetch_add(1, std::memory_order_relaxed);
    // Sequentially consistent, before it looks: partner of Node::wake().
    self.sleepers.fetch_add(1, std::memory_order_seq_cst);
    std::uint64_t limit_ns = kShortest_ns, look_until_ns = 0;
    for (int alone = 0; !node().sleep_forbidden();) {
        const std::uint32_t seen = self.word.load(std::memory_order_seq_cst);
        if (awaited.is_there()) break;
        if (look_until_ns > now_ns()) {
            pause_briefly();
            continue;
        }
        if (sleep_on(self.word, seen, limit_ns)) {
            look_until_ns = now_ns() + kLook_ns;
            continue;
        }
        limit_ns = std::min(2 * limit_ns, kLongest_ns);
        if (++alone % kLooksAlone == 0 && awaited.is_hopeless()) break;
    }
    self.sleepers.fetch_sub(1, std::memory_order_relaxed);
    return now_ns() - begin_ns;
}

void lend_cores(bool yes) noexcept {
    g_lends.store(yes);
}

void say_not_lent(const char* why) noexcept {
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(), GIMBAL_ELASTIC_HAS_NO_EFFECT "%s", why);
    if (gimbal_rank_warn) gimbal_rank_warn(text.data());
}

std::uint64_t sleeps_so_far() noexcept {
    return g_sleeps.load(std::memory_order_relaxed);
}

}  // namespace gimbal::waiting
