// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/lightweight_plan.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {

namespace {

Plan plan_static_steal(const LoopShape& shape) {
    return queues_plan(shape, {.steals_half = true, .victims = Victims::neighbours});
}

Plan plan_ich(const LoopShape& shape) {
    return queues_plan(shape, {.takes_part = true, .steals_half = true, .victims = Victims::random});
}

}  // namespace

/// Static stealing: static's blocks as queues; who is done takes half of what another has left.
/// @source Intel and LLVM OpenMP (the idea); own queues: engine/work_queues.hpp
constinit const PlannedTechnique kStaticSteal{
    {.name = "static-steal",
     .aliases = {},
     .family = "stealing",
     .summary = "static's blocks as queues; idle workers steal half of another's.",
     .parameter = kMeasuredChunk,
     .source = "LLVM OpenMP",
     .monotonic = false,
     .measured_chunk = true},
    plan_static_steal};

/// iCh: as static-steal, with draws that are a part of the queue; who falls behind the mean progress takes smaller
/// parts, who is ahead larger ones.
/// @source Booth, Lane 2020
constinit const PlannedTechnique kIch{{.name = "ich",
                                       .aliases = {},
                                       .family = "stealing",
                                       .summary = "Stealing, with draws that adapt to each worker's progress.",
                                       .parameter = kMeasuredChunk,
                                       .source = "Booth, Lane 2020",
                                       .monotonic = false,
                                       .measured_chunk = true},
                                      plan_ich};

}  // namespace gimbal::technique
