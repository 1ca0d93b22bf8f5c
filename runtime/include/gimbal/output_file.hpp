// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "gimbal/file_identity.hpp"

namespace gimbal {

// How every file of Gimbal's comes to be, whatever writes it. Names are users' and may lie in folders that others can
// write to, so nothing is written through a link or into a file that is there already: a file or a symbolic link of the
// name is replaced by a new file, and what the link leads to stays as it is. Folders of the path may be links.

/// A file that was opened to be written.
struct OutputFile {
    int descriptor = -1;   ///< open, close-on-exec, no standard stream's; < 0: it was refused
    bool in_place = true;  ///< false: a new file under another name, to be renamed
    std::string refusal;   ///< why there is no descriptor; empty: there is one
};

/// The descriptor that a path like /dev/stdout or /dev/fd/3 stands for; -1: none.
/// Opened by that name, a file behind it would be opened a second time, and the program's own output overwritten.
inline int own_descriptor(std::string_view path) noexcept {
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!path.starts_with(folder)) continue;
        const std::string_view digits = path.substr(folder.size());
        int number = -1;
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (status == std::errc() && end == digits.data() + digits.size() && number >= 0) return number;
    }
    return -1;
}

/// Whether output goes into what is there now, a device, a pipe or a descriptor of this process: it is never replaced.
inline bool is_stream(const std::string& path) noexcept {
    struct stat there {};
    if (own_descriptor(path) >= 0) return true;
    return lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode) &&
           !S_ISLNK(there.st_mode);
}

/// Why no file can be written under a name, as far as that can be seen before; empty: nothing is against it.
/// @errors std::bad_alloc  @threads any
inline std::string output_refusal(const std::string& path) {
    struct stat there {};
    if (own_descriptor(path) >= 0 || lstat(path.c_str(), &there) != 0) return {};
    if (S_ISDIR(there.st_mode)) return std::strerror(EISDIR);
    if (!S_ISLNK(there.st_mode) || stat(path.c_str(), &there) != 0 || S_ISREG(there.st_mode)) return {};
    return "it is a symbolic link to a folder, a device or a pipe, and links are not followed";
}

/// Open a file for writing. A device or a pipe is opened without waiting for a reader.
/// @param path      where it shall be
/// @param new_name  name in the same folder for a new file, which the caller then renames to `path`; empty: `path`
/// @param mode      permissions of a new file, less what the process's mask takes away
/// @errors std::bad_alloc; all others are told in the answer  @threads any
inline OutputFile open_output(const std::string& path, const std::string& new_name = {}, mode_t mode = 0666) {
    OutputFile output;
    output.refusal = output_refusal(path);
    if (!output.refusal.empty()) return output;
    struct stat opened {};
    if (const int own = own_descriptor(path); own >= 0) {
        output.descriptor = fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    } else if (is_stream(path)) {
        output.descriptor =
            beyond_standard_streams(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
        if (output.descriptor >= 0 && (fstat(output.descriptor, &opened) != 0 || S_ISREG(opened.st_mode))) {
            close(output.descriptor);  // somebody has put a file there meanwhile
            output.descriptor = -1;
            errno = EEXIST;
        }
    } else {
        output.in_place = new_name.empty();
        const std::string& name = output.in_place ? path : new_name;
        // A part that an earlier process with the same number has left, or what is to be replaced.
        if (unlink(name.c_str()) == 0 || errno == ENOENT)
            output.descriptor =
                beyond_standard_streams(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    }
    if (output.descriptor < 0) output.refusal = std::strerror(errno);
    return output;
}

/// Write all of a text. A pipe that is full is waited for, but not for ever: its reader may have stopped.
/// @return 0 or an errno value  @threads any, one at a time for a file
inline int write_all(int file, std::string_view text) noexcept {
    constexpr int kReader_ms = 5000;
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
            continue;
        }
        if (errno != EINTR && errno != EAGAIN) return errno;
        pollfd room{.fd = file, .events = POLLOUT, .revents = 0};
        if (errno == EAGAIN && poll(&room, 1, kReader_ms) == 0) return EAGAIN;
    }
    return 0;
}

}  // namespace gimbal
