// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/record.hpp"

namespace gimbal {

/// What a process has recorded, read from its file while it runs, at its end or after its death (TraceFile). One block
/// is held in memory at a time.
/// @threads one
class RecordsFile {
public:
    /// One thread's records, in their order.
    struct Thread {
        std::uint32_t number = 0;
        std::uint64_t system_id = 0;        ///< 0: it holds texts only
        std::uint64_t dropped = 0;          ///< records that were lost [count]
        std::vector<std::uint64_t> blocks;  ///< places in the file
    };

    /// @errors gimbal::Error(file): it cannot be read, or is no such file
    explicit RecordsFile(const std::string& path);
    ~RecordsFile();
    RecordsFile(const RecordsFile&) = delete;
    RecordsFile& operator=(const RecordsFile&) = delete;

    [[nodiscard]] const TraceFileHeader& header() const noexcept { return header_; }
    [[nodiscard]] const std::vector<Thread>& threads() const noexcept { return threads_; }
    /// All texts by number, as far as they were written. @cost reads the blocks that hold texts
    [[nodiscard]] std::map<std::uint32_t, std::string> texts();
    /// Read a block of `threads()`. @return valid until the next call; no records: it cannot be read
    [[nodiscard]] const TraceBlock& block(std::uint64_t place) noexcept;
    /// Records that were lost, of all threads. [count]
    [[nodiscard]] std::uint64_t dropped() const noexcept;
    /// Blocks that were written and cannot be read. [count]
    [[nodiscard]] std::uint64_t damaged() const noexcept { return damaged_; }
    /// Whether the file ends within a block.
    [[nodiscard]] bool cut() const noexcept { return cut_; }

private:
    void read_header(const std::string& path);
    void find_blocks();

    int file_ = -1;
    std::uint64_t damaged_ = 0;
    bool cut_ = false;
    TraceFileHeader header_;
    std::vector<Thread> threads_;     // by number
    std::vector<TraceBlock> buffer_;  // one
};

}  // namespace gimbal
