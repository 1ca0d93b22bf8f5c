// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal::expert {

/// The fuzzy rules of Auto4OMP's ExpertSel over twelve choices, from 0, static, to 11, the most adaptive.
///
/// Memberships: loop time [s] short 1 to 0 on 0.01..0.03; medium 0 to 1 on 0..0.1, 1 to 0 on 1..10; long 0 to 1 on
/// 1..10. Imbalance [%] low 1 to 0 on 1..2; moderate 0 to 1 on 1..2, 1 to 0 on 4..5; high 0 to 1 on 4..10.
/// Change of time [%] none 1 to 0 on |0.5|..|1|; improved and degraded 0 to 1 on |0.5|..|3|. Change of imbalance
/// [points] none 1 to 0 on |1.5|..|3|; improved and degraded 0 to 1 on |0|..|3|.
/// @source Mohammed, Korndoerfer, Eleliemy, Ciorba 2022, and LB4OMP; test: tests/unit/select/expert_test.cpp
inline constexpr double kLastChoice = 11;

/// Where to begin: simple, moderate and aggressive techniques, weighed by the areas of their sets, 0.75, 3.75 and 8.5.
/// @param time_s  of the loop [s]  @param imbalance  LB [%], in [0, 100]
/// @return 0 to 11, an integer
/// @errors none  @threads any  @cost O(1)
[[nodiscard]] double first_choice(double time_s, double imbalance) noexcept;

/// How many choices to go towards adaptive techniques (less than 0: towards plain ones) after another execution. Same,
/// more and less weigh by the areas 1.5, 2.75 and 2.75: of two readings of the source, the one by which a rise and a
/// fall of the same size weigh the same.
/// @param time_s, imbalance  as above, of this execution
/// @param time_change        to the execution before [%]
/// @param imbalance_change   to the execution before [points]
/// @return -4 to 4, any number; 0 if no rule speaks
[[nodiscard]] double next_step(double time_s, double imbalance, double time_change, double imbalance_change) noexcept;

}  // namespace gimbal::expert
