// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/selector.hpp"

#include <string>
#include <utility>

#include "base/warnings.hpp"
#include "gimbal/hash.hpp"
#include "gimbal/options.hpp"
#include "gimbal/random.hpp"
#include "learn/names.hpp"
#include "report/choices.hpp"
#include "select/agent.hpp"
#include "select/auto.hpp"
#include "select/binary.hpp"
#include "select/exhaustive.hpp"
#include "select/expert.hpp"
#include "select/fixed.hpp"
#include "select/random_selector.hpp"
#include "select/replay.hpp"

namespace gimbal {

namespace {

/// @param reason  a string literal
PortfolioSelector::Setup setup_of(const SelectorSettings& settings, std::string_view reason) {
    return {.portfolio = portfolio_of(settings), .golden_chunk = settings.golden_chunk, .reason = reason};
}

std::unique_ptr<Selector> make_fixed(const SelectorSettings& settings) {
    const ScheduleSpec& asked = settings.schedule;
    if (asked.technique) return std::make_unique<FixedSelector>(asked, settings.schedule_from);
    return std::make_unique<FixedSelector>(Schedule{find_technique("fac2"), asked.chunk}, "default");
}

/// What was recorded of this loop; a loop that was not gets fac2, as without any settings.
std::unique_ptr<Selector> make_replay(const Recording& recording, std::string_view loop, std::uint32_t workers) {
    if (const auto* const steps = recording.find(loop, workers)) return std::make_unique<ReplaySelector>(*steps, loop);
    warn_once("GIMBAL_REPLAY: loop " + std::string(loop) + " with " + std::to_string(workers) +
              (workers == 1 ? " worker" : " workers") + " is not in the record; fac2 runs it");
    return std::make_unique<FixedSelector>(Schedule{find_technique("fac2")}, kNotRecorded);
}

/// @param agent  an agent's word, or `chunk`
std::unique_ptr<Selector> make_agent_selector(const SelectorSettings& settings, std::string_view agent,
                                              std::uint64_t seed) {
    if (learn::meta_of(agent) == learn::MetaKind::chunk) {
        const Schedule named = settings.schedule;
        return std::make_unique<ChunkAgentSelector>(named.technique ? named : Schedule{find_technique("ss")},
                                                    PortfolioSelector::Setup{.reason = "chunk", .skips_first = false},
                                                    agent_parameters(settings, settings.secondary), seed);
    }
    const learn::Parameters parameters = agent_parameters(settings, agent);
    PortfolioSelector::Setup setup = setup_of(settings, learn::word_of(parameters.agent));
    setup.skips_first = false;
    return std::make_unique<AgentSelector>(std::move(setup), parameters, seed);
}

bool is_agent(std::string_view name) noexcept {
    return learn::agent_of(name).has_value() || learn::meta_of(name) == learn::MetaKind::chunk;
}

/// @return nullptr: there is no selector of that name
std::unique_ptr<Selector> make_named(const SelectorSettings& settings, std::string_view name, std::uint64_t seed) {
    if (name == "auto") return make_auto(seed, settings.background);
    if (name == "simulate")
        return make_simulate(portfolio_of(settings), seed, settings.golden_chunk, settings.background);
    if (name == "fixed") return make_fixed(settings);
    if (name == "random") {
        PortfolioSelector::Setup setup = setup_of(settings, "random");
        setup.skips_first = false;
        return std::make_unique<RandomSelector>(std::move(setup), seed);
    }
    if (name == "exhaustive") return std::make_unique<ExhaustiveSelector>(setup_of(settings, "exhaustive"));
    if (name == "binary") return std::make_unique<BinarySelector>(setup_of(settings, "binary"));
    if (name == "expert") return std::make_unique<ExpertSelector>(setup_of(settings, "expert"));
    // Where ranks and threads are decided for together, levels/pair_selector does; this is for all other loops.
    if (name == "rl" || name == "levels") return make_agent_selector(settings, settings.agent, seed);
    if (is_agent(name)) return make_agent_selector(settings, name, seed);
    return nullptr;
}

}  // namespace

std::uint64_t loop_seed(std::string_view loop, std::uint32_t workers) noexcept {
    return Random(options().seed ^ Random(hash_of(loop) + workers).next()).next();
}

std::unique_ptr<Selector> make_selector(std::string_view name, std::string_view loop, std::uint32_t workers,
                                        const SelectorSettings& settings) {
    if (const Recording* const recording = recording_to_replay()) return make_replay(*recording, loop, workers);
    const std::uint64_t seed = loop_seed(loop, workers);
    if (!name.empty())
        if (auto selector = make_named(settings, name, seed)) return selector;
    // Who wins, a technique that was named or a selector, is settled there already (config/selection.hpp).
    if (auto selector = make_named(settings, settings.name, seed)) return selector;
    return make_fixed(settings);
}

bool selects_auto(const SelectorSettings& settings) noexcept {
    return settings.name == "auto" && recording_to_replay() == nullptr;
}

}  // namespace gimbal
