// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/part_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "config/held_signal.hpp"
#include "gimbal/error.hpp"

namespace gimbal {

namespace {

/// Waits until a pipe that is full takes more, but not for ever: its reader may have stopped.
bool has_room(int file) {
    constexpr int kPatience_ms = 5000;
    pollfd wanted{.fd = file, .events = POLLOUT, .revents = 0};
    int ready = 0;
    do ready = poll(&wanted, 1, kPatience_ms);
    while (ready < 0 && errno == EINTR);
    if (ready == 0) errno = EAGAIN;
    return ready > 0;
}

/// @return 0 or an errno value
int write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN && has_room(file)) continue;
        if (written < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

/// Where a symbolic link leads, so that the link stays one.
std::string real_path(const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> resolved(realpath(path.c_str(), nullptr), std::free);
    return resolved ? resolved.get() : path;
}

}  // namespace

PartFile::PartFile(std::string path) : path_(std::move(path)) {
    struct stat target {};
    if (stat(path_.c_str(), &target) == 0 && !S_ISREG(target.st_mode)) {
        // A device or a pipe is written to, never replaced.
        file_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    } else {
        place_ = real_path(path_);
        aside_ = place_ + ".part-" + std::to_string(getpid());
        // A leftover of an earlier process with the same number is replaced, a link in its place is not followed.
        unlink(aside_.c_str());
        file_ = open(aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    }
    if (file_ < 0) fail(errno);
}

PartFile::~PartFile() {
    give_up();
}

void PartFile::give_up() noexcept {
    if (file_ < 0) return;
    close(file_);
    file_ = -1;
    if (!aside_.empty()) unlink(aside_.c_str());
}

void PartFile::fail(int reason) {
    give_up();
    throw Error(ErrorCode::file, "cannot write \"" + path_ + "\": " + std::strerror(reason),
                "nothing was left behind; give another path, or make room");
}

void PartFile::append(std::string_view text) {
    const HeldSignal too_large(SIGXFSZ);
    const HeldSignal closed(SIGPIPE);
    if (file_ < 0) fail(EBADF);
    if (const int reason = write_all(file_, text)) fail(reason);
}

void PartFile::finish(Durable durable) {
    if (file_ < 0) fail(EBADF);
    // Devices and pipes have nothing to flush and say EINVAL.
    if (durable == Durable::yes && fsync(file_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
    const int closed = close(file_);
    const int reason = errno;
    file_ = -1;
    const bool renamed = closed == 0 && (aside_.empty() || std::rename(aside_.c_str(), place_.c_str()) == 0);
    if (renamed) return;
    const int why = closed != 0 ? reason : errno;
    if (!aside_.empty()) unlink(aside_.c_str());
    fail(why);
}

void PartFile::disown() noexcept {
    if (file_ >= 0) close(file_);
    file_ = -1;
}

}  // namespace gimbal
