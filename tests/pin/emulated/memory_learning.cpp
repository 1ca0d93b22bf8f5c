// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the manager does about memory, without the manager: threads on both nodes whose pages all begin on one. It shows
// where pages go, not that it is faster there: the emulation has no distances.
#include <sys/mman.h>

#include <cstring>

#include "act/actuator.hpp"
#include "act/thread_memory.hpp"
#include "decide/placer.hpp"
#include "guest_support.hpp"
#include "machine/pu_list.hpp"

namespace gimbal::pin::guest {

namespace {

/// A thread that works on pages of its own, which somebody else has touched first.
struct Farmer {
    Worker worker;
    ThreadCounter counter;
    Reading last;
    std::vector<std::pair<const void*, std::size_t>> ranges;
    std::size_t moves = 0;  ///< of its pages
};

class Farm {
public:
    static constexpr std::size_t kFarmers = 4;
    static constexpr long kPages = 32;

    Farm(const Machine& machine, Backend backend, const Settings& settings)
        : actuator_(machine.allowed()), placer(settings, machine.view(), 1), rules_{.period_s = 0.1} {
        placer.set_sees_memory(sees_memory(backend));
        placer.set_memories(allowed_memories());
        const std::size_t bytes = kPages * page_size();
        for (std::size_t i = 0; i < kFarmers; ++i) {
            Farmer& farmer = farmers_[i];
            void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            farmer.ranges.emplace_back(at, bytes);
            bind_ranges(farmer.ranges, placer.machine().root().inside.front().memory_node);
            std::memset(at, 1, bytes);
            bind_ranges(farmer.ranges, kUnbind);
            actuator_.take(farmer.worker.tid());
            farmer.counter.open(backend, {.pid = 0, .tid = farmer.worker.tid()});
            farmer.last = farmer.counter.read();
            farmer.worker.begin(2'000'000'000);
            follow(placer.join(i));
        }
    }
    ~Farm() {
        for (Farmer& farmer : farmers_) farmer.worker.stop();
    }
    void sample() {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        std::vector<Sample> samples;
        for (std::size_t i = 0; i < kFarmers; ++i) {
            Farmer& farmer = farmers_[i];
            const Reading reading = farmer.counter.read();
            const Speed speed = speed_between(farmer.last, reading, rules_);
            farmer.last = reading;
            samples.push_back({.thread = i,
                               .speed = speed.per_s,
                               .valid = speed.valid(),
                               .cpu_share = speed.cpu_share,
                               .memory = mostly_on(farmer.ranges)});
        }
        for (const Decision& decision : placer.tick(samples)) follow(decision);
    }
    /// Pages that are where the standing decision says.
    [[nodiscard]] long in_place(std::size_t i) const {
        const int node = placer.standing(i).bind_memory;
        return on_node(static_cast<const char*>(farmers_[i].ranges[0].first), farmers_[i].ranges[0].second, node);
    }
    [[nodiscard]] std::size_t moves() const {
        std::size_t sum = 0;
        for (const Farmer& farmer : farmers_) sum += farmer.moves;
        return sum;
    }

private:
    void follow(const Decision& decision) {
        Farmer& farmer = farmers_[decision.thread];
        if (!decision.released) actuator_.place(farmer.worker.tid(), decision.pus);
        if (decision.bind_memory == kNoMemory) return;
        const int before = mostly_on(farmer.ranges);
        if (bind_ranges(farmer.ranges, decision.bind_memory) == 0 && before != decision.bind_memory) ++farmer.moves;
    }

    Farmer farmers_[kFarmers];
    Actuator actuator_;

public:
    Placer placer;

private:
    SpeedRules rules_;
};

}  // namespace

void check_learning(const Machine& machine, Backend backend) {
    Settings settings;
    settings.guard = false;
    settings.bind_memory = settings.learn_memory = true;
    settings.zeta = 0;
    settings.sample_s = 0.1;
    settings.numa_memory.period = 4;
    // Threads stay where they begin, two on each node: what moves is memory.
    settings.resources = {{Level::node, Criterion::speed, EstimatorKind::rl, OptimiserKind::al, 1000000},
                          {Level::core, Criterion::speed, EstimatorKind::rl, OptimiserKind::rl, 1000000}};
    Farm farm(machine, backend, settings);
    const bool learnt = farm.placer.memory_by() == MemoryBy::learning;
    for (int period = 0; period < 40; ++period) farm.sample();
    bool all = true;
    std::string text = learnt ? "learnt:" : "by zeta:";
    for (std::size_t i = 0; i < Farm::kFarmers; ++i) {
        const Decision standing = farm.placer.standing(i);
        all = all && farm.in_place(i) == Farm::kPages;
        text += " thread " + std::to_string(i) + " on " + pu_list_text(standing.pus) + " memory " +
                std::to_string(standing.bind_memory) + " (" + std::to_string(farm.in_place(i)) + " of 32 pages)";
    }
    text += ", " + std::to_string(farm.moves()) + " moves";
    check("pages are where memory placement says", all && learnt == sees_memory(backend), text);
    check("far memory was moved, and not to and fro",
          farm.moves() >= 2 && farm.moves() <= Farm::kFarmers * settings.memory_moves, std::to_string(farm.moves()));
}

}  // namespace gimbal::pin::guest
