// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "technique/lightweight_plan.hpp"
#include "technique/technique_list.hpp"

namespace gimbal::technique {

/// Lightweight scheduling: a static part first, then the rest dynamically.
/// @source Donfack, Grigori, Gropp, Kale 2012; test: tests/unit/technique/lightweight_test.cpp
constinit const PlannedTechnique kLws{
    {.name = "lws",
     .aliases = {},
     .family = "lightweight",
     .summary = "A static part first, then the rest in chunks, first come, first served.",
     .parameter = kFractionParameter,
     .source = "Donfack, Grigori, Gropp, Kale 2012",
     .measured_chunk = true,
     .fraction = FractionSource::fixed},
    basic_plan};

/// As lws, with the fraction that was fastest of all that were tried on the loop.
/// @source Donfack, Grigori, Gropp, Kale 2012 (there before the run); test: tests/unit/lightweight
constinit const PlannedTechnique kLwsTuned{
    {.name = "lws-tuned",
     .aliases = {},
     .family = "lightweight",
     .summary = "As lws, with the best static fraction of a grid tried on the loop.",
     .parameter = kFractionParameter,
     .source = "Donfack, Grigori, Gropp, Kale 2012",
     .measured_chunk = true,
     .fraction = FractionSource::best},
    basic_plan};

/// As lws, with the fraction of formula 2 for the noise of the machine alone.
/// @source Kale, Donfack, Grigori, Gropp 2014 (ModelGuidedNoiseDequeue)
constinit const PlannedTechnique kLwsNoise{
    {.name = "lws-noise",
     .aliases = {},
     .family = "lightweight",
     .summary = "As lws, with the static fraction that the machine's noise calls for.",
     .parameter = kFractionParameter,
     .source = "Kale, Donfack, Grigori, Gropp 2014",
     .measured_chunk = true,
     .fraction = FractionSource::noise},
    basic_plan};

/// As lws, with the fraction of formula 2 for the imbalance of the loop alone.
/// @source Kale, thesis outline (ModelGuidedAppImbDequeue)
constinit const PlannedTechnique kLwsImbalance{
    {.name = "lws-imbalance",
     .aliases = {},
     .family = "lightweight",
     .summary = "As lws, with the static fraction that the loop's own imbalance calls for.",
     .parameter = kFractionParameter,
     .source = "Kale, thesis outline",
     .measured_chunk = true,
     .fraction = FractionSource::application},
    basic_plan};

// Kale's name for it where the slack of the next collective is known.
constexpr std::string_view kSlackNames[] = {"callpath-fd"};

/// uSched: formula 2 for noise and imbalance together, then a search that starts from its fraction.
/// @source Kale, thesis outline; test: tests/unit/lightweight
constinit const PlannedTechnique kUsched{
    {.name = "usched",
     .aliases = kSlackNames,
     .family = "lightweight",
     .summary = "As lws, f_s from noise, imbalance and dispatch cost, then the best near it; more with slack.",
     .parameter = kFractionParameter,
     .source = "Kale, thesis outline",
     .measured_chunk = true,
     .uses_slack = true,
     .fraction = FractionSource::both},
    basic_plan};

}  // namespace gimbal::technique
