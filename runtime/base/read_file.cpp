// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/read_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "gimbal/error.hpp"

namespace gimbal {

namespace {

[[noreturn]] void cannot_read(const std::string& path, int reason) {
    throw Error(ErrorCode::file, "cannot read \"" + path + "\": " + std::strerror(reason));
}

}  // namespace

std::string read_file(const std::string& path, std::size_t limit) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) cannot_read(path, errno);
    std::string text;
    std::array<char, 16384> buffer{};
    ssize_t got = 0;
    while ((got = read(file, buffer.data(), buffer.size())) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > limit) break;
    }
    const int reason = errno;
    close(file);
    if (got < 0) cannot_read(path, reason);
    if (text.size() > limit) cannot_read(path, EFBIG);
    return text;
}

}  // namespace gimbal
