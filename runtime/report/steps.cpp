// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/steps.hpp"

#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "measure/clock.hpp"
#include "process/start.hpp"
#include "report/files.hpp"
#include "report/part_file.hpp"
#include "report/process_record.hpp"

namespace gimbal {

std::atomic<detail::StepsWanted> detail::steps_wanted = detail::StepsWanted::unknown;

namespace {

constexpr std::size_t kWaiting = 4096;  // rows in memory [count]

/// The rows of one file.
class StepLog {
public:
    /// @param pattern  empty: no file is wanted
    explicit StepLog(std::string pattern) : pattern_(std::move(pattern)) {
        if (wanted()) rows_.reserve(kWaiting);
    }
    [[nodiscard]] bool wanted() const noexcept { return !pattern_.empty(); }

    void add(const StepRow& row) {
        bool full = false;
        {
            const std::lock_guard lock(rows_mutex_);
            rows_.push_back(row);
            full = rows_.size() >= kWaiting;
        }
        if (full) flush();
    }

    void finish() {
        flush();
        const std::lock_guard lock(file_mutex_);
        if (failure_) throw Error(*failure_);
        if (!file_) return;
        file_->finish();
        file_.reset();
    }

    void disown() noexcept {
        if (file_) file_->disown();
    }

private:
    // Whoever finds the buffer full writes it, while others fill the second one.
    void flush() {
        const std::lock_guard file_lock(file_mutex_);
        {
            const std::lock_guard lock(rows_mutex_);
            std::swap(rows_, written_);
        }
        if (written_.empty() || failure_) {
            written_.clear();
            return;
        }
        try {
            write();
        } catch (const Error& error) {
            failure_ = error;
        }
        written_.clear();
    }

    void write() {
        const double tick_s = seconds_per_tick();
        std::string text;
        if (!file_) {
            file_ = std::make_unique<PartFile>(from_start(expand_pattern(pattern_, describe_process())));
            text = kStepsHeader;
        }
        for (const StepRow& row : written_) append_step(text, row, tick_s);
        file_->append(text);
    }

    std::string pattern_;
    std::mutex rows_mutex_;
    std::vector<StepRow> rows_;
    std::mutex file_mutex_;  // taken before rows_mutex_; guards what follows
    std::vector<StepRow> written_;
    std::unique_ptr<PartFile> file_;
    std::optional<Error> failure_;
};

/// What GIMBAL_RL_DEBUG says of steps.
class Talk {
public:
    explicit Talk(int level) : level_(level) {}
    [[nodiscard]] bool wanted() const noexcept { return level_ > 0; }

    void say(const StepRow& row) {
        const std::lock_guard lock(mutex_);
        Schedule& last = last_[{row.loop, row.workers}];
        const bool changed = last != row.schedule;
        if (level_ < 2 && !changed) return;
        std::string line = "gimbal: " + std::string(row.loop) + " (" + std::to_string(row.workers) + " workers) step " +
                           std::to_string(row.step) + ": ";
        if (changed && last.technique) line += to_string(last) + " -> ";
        line += to_string(row.schedule) + " (" + std::string(row.reason) + (row.exploring ? ", exploring)" : ")");
        char figures[96];
        std::snprintf(figures, sizeof figures, " %.6g s", row.loop_time * rough_seconds_per_tick());
        line += figures;
        if (row.thought) {
            std::snprintf(figures, sizeof figures, " signal %.6g reward %.6g epsilon %.4g alpha %.4g",
                          row.thought->signal, row.thought->reward, row.thought->epsilon, row.thought->alpha);
            line += figures;
        }
        last = row.schedule;
        if (stderr_is_the_same()) write_stderr(line + "\n");
    }

private:
    int level_;
    std::mutex mutex_;
    std::map<std::pair<std::string_view, std::uint32_t>, Schedule> last_;
};

struct Steps {
    StepLog record{options().select.record};
    StepLog agents{options().select.agent_stats};
    Talk talk{options().select.debug};
};

// Never destroyed: loops may run while the process ends.
std::atomic<Steps*> g_steps = nullptr;
std::mutex g_making;

Steps& steps() {
    // Acquire pairs with the release store below.
    if (Steps* const ready = g_steps.load(std::memory_order_acquire)) return *ready;
    const std::lock_guard lock(g_making);
    if (!g_steps.load(std::memory_order_relaxed)) g_steps.store(new Steps, std::memory_order_release);
    return *g_steps.load(std::memory_order_relaxed);
}

/// As a field of its own, in quotes if it needs them.
void append_text(std::string& line, std::string_view field) {
    if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
        line += field;
        return;
    }
    line += '"';
    for (const char letter : field) {
        if (letter == '"') line += '"';
        line += letter;
    }
    line += '"';
}

void append_number(std::string& line, double number) {
    char text[32];
    std::snprintf(text, sizeof text, ",%.9g", number);
    line += text;
}

void append_count(std::string& line, std::uint64_t number) {
    line += ',';
    line += std::to_string(number);
}

}  // namespace

bool detail::ask_for_steps() noexcept {
    const Steps& all = steps();
    const bool wanted = all.record.wanted() || all.agents.wanted() || all.talk.wanted();
    detail::steps_wanted.store(wanted ? StepsWanted::yes : StepsWanted::no, std::memory_order_relaxed);
    return wanted;
}

void append_step(std::string& text, const StepRow& row, double tick_s) {
    append_text(text, row.loop);
    append_count(text, row.workers);
    append_count(text, row.step);
    append_count(text, row.iterations);
    text += ',';
    append_text(text, to_string(row.schedule));
    text += ',';
    append_text(text, row.reason);
    append_count(text, row.exploring ? 1 : 0);
    for (const double time : {row.loop_time, row.busy_max, row.busy_mean}) append_number(text, time * tick_s);
    append_count(text, row.chunks);
    if (row.thought) {
        append_count(text, row.thought->state);
        append_count(text, row.thought->action);
        for (const double number : {row.thought->signal, row.thought->reward, row.thought->epsilon, row.thought->alpha})
            append_number(text, number);
    } else {
        text += ",,,,,,";
    }
    text += '\n';
}

void record_step(const StepRow& row) noexcept {
    Steps& all = steps();
    if (all.record.wanted()) all.record.add(row);
    if (all.agents.wanted() && row.thought) all.agents.add(row);
    if (all.talk.wanted()) all.talk.say(row);
}

void finish_steps() {
    Steps* const all = g_steps.load(std::memory_order_acquire);
    if (!all) return;
    // One failure must not cost the other file.
    std::exception_ptr failure;
    for (StepLog* const log : {&all->record, &all->agents}) {
        if (!log->wanted()) continue;
        try {
            log->finish();
        } catch (...) {
            if (!failure) failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

void restart_steps_in_child() noexcept {
    if (Steps* const parents = g_steps.load(std::memory_order_relaxed)) {
        parents->record.disown();
        parents->agents.disown();
    }
    new (&g_making) std::mutex;
    g_steps.store(nullptr, std::memory_order_relaxed);
    detail::steps_wanted.store(detail::StepsWanted::unknown, std::memory_order_relaxed);
}

}  // namespace gimbal
