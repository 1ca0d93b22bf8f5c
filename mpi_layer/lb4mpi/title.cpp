// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lb4mpi/setup.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "gimbal/file_identity.hpp"

namespace gimbal::lb4mpi {

namespace {

/// Reads memory that may not be there: the kernel copies it into a pipe, and answers EFAULT where a load would trap.
class Probe {
public:
    Probe() {
        if (pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) return;
        for (int& end : ends_) end = beyond_standard_streams(end);
    }
    ~Probe() {
        for (const int end : ends_)
            if (end >= 0) close(end);
    }
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;

    /// The bytes behind a text are read, too, and not looked at; a checker that stands before write() would complain.
    bool read(const char* from, std::span<char> into) {
        return ends_[0] >= 0 && ends_[1] >= 0 &&
               syscall(SYS_write, ends_[1], from, into.size()) == static_cast<long>(into.size()) &&
               ::read(ends_[0], into.data(), into.size()) == static_cast<ssize_t>(into.size());
    }

private:
    int ends_[2] = {-1, -1};
};

/// Bytes from `from` to the end of its page, at most `most`.
std::size_t to_page_end(const char* from, std::size_t most) {
    constexpr std::uintptr_t kSmallestPage = 4096;
    const auto left = kSmallestPage - reinterpret_cast<std::uintptr_t>(from) % kSmallestPage;
    return std::min<std::size_t>(left, most);
}

bool printable(const char* text) {
    for (; *text; ++text) {
        const auto byte = static_cast<unsigned char>(*text);
        if (byte < ' ' || byte == 127) return false;
    }
    return true;
}

}  // namespace

void copy_title(const char* given, std::span<char> title) {
    title.front() = '\0';
    if (!given) return;
    Probe probe;
    const std::span<char> text = title.first(title.size() - 1);
    std::size_t got = 0;
    // Page by page: the text may end just before one that cannot be read.
    while (got < text.size()) {
        const std::size_t part = to_page_end(given + got, text.size() - got);
        if (!probe.read(given + got, text.subspan(got, part))) break;
        got += part;
        if (std::memchr(title.data(), '\0', got)) break;
    }
    title[got] = '\0';
    const bool complete = std::strlen(title.data()) < got || got == text.size();
    if (!complete || !printable(title.data())) title.front() = '\0';
}

}  // namespace gimbal::lb4mpi
