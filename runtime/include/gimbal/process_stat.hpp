// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>

namespace gimbal {

/// What /proc/PID/stat or /proc/PID/task/TID/stat says: "PID (name) S PPID ...".
/// @threads any  @errors none  @cost no memory but the caller's; read() three system calls
class ProcessStat {
public:
    /// Enough for the fields up to the state: the kernel cuts names at 15 characters, its own threads' at 63 [bytes].
    static constexpr std::size_t kEnough = 256;

    /// @param text  of the file; must stay as long as the object
    explicit ProcessStat(std::string_view text) noexcept {
        // A name may hold anything, parentheses and ends of lines too; what follows it holds no parenthesis.
        const std::size_t open = text.find('('), close = text.rfind(')');
        if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
        if (close + 2 >= text.size()) return;
        name_ = text.substr(open + 1, close - open - 1);
        fields_ = text.substr(close + 2);
        state_ = fields_.front();
    }

    /// Read the file. @param room  for its text  @return of one that is not there: has_ended(); of one that cannot be
    /// read, because this process has no descriptor left, say: state 0
    [[nodiscard]] static ProcessStat read(const char* path, std::span<char> room) noexcept {
        // Not open() and the like: the program may cancel the thread, which is not to end here.
        const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
        if (file < 0) return ProcessStat(errno);
        const long length = syscall(SYS_read, file, room.data(), room.size());
        const int failure = length < 0 ? errno : 0;  // it may have ended since it was opened
        syscall(SYS_close, file);
        if (length < 0) return ProcessStat(failure);
        return ProcessStat(std::string_view(room.data(), static_cast<std::size_t>(length)));
    }

    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    /// 'R', 'S' and so on; 0: not known
    [[nodiscard]] char state() const noexcept { return state_; }
    /// Whether it has ended: it is gone, or a zombie until its parent looks. What is not known has not ended.
    [[nodiscard]] bool has_ended() const noexcept { return state_ == 'Z' || state_ == 'X'; }
    /// A field by its number in proc(5). @param number  >= 3, the state  @return empty: it is not there
    [[nodiscard]] std::string_view field(int number) const noexcept {
        std::string_view rest = fields_;
        for (; number > 3; --number) {
            const std::size_t blank = rest.find(' ');
            rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
        }
        return rest.substr(0, rest.find_first_of(" \n"));
    }

private:
    explicit ProcessStat(int failure) noexcept : state_(failure == ENOENT || failure == ESRCH ? 'X' : '\0') {}

    std::string_view name_;
    std::string_view fields_;
    char state_ = '\0';
};

namespace detail {

/// Whether something holds for every thread of a process. @param process  number, or "self"
/// @param if_unknown  the answer where the threads cannot be listed
template <class Holds>
[[nodiscard]] bool all_threads(const char* process, bool if_unknown, Holds holds) noexcept {
    std::array<char, ProcessStat::kEnough> room;
    std::array<char, 32> tasks;
    std::snprintf(tasks.data(), tasks.size(), "/proc/%s/task", process);
    DIR* const folder = opendir(tasks.data());
    if (!folder) return if_unknown;
    bool all = true;
    while (const dirent* const entry = all ? readdir(folder) : nullptr) {
        if (entry->d_name[0] == '.') continue;
        std::array<char, sizeof entry->d_name + sizeof tasks + 8> path;
        std::snprintf(path.data(), path.size(), "%s/%s/stat", tasks.data(), entry->d_name);
        all = holds(ProcessStat::read(path.data(), room));
    }
    closedir(folder);
    return all;
}

}  // namespace detail

/// Whether main() has left by pthread_exit() and all other threads have ended but those of Gimbal (gimbal-select,
/// gimbal-pin): a thread of Gimbal that goes on would then keep the process alive for ever.
/// @errors none: false where /proc cannot be read  @threads any  @cost one small file; where main() has left, a listing
///         and one for each thread
[[nodiscard]] inline bool program_has_left() noexcept {
    std::array<char, ProcessStat::kEnough> room;
    // The main thread; a zombie as long as others live.
    if (!ProcessStat::read("/proc/self/stat", room).has_ended()) return false;
    return detail::all_threads("self", false, [](const ProcessStat& thread) {
        return thread.has_ended() || thread.name() == "gimbal-select" || thread.name() == "gimbal-pin";
    });
}

/// Whether a process of this machine has ended: it is gone, or a zombie until its parent looks, with all its threads.
/// @errors none: false where that cannot be seen  @threads any  @cost as above
[[nodiscard]] inline bool process_has_ended(int process) noexcept {
    std::array<char, ProcessStat::kEnough> room;
    std::array<char, 32> path;
    std::snprintf(path.data(), path.size(), "/proc/%d/stat", process);
    const ProcessStat main = ProcessStat::read(path.data(), room);
    if (main.state() != 'Z') return main.has_ended();
    std::snprintf(path.data(), path.size(), "%d", process);
    return detail::all_threads(path.data(), false, [](const ProcessStat& thread) { return thread.has_ended(); });
}

}  // namespace gimbal
