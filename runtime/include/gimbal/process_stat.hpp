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

/// Whether main() has left by pthread_exit() and all other threads have ended but those of Gimbal (gimbal-select,
/// gimbal-pin): a thread of Gimbal that goes on would then keep the process alive for ever.
/// @errors none: false where /proc cannot be read  @threads any  @cost one small file; where main() has left, a listing
///         and one for each thread
[[nodiscard]] inline bool program_has_left() noexcept {
    std::array<char, ProcessStat::kEnough> room;
    // The main thread; a zombie as long as others live.
    if (!ProcessStat::read("/proc/self/stat", room).has_ended()) return false;
    DIR* const folder = opendir("/proc/self/task");
    if (!folder) return false;
    bool left = true;
    while (const dirent* const entry = left ? readdir(folder) : nullptr) {
        if (entry->d_name[0] == '.') continue;
        std::array<char, sizeof entry->d_name + 32> path;
        std::snprintf(path.data(), path.size(), "/proc/self/task/%s/stat", entry->d_name);
        const ProcessStat thread = ProcessStat::read(path.data(), room);
        left = thread.has_ended() || thread.name() == "gimbal-select" || thread.name() == "gimbal-pin";
    }
    closedir(folder);
    return left;
}

}  // namespace gimbal
