// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/step_log.hpp"

#include <utility>

#include "base/clock.hpp"
#include "base/process_state.hpp"
#include "report/files.hpp"
#include "report/run_record.hpp"

namespace gimbal {

StepLog::StepLog(std::string pattern) : pattern_(std::move(pattern)) {
    if (wanted()) rows_.reserve(kWaiting);
}

void StepLog::add(const StepRow& row) {
    bool full = false;
    {
        const std::lock_guard lock(rows_mutex_);
        rows_.push_back(row);
        full = rows_.size() >= kWaiting;
    }
    if (full) flush();
}

void StepLog::flush() {
    const auto file_lock = lock_or_give_up(file_mutex_);
    if (!file_lock.owns_lock()) return;
    {
        const auto lock = lock_or_give_up(rows_mutex_);
        if (lock.owns_lock())
            std::swap(rows_, written_);
        else
            note_missing("the last steps in the files of steps");
    }
    if (!written_.empty() && !failure_) {
        try {
            write();
        } catch (const Error& error) {
            failure_ = error;
        }
    }
    written_.clear();
}

void StepLog::write() {
    const double tick_s = seconds_per_tick();
    std::string text;
    if (!file_) {
        file_ = std::make_unique<PartFile>(own_path(from_start(expand_pattern(pattern_, describe_process()))));
        text = kStepsHeader;
    }
    for (const StepRow& row : written_) append_step(text, row, tick_s);
    file_->append(text);
}

void StepLog::finish() {
    flush();
    const auto lock = lock_or_give_up(file_mutex_);
    if (!lock.owns_lock()) {
        note_missing("a file of steps, of which a part is there");
        return;
    }
    if (failure_) throw Error(*failure_);
    if (!file_) return;
    file_->finish();
    file_.reset();
}

void StepLog::disown() noexcept {
    if (file_) file_->disown();
}

}  // namespace gimbal
