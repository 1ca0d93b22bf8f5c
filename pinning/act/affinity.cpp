// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "act/affinity.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "machine/affinity.hpp"

namespace gimbal::pin {

int set_affinity(pid_t tid, std::span<const int> pus) {
    constexpr int kBits = static_cast<int>(sizeof(unsigned long) * CHAR_BIT);
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
