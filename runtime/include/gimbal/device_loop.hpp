// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gimbal/device_block.hpp"
#include "gimbal/device_draws.hpp"
#include "gimbal/device_probe.hpp"
#include "gimbal/device_rows.hpp"
#include "gimbal/device_settings.hpp"
#include "gimbal/device_split.hpp"
#include "gimbal/gimbal.h"

namespace gimbal {

/// One loop over rows that host threads and a device draw chunks of from the same execution. The device is a worker of
/// Gimbal's like any thread, driven by thread 0 of the team; its speed, and so its part of the rows, is learnt from
/// execution to execution. Where a launch costs more than a chunk's work, as on a GPU, the device gets its rows in one
/// piece (DeviceBlock), and the threads share the rest. Arrays of rows are kept on the device: what moves is the halo
/// between its rows and the threads', and rows that change hands.
///
/// Where there is no device, no memory on it, no Gimbal, where rows cannot be copied there, or, until it is looked at
/// again, where all threads are faster without the device, the loop runs on threads alone, `schedule(runtime)`, and one
/// line on standard error says why, once for a name and line of the program, however many objects are made there; what
/// keeps the device out for good is said once for a line, whatever names its objects have.
/// Results are those of the bodies: Gimbal adds nothing to them and takes nothing away. Rows that cannot be copied from
/// the device are lost: from then on run() and fetch() throw, and copy() and add_array() if they leave the device out.
///
/// The bodies of run() are the program's: one for threads, and one with `#pragma omp target` for the device, which
/// works on addresses of on_device() and of copy() (is_device_ptr).
///
/// @threads one at a time, outside of parallel regions  @source test: tests/unit/restore/device_test.py
class DeviceLoop {
public:
    /// @param file, line  in the program: by these and its name the loop is known, and named in reports
    /// @errors std::bad_alloc; a device that cannot be used is said, not thrown
    explicit DeviceLoop(DeviceLoopSettings settings, const char* file = __builtin_FILE(), int line = __builtin_LINE())
        : settings_(checked_settings(std::move(settings))),
          source_(source_text(settings_.name, file, line)),
          place_(std::string(file) + ":" + std::to_string(line)),
          rows_(settings_.rows, settings_.halo, settings_.device),
          probe_(settings_.rows, least_rows(settings_)),
          block_(settings_.rows, least_rows(settings_)) {
        if (settings_.device < 0 || settings_.rows == 0) return;
        usable_ = true;
        if (omp_get_num_devices() <= settings_.device) {
            leave_out("there is no device " + std::to_string(settings_.device));
        } else if (!is_gimbal_here()) {
            leave_out("Gimbal is not loaded, or is of another version (start the program with gimbal run)");
        } else if (gimbal_schedule_parse("ss") <= 0) {
            leave_out("a wrong setting keeps Gimbal out");
        } else if ((schedule_ = gimbal_schedule_parse(settings_.schedule)) <= 0) {
            leave_out(std::string("\"") + settings_.schedule + "\" is no schedule of Gimbal's");
        }
    }

    /// Gives the report() to Gimbal's.
    ~DeviceLoop() {
        const std::string text = report();
        if (gimbal_report_note && !text.empty()) gimbal_report_note(subject_text(settings_.name).c_str(), text.c_str());
    }
    DeviceLoop(const DeviceLoop&) = delete;
    DeviceLoop& operator=(const DeviceLoop&) = delete;

    /// Whether the device takes part.
    [[nodiscard]] bool on() const noexcept { return usable_ && !rest_.on(); }

    /// Data that the bodies only read, copied to the device once. @return its address there; null without a device
    template <class T>
    const T* copy(const T* host, std::size_t count) {
        return static_cast<const T*>(memory_with(host, count * sizeof(T)));
    }

    /// An array of rows that executions read or write. Both sides have all of it until something is written.
    /// @param host  [rows * row_bytes], lives as long as this loop
    /// @param exchanged  whether rows are computed from it; false: threads get what the device wrote when the
    ///                   execution ends
    /// @return its number
    int add_array(void* host, std::size_t row_bytes, bool exchanged = true) {
        void* const device = memory_with(host, static_cast<std::size_t>(settings_.rows) * row_bytes);
        return rows_.add(host, device, row_bytes, exchanged);
    }

    /// Address of an array on the device; null without one.
    template <class T>
    [[nodiscard]] T* on_device(int array) const {
        return static_cast<T*>(rows_.on_device(array));
    }

    /// The program has written an array on the host, between executions: the device is to have it anew. Where only some
    /// rows were written, after fetch().
    void changed(int array) { rows_.changed(array); }

    /// The array lies elsewhere on the host from now on, with other rows in it; its memory on the device stays. So one
    /// loop, which knows its split, serves data that come and go.
    /// @param host  null: nowhere for now, and executions leave it out
    void rebind(int array, void* host) { rows_.rebind(array, host); }

    /// One execution.
    /// @param reads   arrays of which rows and their halo are read  @param writes  arrays of which rows are written,
    ///                each row, or a part of it, by its own iteration. Of an array that stands in both lists, or in
    ///                this one, an iteration may read its own row, and no other
    /// @param host    void host(Rows): runs these rows on a thread  @param device  void device(Rows): on the device; it
    ///                returns when they are done
    /// @errors std::runtime_error if rows are lost; no error may leave the bodies
    template <class Host, class Device>
    void run(const std::vector<int>& reads, const std::vector<int>& writes, const Host& host, const Device& device) {
        if (settings_.rows == 0) return;
        const double begin_s = omp_get_wtime();
        if (!on()) {
            require_rows();
            on_threads(host);
            tally_.add_alone(settings_.rows);
            if (usable_ && rest_.ran(omp_get_wtime() - begin_s)) look_again();
            return;
        }
        // Each thread's and the device's, and one more for what the device's thread runs by itself.
        Execution execution{reads, writes,
                            std::vector<DevicePart>(static_cast<std::size_t>(omp_get_max_threads()) + 1)};
        std::string too_slow;
        const bool looks = !probe_.done();
        if (settings_.fixed_part >= 0) {
            run_fixed(execution, host, device);
        } else if (looks) {
            too_slow = run_probe(execution, host, device);
        } else {
            too_slow = run_learnt(execution, host, device);
        }
        require_rows();
        const double loop_s = omp_get_wtime() - begin_s;
        const std::string device_text = "device " + std::to_string(settings_.device);
        if (rows_.refused()) return leave_out("rows cannot be copied to " + device_text);
        if (!too_slow.empty()) go_alone(device_text + too_slow + "; it is looked at again later");
        if (looks) probe_.cost(omp_get_wtime() - begin_s);
        if (!too_slow.empty()) rest_.begin(loop_s, probe_.cost_s());
    }

    /// Have all rows of an array on the host. @errors std::runtime_error if rows are lost
    void fetch(int array) {
        rows_.fetch(array);
        require_rows();
    }

    [[nodiscard]] const DeviceSplit& split() const noexcept { return tally_.split(); }

    /// What the report says, e.g. "device 61 % of rows, 3.2 x a thread"; empty if there never was a device.
    [[nodiscard]] std::string report() const {
        const std::string text = split_text(split());
        return on() || text.empty() ? text : text + ", left out at the end";
    }

private:
    struct Execution {
        const std::vector<int>& reads;
        const std::vector<int>& writes;
        std::vector<DevicePart> parts;  // [workers]; the first is the device's
    };

    void require_rows() const {
        if (rows_.lost())
            throw std::runtime_error(settings_.name + ": rows cannot be copied from device " +
                                     std::to_string(settings_.device));
    }

    void leave_out(const std::string& why) {
        if (std::exchange(usable_, false)) go_alone(why);
    }

    void go_alone(const std::string& why) {
        rows_.fetch_all();
        require_rows();
        if (is_first_time(usable_ ? source_ : place_ + ": " + why))
            std::fprintf(stderr, "gimbal: %s: runs on threads alone: %s\n", settings_.name.c_str(), why.c_str());
    }

    void look_again() {
        rows_.all_changed();
        tally_.begin_anew();
        probe_ = DeviceProbe(settings_.rows, least_rows(settings_));
    }

    /// Memory on the device that holds what lies on the host. @return null without a device, from then on
    void* memory_with(const void* host, std::size_t bytes) {
        if (!usable_) return nullptr;
        if (void* const memory = rows_.copy(host, bytes)) return memory;
        leave_out("the device has no " + std::to_string(bytes) + " bytes left");
        return nullptr;
    }

    /// @return what the body took [s]; < 0: rows cannot be copied, and it has not run
    template <class Body>
    double run_chunk(Execution& execution, DevicePart& part, Rows rows, const Body& body, bool on_device) {
        if (rows.size() <= 0) return 0;
        const double begin_s = omp_get_wtime();
        if (!rows_.bring_in(execution.reads, execution.writes, rows, on_device)) return -1;
        const double body_s = omp_get_wtime();
        body(rows);
        const double end_s = omp_get_wtime();
        part.add(rows.size(), end_s - begin_s);
        return end_s - body_s;
    }

    /// A chunk of the device's. Its thread runs it where its rows cannot be copied. @return what the body took [s]
    template <class Host, class Device>
    double run_on_device(Execution& execution, Rows rows, const Host& host, const Device& device) {
        const double body_s = run_chunk(execution, execution.parts.front(), rows, device, true);
        return body_s < 0 ? run_chunk(execution, execution.parts.back(), rows, host, false) : body_s;
    }

    /// Open an execution of Gimbal's over so many rows. @threads one of the team
    [[nodiscard]] void* open(std::int64_t rows, std::uint32_t workers) const {
        return open_execution(source_.c_str(), rows, least_rows(settings_), workers, schedule_);
    }

    template <class Host, class Device>
    void run_shared(Execution& execution, const Host& host, const Device& device) {
        void* opened = nullptr;
#pragma omp parallel default(shared)
        {
#pragma omp single
            opened = open(settings_.rows, static_cast<std::uint32_t>(omp_get_num_threads()));
            draw(execution, opened, host, device);
        }
    }

    /// A worker's share of an execution. Chunks of the device that lie one behind the other are handed over at the end.
    template <class Host, class Device>
    void draw(Execution& execution, void* opened, const Host& host, const Device& device) {
        const auto worker = static_cast<std::uint32_t>(omp_get_thread_num());
        DevicePart& part = execution.parts[worker];
        DeviceDraws draws(opened, settings_.rows, worker, static_cast<std::uint32_t>(omp_get_num_threads()));
        Rows done;
        for (Rows rows = draws.next(); rows.size() > 0; rows = draws.next()) {
            if (worker > 0) {
                run_chunk(execution, part, rows, host, false);
                continue;
            }
            if (rows.first != done.end) {
                rows_.hand_over(execution.writes, done);
                done = {rows.first, rows.first};
            }
            run_on_device(execution, rows, host, device);
            done.end = rows.end;
        }
        if (worker == 0) rows_.hand_over(execution.writes, done);
    }

    /// One of the first executions. What thread 0 runs of it, by itself or on the device, is measured.
    /// @return why the device is better left out; empty: it is not
    template <class Host, class Device>
    std::string run_probe(Execution& execution, const Host& host, const Device& device) {
        run_rest(execution, probe_.rows(), host, [&] {
            for (std::size_t piece = 0; piece < DeviceProbe::kPieces; ++piece) {
                const Rows rows = probe_.piece(piece);
                if (rows.size() == 0) break;
                probe_.took(piece, probe_.on_device()
                                       ? run_piece(execution, rows, host, device)
                                       : run_chunk(execution, execution.parts.back(), rows, host, false));
            }
        });
        const DeviceTally::Threads threads = tally_.take(execution.parts, settings_.rows);
        probe_.ended(threads.rows, threads.time_s);
        if (!probe_.done()) return {};
        block_.probed(probe_.launch_s(), probe_.ratio() * probe_.thread_row_s(),
                      probe_.thread_row_s() / std::max(omp_get_max_threads() - 1, 1));
        return block_.why_too_slow(omp_get_max_threads(), probe_.tells());
    }

    /// @return why the device is better left out; empty: it is not
    template <class Host, class Device>
    std::string run_learnt(Execution& execution, const Host& host, const Device& device) {
        if (block_.pays())
            run_block(execution, host, device);
        else
            run_shared(execution, host, device);
        tally_.add(execution.parts, settings_.rows, block_.pays(), probe_.launch_s());
        if (!tally_.too_slow() && tally_.has_slowed()) probe_ = DeviceProbe(settings_.rows, least_rows(settings_));
        if (!tally_.too_slow() && !tally_.in_vain()) return {};
        const int executions = tally_.too_slow() ? DeviceTally::kLateExecutions : DeviceTally::kVainExecutions;
        return " was too slow in " + std::to_string(executions) + " executions";
    }

    /// The device's rows first, in one piece; the other threads share the rest. A team of one runs one after the other.
    template <class Host, class Device>
    void run_block(Execution& execution, const Host& host, const Device& device) {
        const Rows piece{0, block_.next()};
        const double begin_s = omp_get_wtime();
        double threads_s = 0;
        if (piece.end == settings_.rows)
            run_piece(execution, piece, host, device);
        else
            threads_s = run_rest(execution, piece, host, [&] { run_piece(execution, piece, host, device); });
        block_.ran(piece.end, execution.parts.front().time_s, threads_s, omp_get_wtime() - begin_s);
    }

    /// @return what the body took [s]
    template <class Host, class Device>
    double run_piece(Execution& execution, Rows piece, const Host& host, const Device& device) {
        const double body_s = run_on_device(execution, piece, host, device);
        rows_.hand_over(execution.writes, piece);
        return body_s;
    }

    /// @param lead  void lead(): thread 0 sees to the rows of `piece`, the first ones; alone, or where there are none,
    ///              it shares the rest, too
    /// @return until the last thread was done [s]
    template <class Host, class Lead>
    double run_rest(Execution& execution, Rows piece, const Host& host, const Lead& lead) {
        void* opened = nullptr;
        double threads_s = 0;
        const double begin_s = omp_get_wtime();
#pragma omp parallel default(shared) reduction(max : threads_s)
        {
            const bool alone = omp_get_num_threads() == 1;
            const int leads = piece.size() > 0 && !alone ? 1 : 0;
            const int worker = omp_get_thread_num() - leads;
            const auto workers = static_cast<std::uint32_t>(omp_get_num_threads() - leads);
#pragma omp single
            opened = open(settings_.rows - piece.end, workers);
            if (omp_get_thread_num() == 0) lead();
            if (worker >= 0) {
                const double own_s = draw_rest(
                    execution,
                    DeviceDraws(opened, settings_.rows - piece.end, static_cast<std::uint32_t>(worker), workers),
                    execution.parts[static_cast<std::size_t>(worker) + 1], piece.end, host);
                threads_s = alone ? own_s : omp_get_wtime() - begin_s;
            }
        }
        return threads_s;
    }

    /// A thread's share of the rows from `first_row` on. @return that it took [s]
    template <class Host>
    double draw_rest(Execution& execution, DeviceDraws&& draws, DevicePart& part, std::int64_t first_row,
                     const Host& host) {
        const double begin_s = omp_get_wtime();
        for (Rows rows = draws.next(); rows.size() > 0; rows = draws.next())
            run_chunk(execution, part, {first_row + rows.first, first_row + rows.end}, host, false);
        return omp_get_wtime() - begin_s;
    }

    template <class Host, class Device>
    void run_fixed(Execution& execution, const Host& host, const Device& device) {
        const auto cut = static_cast<std::int64_t>(settings_.fixed_part * static_cast<double>(settings_.rows) + 0.5);
        if (cut == 0) {  // no thread has a device to drive
            on_threads(host);
            execution.parts.back().rows = settings_.rows;
            tally_.take(execution.parts, settings_.rows);
            return;
        }
#pragma omp parallel default(shared)
        {
            const std::int64_t threads = omp_get_num_threads();
            const std::int64_t thread = omp_get_thread_num();
            // A team of one runs both; else thread 0 drives the device, and the others share the rest.
            if (thread == 0) {
                run_on_device(execution, {0, cut}, host, device);
                rows_.hand_over(execution.writes, {0, cut});
            }
            const std::int64_t others = std::max<std::int64_t>(threads - 1, 1);
            const std::int64_t other = threads == 1 ? 0 : thread - 1;
            const auto bound = [&](std::int64_t k) { return cut + (settings_.rows - cut) * k / others; };
            if (other >= 0)
                run_chunk(execution, execution.parts[static_cast<std::size_t>(other) + 1],
                          {bound(other), bound(other + 1)}, host, false);
        }
        tally_.take(execution.parts, settings_.rows);
    }

    template <class Host>
    void on_threads(const Host& host) const {
        const std::int64_t size = rows_at_once(settings_, omp_get_max_threads());
        const std::int64_t pieces = (settings_.rows + size - 1) / size;
#pragma omp parallel for schedule(runtime)
        for (std::int64_t piece = 0; piece < pieces; ++piece)
            host(Rows{piece * size, std::min((piece + 1) * size, settings_.rows)});
    }

    DeviceLoopSettings settings_;
    std::string source_;
    std::string place_;
    DeviceRows rows_;
    DeviceProbe probe_;
    DeviceBlock block_;
    int schedule_ = 0;
    bool usable_ = false;
    DeviceRest rest_;  // of a device that is usable
    DeviceTally tally_;
};

}  // namespace gimbal
