// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/packet.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/plan_cache.hpp"
#include "gimbal/options.hpp"
#include "technique/granule.hpp"

namespace gimbal {

namespace {

struct Header {
    std::uint64_t serial = 0;
    std::uint64_t iterations = 0;
    std::uint64_t steps = 0;
    std::uint64_t chunk = 0;
    std::uint64_t unit = 1;
    std::uint64_t starts = 0;  // how many of each follow
    std::uint64_t shares = 0;
    std::uint64_t own = 0;
    IterationStatistics statistics;
    double admission = 1;
    std::uint32_t workers = 1;
    Claim claim = Claim::shared;
    bool timed = false;
    bool sampled = false;
    bool split = false;
    std::uint64_t technique = 0;  // its place among techniques()
    std::uint64_t choice_chunk = 0;
    double choice_fraction = -1;
    std::uint64_t claim_width = 1;
    double fraction = -1;
    double base = -1;
    double setting_admission = 1;
    std::uint64_t within = 0;  // packed()
    double limit = 0;
};
static_assert(sizeof(Header) == 184, "raise kLayout in mpi_layer/team/team.cpp, then put down the new size");

std::size_t size_of(const Plan& plan) noexcept {
    return sizeof(Header) + sizeof(std::uint64_t) * (plan.starts.size() + plan.shares.size() + plan.own.size());
}

bool fits(const Plan& plan, std::size_t capacity, std::uint64_t most_steps) noexcept {
    if (plan.claim == Claim::queues || size_of(plan) > capacity) return false;
    return keeps_steps(plan, most_steps);
}

std::shared_ptr<Plan> planned(const Technique& technique, const LoopShape& shape, std::uint64_t granule,
                              std::uint64_t least) {
    return std::make_shared<Plan>(shape.workers == 1 ? block_plan(shape.iterations, 1)
                                                     : granular_plan(technique, shape, granule, least));
}

// Granules of several of the loop's, twice as many until the limits hold: with one of N / P any technique has P steps.
std::shared_ptr<Plan> coarse_plan(const Technique& technique, const LoopShape& shape, std::uint64_t granule,
                                  std::uint64_t least, std::size_t capacity, std::uint64_t most_steps) {
    const Technique* used = &technique;
    const std::uint64_t block = shape.iterations / shape.workers + 1;
    const std::uint64_t finest = granule_of(granule, shape.chunk);
    for (granule = finest;;) {
        std::shared_ptr<Plan> plan = planned(*used, shape, granule, least);
        if (fits(*plan, capacity, most_steps)) return plan;
        if (plan->claim == Claim::queues || (most_steps > 0 && !goes_by_steps(*plan))) {
            used = find_technique("fac2");
        } else if (granule >= block) {
            return planned(*find_technique("static"), {.iterations = shape.iterations, .workers = shape.workers},
                           finest, 0);
        } else {
            granule *= 2;
        }
    }
}

std::byte* append(std::byte* end, const std::vector<std::uint64_t>& table) noexcept {
    if (!table.empty()) std::memcpy(end, table.data(), table.size() * sizeof(std::uint64_t));
    return end + table.size() * sizeof(std::uint64_t);
}

const std::byte* extract(const std::byte* from, std::uint64_t count, std::vector<std::uint64_t>& table) {
    table.resize(count);
    if (count > 0) std::memcpy(table.data(), from, count * sizeof(std::uint64_t));
    return from + count * sizeof(std::uint64_t);
}

Header header_at(const std::byte* packet) noexcept {
    Header header;
    std::memcpy(&header, packet, sizeof header);
    return header;
}

}  // namespace

std::shared_ptr<const Plan> fitting_plan(const std::shared_ptr<const Plan>& plan, const ExecutionConfig& config,
                                         std::size_t capacity, std::uint64_t most_steps) {
    if (fits(*plan, capacity, most_steps)) return plan;
    const LoopShape shape{.iterations = plan->iterations,
                          .workers = plan->workers,
                          .chunk = config.schedule.chunk,
                          .statistics = plan->statistics,
                          .seed = options().seed,
                          .fraction = config.setting.fraction};
    const std::shared_ptr<Plan> plan_that_fits =
        coarse_plan(*config.schedule.technique, shape, plan->unit, plan->chunk, capacity, most_steps);
    plan_that_fits->serial = next_plan_serial();
    return plan_that_fits;
}

std::size_t write_packet(const ExecutionConfig& config, const Plan& plan, std::byte* packet) noexcept {
    const auto all = techniques();
    const Header header{
        .serial = plan.serial,
        .iterations = plan.iterations,
        .steps = plan.steps,
        .chunk = plan.chunk,
        .unit = plan.unit,
        .starts = plan.starts.size(),
        .shares = plan.shares.size(),
        .own = plan.own.size(),
        .statistics = plan.statistics,
        .admission = plan.admission,
        .workers = plan.workers,
        .claim = plan.claim,
        .timed = config.timed,
        .sampled = config.sampled,
        .split = config.split,
        .technique =
            static_cast<std::uint64_t>(std::find(all.begin(), all.end(), config.schedule.technique) - all.begin()),
        .choice_chunk = config.schedule.chunk,
        .choice_fraction = config.schedule.fraction,
        .claim_width = config.claim,
        .fraction = config.setting.fraction,
        .base = config.setting.base,
        .setting_admission = config.setting.admission,
        .within = packed(config.within),
        .limit = config.within.limit,
    };
    std::memcpy(packet, &header, sizeof header);
    std::byte* end = packet + sizeof header;
    end = append(end, plan.starts);
    end = append(end, plan.shares);
    end = append(end, plan.own);
    return static_cast<std::size_t>(end - packet);
}

PacketView view_packet(const std::byte* packet) noexcept {
    const Header header = header_at(packet);
    PacketView view;
    view.config.schedule = {techniques()[header.technique], header.choice_chunk, header.choice_fraction};
    view.config.claim = header.claim_width;
    view.config.timed = header.timed;
    view.config.sampled = header.sampled;
    view.config.split = header.split;
    view.config.ascending = true;  // ranks have no queues
    view.config.setting = {header.fraction, header.base, header.setting_admission, {}};
    view.config.within = unpacked(header.within);
    view.config.within.limit = header.limit;
    view.iterations = header.iterations;
    view.workers = header.workers;
    view.serial = header.serial;
    view.unit = header.unit;
    view.raw = packet;
    return view;
}

std::shared_ptr<const Plan> plan_of(const PacketView& view) {
    const Header header = header_at(view.raw);
    auto plan = std::make_shared<Plan>();
    plan->iterations = header.iterations;
    plan->workers = header.workers;
    plan->claim = header.claim;
    plan->steps = header.steps;
    plan->chunk = header.chunk;
    plan->unit = header.unit;
    plan->statistics = header.statistics;
    plan->admission = header.admission;
    plan->serial = header.serial;
    const std::byte* next = view.raw + sizeof header;
    next = extract(next, header.starts, plan->starts);
    next = extract(next, header.shares, plan->shares);
    extract(next, header.own, plan->own);
    return plan;
}

std::shared_ptr<const Plan> plain_plan(const Schedule& choice, std::uint64_t granule, std::uint64_t iterations,
                                       std::uint32_t workers, std::uint64_t most_steps) {
    const LoopShape shape{.iterations = iterations,
                          .workers = workers,
                          .chunk = choice.chunk,
                          .seed = options().seed,
                          .fraction = choice.fraction};
    return coarse_plan(*choice.technique, shape, granule, 0, SIZE_MAX, most_steps);
}

}  // namespace gimbal
