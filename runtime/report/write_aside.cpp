// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "config/held_signal.hpp"
#include "gimbal/error.hpp"
#include "report/files.hpp"

namespace gimbal {

namespace {

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

/// A device or a pipe is written to, never replaced. @return 0 or an errno value
int write_in_place(const std::string& path, std::string_view text) {
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return errno;
    const int reason = write_all(file, text);
    return close(file) != 0 && reason == 0 ? errno : reason;
}

/// Where a symbolic link leads, so that the link stays one.
std::string real_path(const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> resolved(realpath(path.c_str(), nullptr), std::free);
    return resolved ? resolved.get() : path;
}

/// Write beside `path`, then rename. @return 0 or an errno value
int replace(const std::string& path, std::string_view text) {
    const std::string aside = path + ".part-" + std::to_string(getpid());
    // A leftover of an earlier process with the same number is replaced, a link in its place is not followed.
    unlink(aside.c_str());
    const int file = open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0) return errno;
    int reason = write_all(file, text);
    if (close(file) != 0 && reason == 0) reason = errno;
    if (reason == 0 && std::rename(aside.c_str(), path.c_str()) != 0) reason = errno;
    if (reason != 0) unlink(aside.c_str());
    return reason;
}

}  // namespace

void write_file_aside(const std::string& path, std::string_view text) {
    const HeldSignal too_large(SIGXFSZ);
    const HeldSignal closed(SIGPIPE);
    struct stat target {};
    const bool exists = stat(path.c_str(), &target) == 0;
    const int reason = exists && !S_ISREG(target.st_mode) ? write_in_place(path, text) : replace(real_path(path), text);
    if (reason == 0) return;
    throw Error(ErrorCode::file, "cannot write \"" + path + "\": " + std::strerror(reason),
                "nothing was left behind; give another path, or make room");
}

}  // namespace gimbal
