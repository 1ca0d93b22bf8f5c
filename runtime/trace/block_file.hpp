// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "gimbal/file_identity.hpp"
#include "trace/record.hpp"

namespace gimbal {

/// The file that the records of one process go to: a header and blocks. Every thread has one block of it mapped into
/// memory and fills it; a full one is copied to the end of the file. So memory stays as it is however long the program
/// runs, and a process that is killed leaves everything up to its last record.
///
/// Pages that are mapped are reserved on the device first: a write to one that there is no room for would end the
/// program. Others are written by calls, which fail without harm. A program that closes all descriptors closes this
/// one, too, and may have a file of its own under its number: the trace is opened again, or ends there.
/// @threads any
class TraceFile {
public:
    /// @param path  of the new file; an older one of that name is replaced
    /// @param limit  bytes at most
    /// @return nullptr: it cannot be made; `refusal` says why
    static TraceFile* create(const std::string& path, const TraceFileHeader& header, std::uint64_t limit,
                             std::string& refusal) noexcept;

    /// A new block, mapped and empty. @return nullptr: there is no room, or no file. @cost four system calls
    TraceBlock* map_block(std::uint32_t thread, std::uint64_t system_id) noexcept;
    /// Copy a block to the end of the file. @return false: as above. @cost two system calls, a few microseconds
    bool append(const TraceBlock& block) noexcept;

    /// A child of fork() has no business with it: the descriptor is closed, and what is mapped becomes memory of the
    /// child's own: a signal handler that forks may have interrupted a write to it. @threads the only one of a new
    /// child
    void leave_to_parent() noexcept;
    static void leave_to_parent(void* block) noexcept;

    [[nodiscard]] TraceFileHeader& header() noexcept { return *header_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    TraceFile(std::string path, int file, std::uint64_t limit) noexcept;
    [[nodiscard]] std::uint64_t claim() noexcept;
    [[nodiscard]] int descriptor() noexcept;

    std::string path_;
    FileIdentity identity_;
    std::atomic<int> file_;
    std::uint64_t blocks_;  // at most
    TraceFileHeader* header_ = nullptr;
    std::atomic<std::uint64_t> next_{1};  // the header is block 0
};

}  // namespace gimbal
