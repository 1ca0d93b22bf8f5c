// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/block_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/held_signal.hpp"
#include "gimbal/output_file.hpp"

namespace gimbal {

namespace {

/// Room for a block, mapped. @return nullptr: there is none; errno says why
void* map_room(int file, std::uint64_t place) noexcept {
    const HeldSignal too_large(SIGXFSZ);
    const auto offset = static_cast<off_t>(place * TraceBlock::kBytes);
    int error = 0;
    do {
        error = posix_fallocate(file, offset, TraceBlock::kBytes);
    } while (error == EINTR);
    if (error != 0) {
        errno = error;
        return nullptr;
    }
    void* const mapped =
        mmap(nullptr, TraceBlock::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, offset);
    return mapped == MAP_FAILED ? nullptr : mapped;
}

/// A new file, to be written and mapped. @return -1: refused
int new_file(const std::string& path, std::string& refusal) {
    const OutputFile output = open_output(path, {}, 0600);
    refusal = output.refusal;
    if (output.descriptor < 0) return -1;
    // The same file once more: what is mapped must be open for reading, too. Not by the process's folder, which is
    // empty where its main thread has ended.
    std::array<char, 64> same{};
    snprintf(same.data(), same.size(), "/proc/thread-self/fd/%d", output.descriptor);
    const int file = beyond_standard_streams(open(same.data(), O_RDWR | O_CLOEXEC));
    if (file < 0) refusal = std::strerror(errno);
    close(output.descriptor);
    return file;
}

}  // namespace

TraceFile::TraceFile(std::string path, int file, std::uint64_t limit) noexcept
    : path_(std::move(path)), identity_(file), file_(file), blocks_(limit / TraceBlock::kBytes) {}

TraceFile* TraceFile::create(const std::string& path, const TraceFileHeader& header, std::uint64_t limit,
                             std::string& refusal) noexcept {
    int file = -1;
    try {
        file = new_file(path, refusal);
        if (file < 0) return nullptr;
        std::unique_ptr<TraceFile> made(new TraceFile(path, file, limit));
        if (void* const mapped = map_room(file, 0)) {
            made->header_ = new (mapped) TraceFileHeader(header);
            return made.release();
        }
        refusal = std::strerror(errno);
    } catch (const std::bad_alloc&) {
        refusal = "no memory";
    }
    if (file < 0) return nullptr;
    close(file);
    unlink(path.c_str());
    return nullptr;
}

// Relaxed: no two threads get one number, and each is alone with its part of the file.
std::uint64_t TraceFile::claim() noexcept {
    if (next_.load(std::memory_order_relaxed) >= blocks_) return 0;
    const std::uint64_t place = next_.fetch_add(1, std::memory_order_relaxed);
    return place < blocks_ ? place : 0;
}

// @return -1: the file cannot be had any more
int TraceFile::descriptor() noexcept {
    int now = file_.load(std::memory_order_relaxed);
    if (identity_.is(now)) return now;
    const int again = identity_.reopen(path_.c_str(), O_RDWR);
    if (again < 0 || file_.compare_exchange_strong(now, again, std::memory_order_relaxed)) return again;
    close(again);  // another thread was here; and the old number is not ours to close
    return now;
}

TraceBlock* TraceFile::map_block(std::uint32_t thread, std::uint64_t system_id) noexcept {
    const std::uint64_t place = claim();
    if (place == 0) return nullptr;
    const int file = descriptor();
    auto* const block = file >= 0 ? static_cast<TraceBlock*>(map_room(file, place)) : nullptr;
    if (!block) return nullptr;
    block->header.thread = thread;
    block->header.system_id = system_id;
    block->header.magic = TraceBlockHeader::kMagic;
    return block;
}

void TraceFile::leave_to_parent() noexcept {
    const int file = file_.exchange(-1, std::memory_order_relaxed);
    if (identity_.is(file)) close(file);
    leave_to_parent(header_);
}

void TraceFile::leave_to_parent(void* block) noexcept {
    mmap(block, TraceBlock::kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

bool TraceFile::append(const TraceBlock& block) noexcept {
    const std::uint64_t place = claim();
    const int file = place != 0 ? descriptor() : -1;
    if (file < 0) return false;
    const HeldSignal too_large(SIGXFSZ);
    const char* bytes = reinterpret_cast<const char*>(&block);
    auto offset = static_cast<off_t>(place * TraceBlock::kBytes);
    for (std::size_t left = TraceBlock::kBytes; left > 0;) {
        const ssize_t written = pwrite(file, bytes, left, offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            // What there is of it is void. That page exists, so this can be written; if not, nothing more can be done.
            const TraceBlockHeader nothing;
            [[maybe_unused]] const ssize_t voided =
                left < TraceBlock::kBytes
                    ? pwrite(file, &nothing, sizeof nothing, static_cast<off_t>(place * TraceBlock::kBytes))
                    : 0;
            return false;
        }
        bytes += written;
        offset += written;
        left -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace gimbal
