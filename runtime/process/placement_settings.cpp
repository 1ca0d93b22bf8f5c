// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libgimbal_pin.so asks of the settings, and what it has to say.
#include "process/process.hpp"

#include <unistd.h>

#include <atomic>
#include <exception>

#include "base/clock.hpp"
#include "base/held_signal.hpp"
#include "base/process_state.hpp"
#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "gimbal/pin_settings.hpp"
#include "levels/first_level.hpp"
#include "measure/placement.hpp"
#include "report/files.hpp"
#include "report/run_record.hpp"

namespace gimbal {

namespace {

const PlacementReport kNothing{};
// Never given back: who ends the process may read it while another thread says something.
std::atomic<const PlacementReport*> g_said{&kNothing};

pin::Mode mode_of(const std::string& word) noexcept {
    if (word == "learn") return pin::Mode::learn;
    if (word == "observe") return pin::Mode::observe;
    return word == "static" ? pin::Mode::fixed : pin::Mode::off;
}

std::atomic<bool> g_loaded{false};  // relaxed: nothing else is told by it

/// With its placeholders filled in, and as it was meant when the program started.
const char* trace_path(const std::string& pattern) {
    static const std::string path = pattern.empty() ? "" : from_start(expand_pattern(pattern, describe_process()));
    return path.c_str();
}

}  // namespace

pin::Settings learning_settings(const PinSettings& asked) {
    pin::Settings settings = asked.learning;
    settings.mode = mode_of(asked.mode);
    settings.sample_s = asked.period_s;
    if (asked.group != 1) settings.group = asked.group;
    return settings;
}

bool placement_is_loaded() noexcept {
    return g_loaded.load(std::memory_order_relaxed);
}

const PlacementReport& placement_report() noexcept {
    return *g_said.load(std::memory_order_acquire);  // partner: the store in gimbal_pin_report()
}

void restart_placement_in_child() noexcept {
    g_said.store(&kNothing, std::memory_order_relaxed);
    levels::first_level().set_placement_learns(false);  // nobody is placed there
}

}  // namespace gimbal

extern "C" {

gimbal_pin_settings gimbal_pin_settings_get(void) {
    gimbal::g_loaded.store(true, std::memory_order_relaxed);
    try {
        const gimbal::Options& asked = gimbal::options();
        static const gimbal::pin::Settings settings = gimbal::learning_settings(asked.pin);
        return {.settings = &settings,
                .force = asked.pin.force,
                .share = asked.pin.share,
                .rank = gimbal::process_environment().rank,
                .seed = asked.seed,
                .nodes = asked.pin.nodes.c_str(),
                .reserve = asked.pin.reserve.c_str(),
                .metric = asked.pin.metric.c_str(),
                .trace = gimbal::trace_path(asked.pin.trace)};
    } catch (const std::exception&) {
        return {};
    }
}

const char* gimbal_pin_own_trace(const char* trace) {
    try {
        static const std::string path = trace[0] == '\0' ? "" : gimbal::own_path(trace);
        return path.c_str();
    } catch (const std::exception&) {
        return trace;
    }
}

void gimbal_pin_refuse(const char* name, const char* what, const char* hint) {
    try {
        const gimbal::Options& asked = gimbal::options();
        const std::string origin(asked.origin(name));
        const gimbal::Error error(gimbal::ErrorCode::invalid_option,
                                  std::string(what) + " (" + name + " is from the " + origin + ").", hint);
        if (asked.strict)
            gimbal::keep_out(error);
        else if (gimbal::process_environment().rank == 0)
            gimbal::write_stderr(gimbal::message_text(error, "warning"));
    } catch (const std::exception&) {
        // No memory for a sentence, at the program's start: it will find out by itself.
    }
}

void gimbal_pin_program_signals(sigset_t* mask) {
    *mask = gimbal::HeldSignals::of_program();
}

void gimbal_pin_begin(uint64_t (*instructions)(void)) {
    static std::atomic<std::uint64_t (*)(void)> counts = nullptr;  // relaxed: code publishes nothing
    counts.store(instructions, std::memory_order_relaxed);
    const auto reader = []() noexcept -> std::uint64_t { return counts.load(std::memory_order_relaxed)(); };
    gimbal::set_instruction_reader(instructions ? +reader : nullptr);
    gimbal::levels::first_level().set_placement_learns(true);
}

void gimbal_pin_end(void) {
    gimbal::levels::first_level().set_placement_learns(false);
}

void gimbal_pin_moved(void) {
    gimbal::note_placement_move();
}

int gimbal_pin_holds(void) {
    using gimbal::levels::Level;
    return gimbal::levels::first_level().holds(Level::placement, gimbal::seconds_since_start()) ? 1 : 0;
}

uint64_t gimbal_pin_schedules(void) {
    return gimbal::schedule_changes();
}

void gimbal_pin_report(const char* json, const char* text) {
    try {
        gimbal::g_said.store(new gimbal::PlacementReport{json ? json : "", text ? text : ""},
                             std::memory_order_release);
    } catch (const std::exception&) {
        // A report that does not fit into memory is not worth the program's end.
    }
}

}  // extern "C"
