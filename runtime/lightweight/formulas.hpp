// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// Formula 2 as published, with p, or as derived, with the p - 1 workers that can help.
enum class FractionForm { paper, exact };
/// Formula 5 as published, or as derived: S seconds of slack are S seconds of static work on every worker.
enum class SlackForm { paper, tight };
/// Application imbalance as in the seed, t_s - t_d - t_ov, or as derived, t_s - t_d + t_ov.
enum class DelayForm { seed, derived };

/// One region (a loop on one team), as the formulas see it. Times in any unit, all in the same.
struct RegionModel {
    double iterations = 0;      ///< N [iterations]
    double workers = 1;         ///< p [count]
    double iteration_time = 0;  ///< t1, mean time of an iteration [time]
    double dequeue = 0;         ///< q per iteration: the cost of one dequeue over the chunk size [time]

    /// T_p = N t1 / p, how long the region takes when perfectly shared [time]; 0 if that makes no sense.
    [[nodiscard]] double ideal_time() const noexcept;
    /// (N/p) q, what the dequeues add per worker when all of it is dynamic [time]; 0 if that makes no sense.
    [[nodiscard]] double dequeue_time() const noexcept;
};

/// Formula 2: the dynamic share that keeps the others busy while one worker is late by `delay`.
/// paper: p delay / (N (t1 + q)); exact: (p - 1) delay / (N (t1 + q)).
/// @param region  a region without length (or without sense) takes all dynamic as soon as there is a delay
/// @param delay   delta [time of the region]; not positive or not a number: 0
/// @return f_d, in [0, 1]; 0 for one worker, whom nobody can help
/// @errors none  @threads any  @cost O(1)
/// @source Kale, Gamblin, Hoefler, de Supinski, Gropp 2012, formula 2; exact form derived (an event simulation agrees);
///         test: tests/unit/lightweight/formulas_test.cpp
[[nodiscard]] double dynamic_fraction(const RegionModel& region, double delay, FractionForm form) noexcept;

/// Formula 5: the dynamic share that still suffices when the process may come `slack` late.
/// paper: f_d - S / ((p - 1) N t1 / p - N q); tight: f_d - S / T_p.
///
/// Start from the base fraction every time, never from the last result: the shares would only ever shrink. The tight
/// form keeps the deadline "finish of the base fraction, plus S"; the paper's equates S seconds with S thread-seconds,
/// so with many workers it hardly moves, and with two it can miss the deadline.
/// @param base_dynamic  f_d without slack, in [0, 1]; not a number: 1
/// @param slack         S [time of the region]; not positive or not a number: no change
/// @return f_d', in [0, base]; base where the formula's denominator is not positive
/// @errors none  @threads any  @cost O(1)
/// @source as dynamic_fraction(), formula 5; tight form derived; test: tests/unit/lightweight/formulas_test.cpp
[[nodiscard]] double slack_dynamic_fraction(const RegionModel& region, double base_dynamic, double slack,
                                            SlackForm form) noexcept;

/// The slack that would have been seen under the base fraction: S - (f_d - f_d') (N/p) q. With fewer dequeues the
/// process came early by that much, which is not slack of its own.
/// @param measured      S as seen while `used_dynamic` was in force [time]
/// @param base_dynamic  f_d   @param used_dynamic  f_d'
/// @return [time], >= 0  @errors none  @threads any  @cost O(1)
[[nodiscard]] double rebased_slack(const RegionModel& region, double measured, double base_dynamic,
                                   double used_dynamic) noexcept;

/// The largest static fraction under which the most delayed worker is not the last: 1 - (max - mean) / T_p.
/// @param delay_max, delay_mean  of the workers' delays [time]   @param ideal_time  T_p [time]
/// @return f_s, in [0, 1]  @errors none  @threads any  @cost O(1)
/// @source Donfack, Grigori, Gropp, Kale 2012
[[nodiscard]] double ipdps_bound(double delay_max, double delay_mean, double ideal_time) noexcept;

/// delta_app: what imbalance of the application itself costs the static schedule.
/// @param t_static, t_dynamic  loop times at f_s = 1 and f_s = 0   @param t_overhead  (N/p) q, all in the same unit
/// @return [time], finite and >= 0: the seed's form underrates the imbalance by 2 t_ov, derived does not
/// @errors none  @threads any  @cost O(1)
[[nodiscard]] double application_delay(double t_static, double t_dynamic, double t_overhead, DelayForm form) noexcept;

}  // namespace gimbal
