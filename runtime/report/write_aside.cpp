// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "gimbal/error.hpp"
#include "report/files.hpp"

namespace gimbal {

namespace {

/// Holds back SIGXFSZ of this thread: inside a stranger's program, a limit on file sizes must not become a death.
class FileSizeSignalHeld {
public:
    FileSizeSignalHeld() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGXFSZ);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
        pthread_sigmask(SIG_BLOCK, &set_, &old_);
    }
    ~FileSizeSignalHeld() {
        const timespec now = {0, 0};
        if (!was_pending_)
            while (sigtimedwait(&set_, nullptr, &now) > 0) {
            }
        pthread_sigmask(SIG_SETMASK, &old_, nullptr);
    }
    FileSizeSignalHeld(const FileSizeSignalHeld&) = delete;
    FileSizeSignalHeld& operator=(const FileSizeSignalHeld&) = delete;

private:
    sigset_t set_{}, old_{};
    bool was_pending_ = false;
};

/// @return 0 or an errno value
int write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    // Devices and pipes have nothing to flush and say EINVAL.
    return fsync(file) != 0 && errno != EINVAL && errno != EROFS ? errno : 0;
}

}  // namespace

void write_file_aside(const std::string& path, std::string_view text) {
    const FileSizeSignalHeld held;
    const std::string aside = path + ".part-" + std::to_string(getpid());
    // A leftover of an earlier process with the same number is replaced, a link in its place is not followed.
    unlink(aside.c_str());
    const int file = open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    int reason = file < 0 ? errno : write_all(file, text);
    if (file >= 0 && close(file) != 0 && reason == 0) reason = errno;
    if (file >= 0 && reason == 0 && std::rename(aside.c_str(), path.c_str()) != 0) reason = errno;
    if (reason == 0) return;
    if (file >= 0) unlink(aside.c_str());
    throw Error(ErrorCode::file, "cannot write \"" + path + "\": " + std::strerror(reason),
                "nothing was left behind; give another path, or make room");
}

}  // namespace gimbal
