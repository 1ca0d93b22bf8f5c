// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/affinity.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace gimbal::pin {

namespace {
constexpr int kBits = static_cast<int>(sizeof(unsigned long) * CHAR_BIT);
constexpr std::size_t kMostWords = 1 << 12;  // 262144 processors; no kernel has more
}  // namespace

std::vector<unsigned long> mask_words(std::span<const int> numbers) {
    const int highest = numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end());
    std::vector<unsigned long> words(static_cast<std::size_t>(highest / kBits) + 1, 0);
    for (const int n : numbers) words[static_cast<std::size_t>(n / kBits)] |= 1UL << (n % kBits);
    return words;
}

std::vector<int> mask_numbers(std::span<const unsigned long> words) {
    std::vector<int> numbers;
    for (std::size_t w = 0; w < words.size(); ++w) {
        for (int b = 0; b < kBits; ++b) {
            if ((words[w] >> b & 1UL) != 0) numbers.push_back(static_cast<int>(w) * kBits + b);
        }
    }
    return numbers;
}

int get_affinity(pid_t tid, std::vector<int>& pus) {
    // The kernel refuses a buffer narrower than its own masks, and says no more than that: try wider ones.
    for (std::size_t words = 16; words <= kMostWords; words *= 2) {
        std::vector<unsigned long> mask(words, 0);
        if (syscall(SYS_sched_getaffinity, tid, words * sizeof(unsigned long), mask.data()) >= 0) {
            pus = mask_numbers(mask);
            return 0;
        }
        if (errno != EINVAL) return errno;
    }
    return EINVAL;
}

int set_affinity(pid_t tid, std::span<const int> pus) {
    constexpr int kSmall = 1024;
    if (!pus.empty() && *std::max_element(pus.begin(), pus.end()) >= kSmall) {
        const std::vector<unsigned long> words = mask_words(pus);
        const auto bytes = words.size() * sizeof(unsigned long);
        return syscall(SYS_sched_setaffinity, tid, bytes, words.data()) == 0 ? 0 : errno;
    }
    unsigned long words[kSmall / kBits] = {};
    for (const int pu : pus) words[pu / kBits] |= 1UL << (pu % kBits);
    return syscall(SYS_sched_setaffinity, tid, sizeof words, words) == 0 ? 0 : errno;
}

bool is_thread_of(pid_t pid, pid_t tid) noexcept {
    // EPERM: it is there, but not ours to signal; then it is not ours to move either, which the next call will say.
    return syscall(SYS_tgkill, pid == 0 ? getpid() : pid, tid, 0) == 0 || errno == EPERM;
}

}  // namespace gimbal::pin
