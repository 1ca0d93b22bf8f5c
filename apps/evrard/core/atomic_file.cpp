// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace evrard {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
    throw std::runtime_error("cannot write " + path + ": " + std::strerror(error));
}

/// @return 0, or the errno of the first failure
int write_all(int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : ENOSPC;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    // A full disk may show only here, or at close.
    return ::fsync(file) == 0 || errno == EINVAL ? 0 : errno;
}

}  // namespace

void write_file(const std::string& path, std::span<const std::byte> bytes) {
    const std::string aside = path + ".part" + std::to_string(::getpid());
    ::unlink(aside.c_str());  // what an earlier process with this number left; a link in its place is not followed
    const int file = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) fail(path, errno);
    int error = write_all(file, bytes);
    if (::close(file) != 0 && error == 0) error = errno;
    if (error == 0 && std::rename(aside.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) {
        ::unlink(aside.c_str());
        fail(path, error);
    }
}

void make_folder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw std::runtime_error("cannot make the folder " + path + ": " + error.message());
    if (!std::filesystem::is_directory(path, error)) throw std::runtime_error(path + " is not a folder");
}

}  // namespace evrard
