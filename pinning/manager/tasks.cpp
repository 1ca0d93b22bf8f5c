// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/tasks.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <dlfcn.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace gimbal::pin {

namespace {

constexpr const char* kTasks = "/proc/self/task";

}  // namespace

std::size_t task_count() noexcept {
    struct stat found {};
    // A link for the folder itself, one for the one above, and one for each thread.
    return stat(kTasks, &found) == 0 && found.st_nlink > 2 ? found.st_nlink - 2 : 0;
}

std::vector<pid_t> task_numbers() {
    std::vector<pid_t> numbers;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(kTasks), closedir);
    if (!folder) return numbers;
    while (const dirent* entry = readdir(folder.get()))
        if (entry->d_name[0] != '.') numbers.push_back(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
    return numbers;
}

std::string system_name(pid_t tid) {
    std::ifstream file(std::string(kTasks) + "/" + std::to_string(tid) + "/comm");
    std::string name;
    std::getline(file, name);
    return name;
}

namespace {

/// Names up to ".so".
constexpr std::array<std::string_view, 26> kNames = {
    "libmpi", "libopen-pal", "libopen-rte", "libpmi",  "libpmi2",   "libpmix",     "libprrte",   "libevent",  "libucs",
    "libucp", "libuct",      "libucm",      "libucc",  "libfabric", "libpsm2",     "libibverbs", "librdmacm", "libmlx5",
    "libefa", "libhcoll",    "libsharp",    "libcuda", "libcudart", "libjemalloc", "libpapi",    "liblikwid"};
/// Beginnings of names. Not "libmpi": a program's own library may well be called libmpi_farm.so.
constexpr std::array<std::string_view, 21> kBeginnings = {
    "libmpich",  "libmpi_cray", "libmpi_gnu", "libmpi_intel", "libmpi_nvidia", "mca_",      "libevent_",
    "libucx_",   "libuct_",     "libucs_",    "libgimbal",    "libnv",         "libcupti",  "libnccl",
    "libamdhip", "libhsa-",     "libze_",     "libtbbmalloc", "libmimalloc",   "libscorep", "libtau"};

std::string_view without_path(std::string_view file) noexcept {
    const std::size_t slash = file.rfind('/');
    return slash == std::string_view::npos ? file : file.substr(slash + 1);
}

}  // namespace

bool is_helper_library(std::string_view file) noexcept {
    const std::string_view name = without_path(file);
    const std::size_t end = name.find(".so");
    if (end == std::string_view::npos) return false;
    const std::string_view stem = name.substr(0, end);
    return std::find(kNames.begin(), kNames.end(), stem) != kNames.end() ||
           std::any_of(kBeginnings.begin(), kBeginnings.end(),
                       [&](std::string_view begin) { return stem.starts_with(begin); });
}

std::string helper_library(const void* routine) {
    Dl_info found{};
    if (!routine || dladdr(routine, &found) == 0 || !found.dli_fname || !is_helper_library(found.dli_fname)) return {};
    return std::string(without_path(found.dli_fname));
}

}  // namespace gimbal::pin
