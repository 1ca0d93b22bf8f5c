// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/records_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "gimbal/error.hpp"
#include "gimbal/file_identity.hpp"

namespace gimbal {

namespace {

/// @return whether all of it could be read
bool read_at(int file, void* bytes, std::size_t size, std::uint64_t place) noexcept {
    auto offset = static_cast<off_t>(place * TraceBlock::kBytes);
    auto* at = static_cast<char*>(bytes);
    while (size > 0) {
        const ssize_t got = pread(file, at, size, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        offset += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

struct Found {
    TraceBlockHeader header;
    std::uint64_t place;
};

/// By thread, then in their order; of the two halves of a block that was being passed on the fuller one first.
bool stands_before(const Found& a, const Found& b) noexcept {
    if (a.header.thread != b.header.thread) return a.header.thread < b.header.thread;
    if (a.header.sequence != b.header.sequence) return a.header.sequence < b.header.sequence;
    return a.header.count > b.header.count;
}

}  // namespace

RecordsFile::RecordsFile(const std::string& path)
    : file_(beyond_standard_streams(open(path.c_str(), O_RDONLY | O_CLOEXEC))), buffer_(1) {
    if (file_ < 0)
        throw Error(ErrorCode::file, "cannot read \"" + path + "\": " + std::strerror(errno), "name a file of records");
    try {
        read_header(path);
    } catch (const Error&) {
        close(file_);
        throw;
    }
    find_blocks();
}

RecordsFile::~RecordsFile() {
    close(file_);
}

void RecordsFile::read_header(const std::string& path) {
    if (!read_at(file_, &header_, sizeof header_, 0) || header_.magic != TraceFileHeader::kMagic)
        throw Error(ErrorCode::file, "\"" + path + "\" holds no records of a trace",
                    "a process that was killed leaves such a file beside its trace: TRACE.records-<process>-<start>");
    if (header_.version != TraceFileHeader::kVersion)
        throw Error(ErrorCode::file,
                    "\"" + path + "\" holds records of another version of Gimbal (layout " +
                        std::to_string(header_.version) + ", this one reads " +
                        std::to_string(TraceFileHeader::kVersion) + ")",
                    "the gimbal that belongs to the library which recorded them makes the trace");
}

void RecordsFile::find_blocks() {
    struct stat info {};
    if (fstat(file_, &info) != 0) return;
    const std::uint64_t places = static_cast<std::uint64_t>(info.st_size) / TraceBlock::kBytes;
    cut_ = static_cast<std::uint64_t>(info.st_size) % TraceBlock::kBytes != 0;
    std::vector<Found> all;
    for (std::uint64_t place = 1; place < places; ++place) {
        Found found{.header = {}, .place = place};
        if (read_at(file_, &found.header, sizeof found.header, place) &&
            found.header.magic == TraceBlockHeader::kMagic && found.header.count <= TraceBlock::kRecords)
            all.push_back(found);
        else if (found.header.magic != 0)  // room for a block that nobody has begun is zeros
            ++damaged_;
    }
    std::sort(all.begin(), all.end(), stands_before);
    const Found* last = nullptr;
    for (const Found& found : all) {
        const bool of_last = last && last->header.thread == found.header.thread;
        if (!of_last)
            threads_.push_back(
                {.number = found.header.thread, .system_id = found.header.system_id, .dropped = 0, .blocks = {}});
        Thread& thread = threads_.back();
        thread.dropped = std::max(thread.dropped, found.header.dropped);
        if (!(of_last && last->header.sequence == found.header.sequence)) thread.blocks.push_back(found.place);
        last = &found;
    }
}

const TraceBlock& RecordsFile::block(std::uint64_t place) noexcept {
    TraceBlock& block = buffer_.front();
    if (!read_at(file_, &block, sizeof block, place) || block.header.count > TraceBlock::kRecords)
        block.header.count = 0;
    return block;
}

std::uint64_t RecordsFile::dropped() const noexcept {
    std::uint64_t sum = 0;
    for (const Thread& thread : threads_) sum += thread.dropped;
    return sum;
}

std::map<std::uint32_t, std::string> RecordsFile::texts() {
    std::map<std::uint32_t, std::string> texts;
    for (const Thread& thread : threads_) {
        if (thread.system_id != 0) continue;
        for (const std::uint64_t place : thread.blocks) {
            const TraceBlock& held = block(place);
            for (std::uint64_t i = 0; i < held.header.count; ++i) {
                const TraceRecord& record = held.records[i];
                if (kind_of(record) != TraceKind::text) continue;
                const std::uint64_t length = record.payload & UINT32_MAX;
                const std::uint64_t records = (length + sizeof(TraceRecord) - 1) / sizeof(TraceRecord);
                if (records > held.header.count - i - 1) break;  // the process died over it
                texts[static_cast<std::uint32_t>(record.payload >> 32U)] =
                    std::string(reinterpret_cast<const char*>(&held.records[i + 1]), length);
                i += records;
            }
        }
    }
    return texts;
}

}  // namespace gimbal
