// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/part_file.hpp"

#include "base/held_signal.hpp"
#include "base/process_state.hpp"
#include "gimbal/error.hpp"
#include "gimbal/output_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace gimbal {

namespace {

[[noreturn]] void cannot_read(const std::string& path, int reason) {
    throw Error(ErrorCode::file, "cannot read \"" + path + "\": " + std::strerror(reason));
}

}  // namespace

std::string read_file(const std::string& path, std::size_t limit) {
    const int file = beyond_standard_streams(open(path.c_str(), O_RDONLY | O_CLOEXEC));
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

PartFile::PartFile(std::string path, unsigned mode) : path_(std::move(path)) {
    const std::string aside = path_ + ".part-" + program_number();
    OutputFile opened = open_output(path_, aside, mode);
    file_ = opened.descriptor;
    if (file_ < 0) fail(opened.refusal);
    identity_ = FileIdentity(file_);
    if (!opened.in_place) aside_ = aside;
}

PartFile::~PartFile() {
    give_up();
}

void PartFile::let_go() noexcept {
    if (identity_.is(file_)) close(file_);
    file_ = -1;
}

void PartFile::give_up() noexcept {
    let_go();
    if (!aside_.empty()) unlink(aside_.c_str());
    aside_.clear();
}

void PartFile::need_file() {
    if (identity_.is(file_)) return;
    if (file_ >= 0 && !aside_.empty()) file_ = identity_.reopen(aside_.c_str(), O_WRONLY | O_APPEND);
    if (file_ < 0 || aside_.empty()) fail(EBADF);
}

void PartFile::fail(int reason) {
    fail(std::string(std::strerror(reason)));
}

void PartFile::fail(const std::string& reason) {
    give_up();
    throw Error(ErrorCode::file, "cannot write \"" + path_ + "\": " + reason,
                "nothing was left behind; give another path, or make room");
}

void PartFile::append(std::string_view text) {
    const HeldSignal too_large(SIGXFSZ);
    const HeldSignal closed(SIGPIPE);
    need_file();
    if (const int reason = write_all(file_, text)) fail(reason);
}

void PartFile::finish(Durable durable) {
    need_file();
    // Devices and pipes have nothing to flush and say EINVAL.
    if (durable == Durable::yes && fsync(file_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
    const int closed = close(file_);
    const int reason = errno;
    file_ = -1;
    const bool renamed = closed == 0 && (aside_.empty() || std::rename(aside_.c_str(), path_.c_str()) == 0);
    const int why = closed != 0 ? reason : errno;
    if (!renamed) fail(why);
    aside_.clear();
}

void PartFile::disown() noexcept {
    let_go();
    aside_.clear();
}

}  // namespace gimbal
