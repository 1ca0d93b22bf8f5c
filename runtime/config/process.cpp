// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The settings of this process: read once, published, never changed behind a reader's back.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <new>

#include "base/held_signal.hpp"
#include "base/own_state.hpp"
#include "base/quote.hpp"
#include "base/warnings.hpp"
#include "config/load.hpp"
#include "config/table.hpp"
#include "gimbal/options.hpp"
#include "gimbal/output_file.hpp"

extern "C" char** environ;

namespace gimbal {

namespace {

/// The environment, and what the tool has set by set_option(). Never destroyed: the report at exit still reads it.
struct Process {
    Environment environment = read_environment(environ);
    std::vector<Setting> overrides;
    std::vector<std::unique_ptr<const Options>> published;  // all that ever were: readers may hold them
};

std::atomic<const Options*> g_options = nullptr;
std::mutex g_writer;  // serialises publishing; readers need no lock

Process& process() {
    try {
        static Process* const only = new Process;
        return *only;
    } catch (const std::bad_alloc&) {
        static Process unread{.environment = {}, .overrides = {}, .published = {}};
        return unread;
    }
}

/// @pre g_writer is held
void publish(Options options) {
    std::vector<std::unique_ptr<const Options>>& all = process().published;
    all.push_back(std::make_unique<const Options>(std::move(options)));
    g_options.store(all.back().get(), std::memory_order_release);  // pairs with the acquire load in options()
}

/// What is left of the settings when one is wrong. Loops over ranks have no plain form: their settings stay.
Options without_gimbal(Options options) {
    options.kept_out = true;
    options.lend = false;
    options.omp_schedule_is_gimbals = false;
    options.loops.clear();
    options.loop_stats.clear();
    options.pin.mode = "off";
    for (std::string* const file : {&options.select.record, &options.select.replay, &options.select.agent_stats})
        file->clear();
    return options;
}

/// Whether a parent has said the same. Children inherit the mark: a script starts hundreds of programs.
bool said_by_parent(const std::string& message) {
    constexpr const char* kMark = "GIMBAL_SAID";
    const std::string mark = std::to_string(std::hash<std::string>{}(message));
    const char* const said = std::getenv(kMark);
    if (said && mark == said) return true;
    setenv(kMark, mark.c_str(), 1);
    return false;
}

/// Rank 0 speaks for all, but for what is another rank's alone.
void warn_of(const Error& error, bool own = false) {
    if (process().environment.rank != 0 && !own) return;
    const std::string message = message_text(error, "warning") +
                                "        OpenMP loops run without Gimbal, loops over ranks with the settings that are "
                                "right; with GIMBAL_STRICT=0 only this setting is ignored\n";
    if (!said_by_parent(message)) write_stderr(message);
}

}  // namespace

void write_stderr(std::string_view text) noexcept {
    const NotCancelled uncancelled;
    const HeldSignal pipe(SIGPIPE);
    const HeldSignal size(SIGXFSZ);
    // Where the program, or who shares the pipe with it, has made it one that does not wait. A reader that has stopped
    // is waited for once: relaxed, nothing else is told by it.
    static std::atomic<bool> is_stuck{false};
    if (is_stuck.load(std::memory_order_relaxed))
        (void)!write(STDERR_FILENO, text.data(), text.size());
    else if (write_all(STDERR_FILENO, text) == EAGAIN)
        is_stuck.store(true, std::memory_order_relaxed);
}

std::string settings_text(const Options& options) {
    std::string text;
    const auto add = [&](const Setting& use, const char* remark = "") {
        std::string line = "  " + use.name + "=" + (use.value.empty() ? "(not set)" : escape_controls(use.value));
        if (line.size() < 40) line.resize(40, ' ');
        text += line + "  " + escape_controls(use.origin) + remark + "\n";
    };
    for (std::size_t i = 0; i < options.effective.size(); ++i) {
        if (option_table()[i].hidden) continue;
        add(options.effective[i]);
        if (differs_for_ranks(options, i)) add(options.effective_ranks[i], " (for ranks)");
    }
    if (!options.omp_schedule.empty())
        add({"OMP_SCHEDULE", options.omp_schedule, "environment"},
            options.omp_schedule_is_gimbals ? "" : " (OpenMP's own)");
    return text;
}

const Environment& process_environment() {
    return process().environment;
}

void load_options_at_start() noexcept {
    try {
        const std::lock_guard<std::mutex> lock(g_writer);
        if (g_options.load(std::memory_order_relaxed)) return;
        const Environment& environment = process_environment();
        LoadedOptions loaded = load_options(environment);
        if (!loaded.problems.empty() && loaded.options.strict) {
            warn_of(loaded.problems.front());
            loaded.options = without_gimbal(std::move(loaded.options));
        } else if (environment.rank == 0) {
            for (const Error& problem : loaded.problems) write_stderr(message_text(problem, "warning"));
            if (loaded.options.display) write_stderr("gimbal: settings\n" + settings_text(loaded.options));
        }
        publish(std::move(loaded.options));
    } catch (...) {
        // Out of memory before the program has started: it will find out by itself.
        write_stderr("gimbal: warning: cannot read the settings\n");
    }
}

void keep_out(const Error& error, bool own) noexcept {
    try {
        const std::lock_guard<std::mutex> lock(g_writer);
        warn_of(error, own);
        if (own)
            warn_once("rank " + std::to_string(process().environment.rank) + " ran without Gimbal: " + error.what());
        const Options* const now = g_options.load(std::memory_order_relaxed);
        publish(without_gimbal(now ? *now : load_options(process_environment()).options));
    } catch (...) {
        write_stderr("gimbal: warning: cannot read the settings\n");
    }
}

const Options& options() {
    // Acquire pairs with the release store in publish().
    if (const Options* const ready = g_options.load(std::memory_order_acquire)) return *ready;
    try {
        const std::lock_guard<std::mutex> lock(g_writer);
        if (!g_options.load(std::memory_order_relaxed)) publish(load_options(process_environment()).options);
        return *g_options.load(std::memory_order_relaxed);
    } catch (const std::bad_alloc&) {
        // What has a default that takes memory is named here, and all else has its own.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
        static const Options unread{.kept_out = true, .lend = false, .pin = {.learning = {.resources = {}}}};
#pragma GCC diagnostic pop
        return unread;
    }
}

void set_option(std::string_view name, std::string_view value) {
    const std::lock_guard<std::mutex> lock(g_writer);
    const Setting setting = {std::string(name), std::string(value), "API"};
    validate(load_options({}, std::span(&setting, 1)));
    process().overrides.push_back(setting);
    publish(load_options(process().environment, process().overrides).options);
}

std::string_view Options::origin(std::string_view name) const noexcept {
    for (const Setting& use : effective)
        if (use.name == name) return use.origin;
    return "default";
}

}  // namespace gimbal
