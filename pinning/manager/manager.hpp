// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "act/actuator.hpp"
#include "decide/placer.hpp"
#include "machine/machine.hpp"
#include "manager/candidates.hpp"
#include "manager/pin_config.hpp"
#include "manager/speed_meter.hpp"
#include "manager/thread_record.hpp"
#include "manager/trace.hpp"
#include "share/status_page.hpp"

namespace gimbal::pin {

/// Looks at the threads of a process every period: reads what they did, asks the decision core, moves them.
///
///     every thread        -> candidate -> (it has used a processor) worker -> placed, until it ends or is left alone
///
/// The machine is read, and a counter backend chosen, when the first worker is there: a program whose threads
/// only sleep pays for a look at their clocks. Whatever goes wrong in a period gives every thread its mask back and
/// ends placement; the program goes on.
/// @threads run() is the manager's thread; stop(), finish() any other
/// @cost below 0.5 % of one core for 64 threads and 0.2 s
/// @source reference on placement, section 5
class Manager {
public:
    Manager(PinConfig config, Registry& registry);
    virtual ~Manager();
    Manager(const Manager&) = delete;
    Manager& operator=(const Manager&) = delete;

    /// Until stop() is called, or no thread of the program is left. Never throws.
    void run() noexcept;
    /// After run() has returned: nobody called stop(), but all other threads have ended.
    [[nodiscard]] bool is_last() const noexcept { return is_last_; }
    /// The last thread that is known is about to end: run() looks at once whether others are there.
    void hurry() noexcept;
    /// Asks run() to return.
    void stop() noexcept;
    /// After run() has returned, however it did: gives all masks back, ends the trace.
    void finish() noexcept;
    /// After finish(). Nothing if it failed before a thread was placed.
    [[nodiscard]] std::optional<Figures> figures() const;

protected:
    /// One sampling period. What it throws ends placement.
    virtual void sample();
    /// Whether no loop has got another schedule since the last call, or that has gone on for long.
    [[nodiscard]] bool is_of_one_schedule() noexcept;

private:
    void gather(double now);
    void adopt(double now);
    void add_worker(const RecordPointer& record);
    void begin_work(bool counts);
    void tell_loops();
    void measure_progress();
    void free_unknown_threads(bool at_once);
    void refresh_machine();
    void check_masks();
    [[nodiscard]] Holder check_mask(Worker& worker);
    [[nodiscard]] Outcome take(const ThreadRecord& record);
    [[nodiscard]] Outcome take_now(const ThreadRecord& record);
    [[nodiscard]] Outcome set_mask(ThreadRecord& record, const Decision& decision);
    void note_masks(ThreadRecord& record) const;
    void respect_program(pid_t tid);
    void note_mask(Worker& worker) const;
    std::vector<Sample> measure();
    void note(Worker& worker, const Speed& speed);
    void apply(const std::vector<Decision>& decisions);
    void apply(Worker& worker, const Decision& decision);
    void begin_memory();
    void see_memory();
    [[nodiscard]] int memory_now(Worker& worker);
    void bind_memory(Worker& worker, const Decision& decision);
    static void give_memory_back(ThreadRecord& record) noexcept;
    /// Whether the thread can be placed still; leaves it alone if it belongs to somebody else now.
    [[nodiscard]] bool may_place(Worker& worker, Outcome outcome);
    void leave_alone(Worker& worker, std::string why);
    void leave_bound(Worker& worker);
    void retire(Worker& worker);
    void publish();
    void trace_guard();
    void trace(std::string_view event, const Worker* worker, const Decision* decision);
    void say(std::string text);
    void take_warnings();
    [[nodiscard]] bool wait_until(double at);
    [[nodiscard]] bool nobody_is_left() const noexcept;
    void give_masks_back() noexcept;
    [[nodiscard]] std::optional<LoansPaused> pause_loans() const;
    [[nodiscard]] double now() const noexcept;

    PinConfig config_;
    Registry& registry_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    bool hurried_ = false;
    bool is_last_ = false;

    Figures figures_;
    Candidates candidates_;
    Workers workers_;
    std::optional<Machine> machine_;
    std::optional<Actuator> actuator_;
    std::optional<Placer> placer_;
    SpeedMeter meter_;
    std::unique_ptr<SharedStatusPage> status_page_;
    Trace trace_;
    std::vector<std::string> said_;
    bool machine_is_old_ = false;
    bool has_failed_ = false;
    bool learns_ = true;  ///< as loops were told last, first when the library was loaded
    std::size_t guard_seen_ = 0;
    std::uint64_t periods_ = 0;
    std::uint64_t schedules_ = 0;  ///< changes of loops' schedules so far
    unsigned mixed_periods_ = 0;   ///< in a row, in which there was one
    double begun_s_ = 0;
    double cost_s_ = 0;        ///< processor time of the manager's thread [s]
    double start_cost_s_ = 0;  ///< of that, reading the machine and trying the backends, once [s]
    pid_t self_ = 0;
};

}  // namespace gimbal::pin
