// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/part.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "measure/placement.hpp"

namespace gimbal {

namespace {

struct Header {
    WorkerRecord record;
    std::uint64_t timed = 0;  // IterationTimes follow
    std::uint64_t costs = 0;  // so many entries follow
    std::uint64_t moves = 0;  // by placement in that process, so far
};

static_assert(std::is_trivially_copyable_v<Header> && std::is_trivially_copyable_v<IterationTimes>);
static_assert(sizeof(Header) == 80 && sizeof(IterationTimes) == 2048 && sizeof(ChunkCosts::Entry) == 24,
              "raise kLayout in mpi_layer/team/team.cpp, then put down the new sizes");

constexpr std::size_t kLargest = sizeof(Header) + sizeof(IterationTimes) + kMaxCostBins * sizeof(ChunkCosts::Entry);

}  // namespace

std::size_t part_bytes() noexcept {
    return (kLargest + 127) / 128 * 128;
}

std::size_t write_part(const WorkerSlot& slot, const ExecutionConfig& config, std::byte* part) noexcept {
    Header header{.record = slot.record, .timed = config.timed ? 1U : 0U, .moves = placement_moves()};
    std::byte* end = part + sizeof header;
    if (config.timed) {
        std::memcpy(end, slot.times.get(), sizeof *slot.times);
        end += sizeof *slot.times;
    }
    if (config.sampled) {
        std::array<ChunkCosts::Entry, kMaxCostBins> entries;
        header.costs = std::min(slot.costs->copy_to(entries), entries.size());
        std::memcpy(end, entries.data(), header.costs * sizeof entries[0]);
        end += header.costs * sizeof entries[0];
    }
    std::memcpy(part, &header, sizeof header);
    return static_cast<std::size_t>(end - part);
}

void take_part(const std::byte* part, std::uint32_t worker, Execution& execution) {
    Header header;
    std::memcpy(&header, part, sizeof header);
    part += sizeof header;
    execution.arrived(worker, header.record);
    execution.add_moves(header.moves);
    WorkerSlot& slot = execution.slot_of(worker);
    if (header.timed || execution.config().timed) slot.begin_times();
    if (header.timed) {
        std::memcpy(slot.times.get(), part, sizeof *slot.times);
        part += sizeof *slot.times;
    }
    if (!execution.config().sampled) return;
    const std::uint64_t iterations = execution.plan().iterations;
    slot.begin_costs(iterations, execution.workers());
    std::array<ChunkCosts::Entry, kMaxCostBins> entries;
    const std::size_t count = std::min<std::size_t>(header.costs, entries.size());
    std::memcpy(entries.data(), part, count * sizeof entries[0]);
    slot.costs->take({entries.data(), count});
}

}  // namespace gimbal
