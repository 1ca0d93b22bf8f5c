// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/lightweight_plan.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {

namespace {

Plan plan_staggered(const LoopShape& shape) {
    LoopShape single = shape;
    single.workers_per_queue = 1;
    return staggered_plan(single, {.victims = Victims::neighbours});
}

Plan plan_steal(const LoopShape& shape) {
    return staggered_plan(shape, {.victims = Victims::nearest});
}

}  // namespace

/// Staggered: every worker's dynamic part lies behind its static part, in a queue of its own.
/// @source Kale, Gropp 2010
constinit const PlannedTechnique kLwsStaggered{
    {.name = "lws-staggered",
     .aliases = {},
     .family = "lightweight",
     .summary = "Every worker has a block: its first part is static, the rest can be stolen in chunks.",
     .parameter = kFractionParameter,
     .source = "Kale, Gropp 2010",
     .monotonic = false,
     .measured_chunk = true,
     .fraction = FractionSource::fixed},
    plan_staggered};

/// As lws-staggered, with victims by distance in the machine: the fullest of the nearest queues, one chunk at a time,
/// half a queue from another NUMA node. GIMBAL_WORKERS_PER_QUEUE workers share a queue.
/// @source Kale, thesis outline (topology-conscious work stealing)
constinit const PlannedTechnique kLwsSteal{
    {.name = "lws-steal",
     .aliases = {},
     .family = "lightweight",
     .summary = "As lws-staggered; thieves go to the nearest queues in the machine first.",
     .parameter = kFractionParameter,
     .source = "Kale, thesis outline",
     .monotonic = false,
     .measured_chunk = true,
     .fraction = FractionSource::fixed},
    plan_steal};

// Kale's name for it where the slack of the next collective is known.
constexpr std::string_view kSlackNames[] = {"full"};

/// vSched: the fraction of usched, staggered, near victims first, static parts in proportion to the speeds, and then
/// the best admission of thieves.
/// @source Kale, thesis outline
constinit const PlannedTechnique kVsched{
    {.name = "vsched",
     .aliases = kSlackNames,
     .family = "lightweight",
     .summary = "usched's fraction and slack, staggered and weighted blocks, near victims first, admission tuned last.",
     .parameter = kFractionParameter,
     .source = "Kale, thesis outline",
     .monotonic = false,
     .needs_weights = true,
     .weighs_static_part = true,
     .tunes_admission = true,
     .measured_chunk = true,
     .uses_slack = true,
     .fraction = FractionSource::both},
    plan_steal};

}  // namespace gimbal::technique
