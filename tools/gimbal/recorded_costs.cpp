// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recorded_costs.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "gimbal/error.hpp"
#include "traces.hpp"

namespace gimbal::tool {

namespace {

struct Chunk {
    std::uint64_t first = 0, iterations = 0;
    double cost_ns = 0;
};

constexpr std::uint64_t kMaxWorkers = 1 << 16;  // as for --workers

/// What one worker did in one execution.
struct Share {
    std::uint64_t begin_ns = 0, iterations = 0, worker = 0;  // iterations: N of the whole loop
    std::vector<Chunk> chunks;
};

std::uint64_t number(const ReadEvent& event, std::string_view name) {
    std::uint64_t value = 0;
    for (const auto& [key, text] : event.arguments)
        if (key == name) std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// The shares of all loops, from the events of a trace. A loop inside another one's chunk is on top of the stack.
class Shares {
public:
    explicit Shares(std::string loop) : loop_(std::move(loop)) {}

    void add(const ReadTracks& tracks, const ReadEvent& event) {
        if (event.foreign) return;
        std::vector<Slice>& open = open_[event.track];
        if (event.type == ReadEvent::Type::begin) {
            Slice& slice = open.emplace_back();
            slice.is_loop = event.category == "loop";
            slice.is_chunk = event.category == "chunk";
            slice.begin_ns = event.time_ns;
            if (slice.is_chunk) slice.chunk = {number(event, "first"), number(event, "iterations"), 0};
            if (!slice.is_loop) return;
            slice.loop = event.name;
            slice.share = {event.time_ns, number(event, "iterations"), number(event, "worker"), {}};
            if (const auto track = tracks.find(event.track); track != tracks.end())
                processes.insert(track->second.process);
        } else if (event.type == ReadEvent::Type::end && !open.empty()) {
            const Slice slice = std::move(open.back());
            open.pop_back();
            close(slice, event.time_ns, open);
        }
    }

    std::map<std::string, std::vector<Share>> by_loop;
    std::set<std::uint64_t> processes;

private:
    struct Slice {
        bool is_loop = false, is_chunk = false;
        std::uint64_t begin_ns = 0;
        std::string loop;
        Share share;
        Chunk chunk;
    };

    void close(const Slice& slice, std::uint64_t end_ns, std::vector<Slice>& open) {
        if (slice.is_loop && !slice.share.chunks.empty() && slice.loop.find(loop_) != std::string::npos)
            by_loop[slice.loop].push_back(slice.share);
        if (!slice.is_chunk || open.empty() || !open.back().is_loop) return;
        Chunk chunk = slice.chunk;
        chunk.cost_ns = static_cast<double>(end_ns - slice.begin_ns);
        open.back().share.chunks.push_back(chunk);
    }

    std::string loop_;
    std::map<std::uint64_t, std::vector<Slice>> open_;  // by track
};

/// An execution while its shares are put together.
struct Gathered {
    std::uint64_t iterations = 0, drawn = 0;
    std::vector<Chunk> chunks;
};

/// Executions of one number of iterations.
struct SameLength {
    std::vector<std::size_t> executions;         // in the order of their begins
    std::map<std::uint64_t, std::size_t> to_do;  // by worker: the first of them that may lack it
};

/// Shares of the same execution. Teams meet after each loop or, with nowait, begin the loops in one order: so a share
/// belongs to the first execution that lacks iterations and that worker. Those before it have the worker or are
/// complete, and stay so: nobody looks at them again.
std::vector<Gathered> executions_of(std::vector<Share>& shares) {
    std::stable_sort(shares.begin(), shares.end(),
                     [](const Share& a, const Share& b) { return a.begin_ns < b.begin_ns; });
    std::vector<Gathered> executions;
    std::map<std::uint64_t, SameLength> by_length;
    for (const Share& share : shares) {
        SameLength& same = by_length[share.iterations];
        std::size_t& at = same.to_do[share.worker];
        while (at < same.executions.size() && executions[same.executions[at]].drawn == share.iterations) ++at;
        if (at == same.executions.size()) {
            same.executions.push_back(executions.size());
            executions.emplace_back().iterations = share.iterations;
        }
        Gathered& execution = executions[same.executions[at++]];
        for (const Chunk& chunk : share.chunks) execution.drawn += chunk.iterations;
        execution.chunks.insert(execution.chunks.end(), share.chunks.begin(), share.chunks.end());
    }
    return executions;
}

/// @return whether the chunks are the whole loop, each iteration once
bool complete(Gathered& execution, simulate::RecordedExecution& recorded, std::uint64_t& largest_chunk) {
    std::sort(execution.chunks.begin(), execution.chunks.end(),
              [](const Chunk& a, const Chunk& b) { return a.first < b.first; });
    std::uint64_t end = 0;
    for (const Chunk& chunk : execution.chunks) {
        if (chunk.first != end || chunk.iterations == 0) return false;
        end += chunk.iterations;
        recorded.ends.push_back(end);
        recorded.costs.push_back(chunk.cost_ns);
        largest_chunk = std::max(largest_chunk, chunk.iterations);
    }
    return end > 0 && end == execution.iterations;
}

}  // namespace

double median_chunk_ns(const simulate::RecordedLoop& loop) {
    std::vector<double> costs;
    for (const simulate::RecordedExecution& one : loop.executions)
        costs.insert(costs.end(), one.costs.begin(), one.costs.end());
    if (costs.empty()) return 0;
    const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
    std::nth_element(costs.begin(), middle, costs.end());
    return *middle;
}

RecordedCosts read_recorded_costs(const std::string& trace, const std::string& loop) {
    Shares shares(loop);
    read_trace(trace, [&](const ReadTracks& tracks, const ReadEvent& event) { shares.add(tracks, event); });
    if (shares.processes.size() > 1)
        throw Error(ErrorCode::file, "\"" + trace + "\" is a trace of several processes", "name the trace of one rank");
    RecordedCosts found;
    for (auto& [name, of_loop] : shares.by_loop) {
        simulate::RecordedLoop recorded{name, {}};
        for (const Share& share : of_loop) {
            if (share.worker >= kMaxWorkers)
                throw Error(ErrorCode::file, "\"" + trace + "\" has a worker of number " + std::to_string(share.worker),
                            "allowed: below " + std::to_string(kMaxWorkers) + "; the file may be damaged");
            found.workers = std::max(found.workers, static_cast<std::uint32_t>(share.worker) + 1);
        }
        for (Gathered& gathered : executions_of(of_loop)) {
            simulate::RecordedExecution execution;
            if (complete(gathered, execution, found.largest_chunk))
                recorded.executions.push_back(std::move(execution));
            else
                ++found.incomplete;
        }
        if (!recorded.executions.empty()) found.loops.push_back(std::move(recorded));
    }
    if (found.loops.empty())
        throw Error(ErrorCode::file,
                    "\"" + trace + "\" has no whole execution of a loop" +
                        (loop.empty() ? "" : " whose name contains \"" + loop + "\""),
                    "example: OMP_SCHEDULE=ss OMP_NUM_THREADS=2 gimbal run --trace run.pftrace -- ./app");
    return found;
}

}  // namespace gimbal::tool
