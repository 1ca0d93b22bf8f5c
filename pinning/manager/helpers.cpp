// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/helpers.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "gimbal/plain_text.hpp"

namespace gimbal::pin {

namespace {

/// Beginnings of names, lower case.
constexpr std::array<std::string_view, 22> kBeginnings = {
    "gimbal", "ucx", "ucp", "uct",       "async", "mpi", "mpich",       "orted",     "opal", "pmix", "prte",
    "ofi",    "fi_", "psm", "libfabric", "cuda",  "nv",  "jemalloc_bg", "tbbmalloc", "iou-", "gdb",  "likwid"};
/// Anywhere in a name.
constexpr std::array<std::string_view, 3> kParts = {"progress", "monitor", "watchdog"};

}  // namespace

bool is_helper(std::string_view name) noexcept {
    std::array<char, 64> lower{};
    const std::size_t length = std::min(name.size(), lower.size());
    std::transform(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(length), lower.begin(), ascii_lower);
    const std::string_view word(lower.data(), length);
    return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                       [&](std::string_view begin) { return word.starts_with(begin); }) ||
           std::any_of(kParts.begin(), kParts.end(),
                       [&](std::string_view part) { return word.find(part) != std::string_view::npos; });
}

std::string system_name(pid_t tid) {
    std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/comm");
    std::string name;
    std::getline(file, name);
    return name;
}

}  // namespace gimbal::pin
