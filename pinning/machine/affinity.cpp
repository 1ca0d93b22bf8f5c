// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/affinity.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <exception>
#include <fstream>
#include <iterator>
#include <string_view>

#include "gimbal/error.hpp"
#include "machine/pu_list.hpp"

namespace gimbal::pin {

namespace {
constexpr int kBits = static_cast<int>(sizeof(unsigned long) * CHAR_BIT);
constexpr std::size_t kMaxWords = 1 << 12;  // 262144 processors; no kernel has more
constexpr int kMaxPus = 8192;               // of the largest kernels, for masks on the stack
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
    for (std::size_t words = 16; words <= kMaxWords; words *= 2) {
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

namespace {

/// @return how many processors more than these a thread may run on, 0: exactly these; -1: not all of them, or unknown
int more_than(pid_t tid, std::span<const int> pus) noexcept {
    unsigned long words[kMaxPus / kBits] = {};
    if (syscall(SYS_sched_getaffinity, tid, sizeof words, words) < 0) return -1;
    int count = 0;
    for (const unsigned long word : words) count += std::popcount(word);
    const auto has = [&words](int pu) { return pu < kMaxPus && (words[pu / kBits] >> (pu % kBits) & 1UL) != 0; };
    return std::all_of(pus.begin(), pus.end(), has) ? count - static_cast<int>(pus.size()) : -1;
}

}  // namespace

bool has_affinity(pid_t tid, std::span<const int> pus) noexcept {
    return more_than(tid, pus) == 0;
}

bool is_thread_of(pid_t pid, pid_t tid) noexcept {
    // EPERM: it is there, but not ours to signal; then it is not ours to move either, which the next call will say.
    return syscall(SYS_tgkill, pid == 0 ? getpid() : pid, tid, 0) == 0 || errno == EPERM;
}

namespace {

std::optional<std::string> first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    return line;
}

/// Takes a word off a line of words with one blank between them.
std::string next_word(std::string_view& line) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(word.size() + 1, line.size()));
    return std::string(word);
}

/// A path as the kernel writes it there: blanks, tabs, line feeds and backslashes are \ooo.
std::string unescaped(std::string_view text) {
    const auto is_octal = [](char letter) { return letter >= '0' && letter <= '7'; };
    std::string path;
    while (!text.empty()) {
        const bool escaped = text.size() > 3 && text[0] == '\\' && std::all_of(&text[1], &text[1] + 3, is_octal);
        path += escaped ? static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0')) : text[0];
        text.remove_prefix(escaped ? 4 : 1);
    }
    return path;
}

/// The two kinds of hierarchies: in which group of each a process is, or where each is mounted; empty: nowhere.
struct Hierarchies {
    std::string unified;  ///< version 2: "0::/path"
    std::string cpuset;   ///< version 1: "4:cpuset:/path"
};

Hierarchies groups_of(pid_t pid, const std::string& root) {
    Hierarchies groups;
    std::ifstream file(root + "/proc/" + (pid == 0 ? "self" : std::to_string(pid)) + "/cgroup");
    for (std::string line; std::getline(file, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
        if (controllers == ",,") groups.unified = line.substr(second + 1);
        if (controllers.find(",cpuset,") != std::string::npos) groups.cpuset = line.substr(second + 1);
    }
    return groups;
}

/// Where they are mounted, without `root`.
Hierarchies mounts_of(const std::string& root) {
    Hierarchies mounts;
    std::ifstream file(root + "/proc/self/mounts");
    for (std::string line; std::getline(file, line);) {
        std::string_view rest = line;
        (void)next_word(rest);  // the device
        const std::string point = unescaped(next_word(rest)), type = next_word(rest), options = next_word(rest);
        if (type == "cgroup2" && mounts.unified.empty()) mounts.unified = point;
        if (type == "cgroup" && (',' + options + ',').find(",cpuset,") != std::string::npos) mounts.cpuset = point;
    }
    return mounts;
}

/// The list in `file` of a group, or of the nearest one around it that has such a file: a group in which the
/// controller is off obeys the one above. In a container the path may not exist under the mount; its top does.
std::optional<std::vector<int>> nearest(const std::string& mount, std::string group,
                                        std::initializer_list<const char*> files) {
    for (;;) {
        for (const char* file : files) {
            const auto line = first_line(mount + group + '/' + file);
            if (!line || line->empty()) continue;
            try {
                return parse_pu_list(*line, file);
            } catch (const Error&) {
                return std::nullopt;
            }
        }
        if (group.empty()) return std::nullopt;
        group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
}

}  // namespace

std::optional<std::vector<int>> cgroup_pus(pid_t pid, const std::string& root) {
    const Hierarchies groups = groups_of(pid, root);
    const Hierarchies mounts = mounts_of(root);
    if (!mounts.cpuset.empty() && !groups.cpuset.empty()) {
        if (auto found = nearest(root + mounts.cpuset, groups.cpuset, {"cpuset.effective_cpus", "cpuset.cpus"}))
            return found;
    }
    if (!mounts.unified.empty() && !groups.unified.empty())
        return nearest(root + mounts.unified, groups.unified, {"cpuset.cpus.effective"});
    return std::nullopt;
}

bool is_all_granted(pid_t pid, std::span<const int> mask) {
    auto granted = cgroup_pus(pid);
    if (!granted) {
        if (const auto online = first_line("/sys/devices/system/cpu/online"))
            granted = parse_pu_list(*online, "online");
    }
    return granted && std::ranges::equal(*granted, mask);
}

namespace {

bool has_all_granted(pid_t tid) noexcept {
    try {
        std::vector<int> mask;
        return get_affinity(tid, mask) == 0 && is_all_granted(tid, mask);
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace

int set_all_granted(pid_t tid, std::span<const int> pus, bool may_look) {
    unsigned long words[kMaxPus / kBits];
    std::fill(std::begin(words), std::end(words), ~0UL);
    if (syscall(SYS_sched_setaffinity, tid, sizeof words, words) == 0) {
        const int more = more_than(tid, pus);
        if (more == 0 || (more > 0 && (!may_look || has_all_granted(tid)))) return 0;
    }
    return set_affinity(tid, pus);
}

std::vector<int> allowed_pus(pid_t witness) {
    std::vector<int> mask;
    if (get_affinity(witness, mask) != 0) return {};
    const auto group = cgroup_pus(witness);
    if (!group) return mask;
    std::vector<int> common = both(mask, *group);
    return common.empty() ? mask : common;
}

}  // namespace gimbal::pin
