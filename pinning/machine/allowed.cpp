// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/allowed.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "gimbal/error.hpp"
#include "machine/affinity.hpp"
#include "machine/pu_list.hpp"

namespace gimbal::pin {

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

/// Where a process is, in each of the two kinds of hierarchies; empty: in none.
struct Groups {
    std::string unified;  ///< "0::/path"
    std::string cpuset;   ///< "4:cpuset:/path"
};

Groups groups_of(pid_t pid, const std::string& root) {
    Groups groups;
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

/// Where the hierarchies are mounted, without `root`; empty: not at all.
struct Mounts {
    std::string unified;
    std::string cpuset;
};

Mounts mounts_of(const std::string& root) {
    Mounts mounts;
    std::ifstream file(root + "/proc/self/mounts");
    for (std::string line; std::getline(file, line);) {
        std::string_view rest = line;
        (void)next_word(rest);  // the device
        const std::string point = next_word(rest), type = next_word(rest), options = next_word(rest);
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
    const Groups groups = groups_of(pid, root);
    const Mounts mounts = mounts_of(root);
    if (!mounts.cpuset.empty() && !groups.cpuset.empty()) {
        if (auto found = nearest(root + mounts.cpuset, groups.cpuset, {"cpuset.effective_cpus", "cpuset.cpus"}))
            return found;
    }
    if (!mounts.unified.empty() && !groups.unified.empty())
        return nearest(root + mounts.unified, groups.unified, {"cpuset.cpus.effective"});
    return std::nullopt;
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
