// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/part_file.hpp"
#include "gimbal/error.hpp"
#include "report/steps.hpp"

namespace gimbal {

/// The rows of one file of steps: in memory until kWaiting of them wait or somebody flushes them, then in the file.
/// @threads any, but disown()
class StepLog {
public:
    /// @param pattern  of the file's name, as GIMBAL_OUTPUT; empty: no file is wanted
    explicit StepLog(std::string pattern);
    [[nodiscard]] bool wanted() const noexcept { return !pattern_.empty(); }

    /// The thread that finds the buffer full writes it, while others fill the second one.
    /// @errors std::bad_alloc; if the file cannot be written the rows are lost; finish() reports it
    void add(const StepRow& row);

    /// Write what waits, for a process that may be killed. @errors std::bad_alloc; else as add()
    void flush();

    /// Write what is left and give the file its name; nothing at all if there never was a row.
    /// @errors gimbal::Error(file)
    void finish();

    /// Leave the file to the parent. @threads the only one of a new child
    void disown() noexcept;

private:
    static constexpr std::size_t kWaiting = 4096;

    void write();

    std::string pattern_;
    std::mutex rows_mutex_;
    std::vector<StepRow> rows_;
    std::mutex file_mutex_;  // taken before rows_mutex_; guards what follows
    std::vector<StepRow> written_;
    std::unique_ptr<PartFile> file_;
    std::optional<Error> failure_;
};

}  // namespace gimbal
