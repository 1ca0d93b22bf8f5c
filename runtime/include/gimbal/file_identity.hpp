// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>

namespace gimbal {

/// Move a descriptor of Gimbal's away from 0, 1 and 2. Programs may be started without one of them, and daemons close
/// all three: the lowest free number is then that of a standard stream, and what the program prints would stand in our
/// file.
/// @param descriptor  just opened, and nobody else's yet; -1 stays
/// @return > 2, close-on-exec; -1: as given, or no number is free; errno says why
/// @threads any  @cost none mostly, else two system calls
[[nodiscard]] inline int beyond_standard_streams(int descriptor) noexcept {
    if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
    const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int reason = errno;
    close(descriptor);
    errno = reason;
    return moved;
}

/// Which file a descriptor leads to. Programs close descriptors that they have not opened, daemons and launchers all of
/// them, and then have files of their own under the same numbers. Who keeps one open for longer looks before each use.
/// Event counters, epoll and the like are all one file to the kernel.
/// @threads const calls: any  @errors none  @cost a system call; reopen() up to three
class FileIdentity {
public:
    FileIdentity() noexcept = default;
    explicit FileIdentity(int descriptor) noexcept {
        struct stat now {};
        known_ = fstat(descriptor, &now) == 0;
        device_ = now.st_dev;
        inode_ = now.st_ino;
    }

    /// Whether this descriptor leads there now; -1 does not.
    [[nodiscard]] bool is(int descriptor) const noexcept {
        const FileIdentity now(descriptor);
        return known_ && now.known_ && now.device_ == device_ && now.inode_ == inode_;
    }

    /// The same file once more, where its descriptor was closed. @param flags  O_WRONLY and the like
    /// @return to be closed; -1: under this path there is none, or another one
    [[nodiscard]] int reopen(const char* path, int flags) const noexcept {
        const int again = beyond_standard_streams(open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        if (again < 0 || is(again)) return again;
        close(again);
        return -1;
    }

private:
    bool known_ = false;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace gimbal
