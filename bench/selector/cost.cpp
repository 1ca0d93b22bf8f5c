// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What choosing and learning cost per execution of a loop, for one selector. The executions are virtual, so that the
// program takes seconds and nothing but the learning is timed; what is timed is the code that runs in programs.
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "loop/learning.hpp"
#include "simulate/event_loop.hpp"
#include "simulate/work.hpp"

namespace {

using gimbal::ticks;

/// Adds up what choose() and learn() of another selector take.
class TimedSelector final : public gimbal::Selector {
public:
    TimedSelector(std::unique_ptr<gimbal::Selector> inner, std::vector<double>& spent)
        : inner_(std::move(inner)), spent_(spent) {}

    gimbal::Decision choose(const gimbal::LoopContext& context) override {
        const std::uint64_t begin = ticks();
        const gimbal::Decision decision = inner_->choose(context);
        spent_.push_back(static_cast<double>(ticks() - begin));
        return decision;
    }
    void learn(const gimbal::Decision& decision, const gimbal::LoopRecord& record,
               const gimbal::LoopContext& context) override {
        const std::uint64_t begin = ticks();
        inner_->learn(decision, record, context);
        spent_.back() += static_cast<double>(ticks() - begin);
    }

private:
    std::unique_ptr<gimbal::Selector> inner_;
    std::vector<double>& spent_;  // per execution [ticks]
};

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

// usage: cost SELECTOR WORKERS STEPS LOOP_MS
int main(int count, char** arguments) {
    if (count != 5) {
        std::fprintf(stderr, "usage: cost SELECTOR WORKERS STEPS LOOP_MS\n");
        return 2;
    }
    const std::string name = arguments[1];
    const auto workers = static_cast<std::uint32_t>(std::atoi(arguments[2]));
    const int steps = std::atoi(arguments[3]);
    const double loop_s = 1e-3 * std::atof(arguments[4]);
    gimbal::start_clock();
    const double tick_s = gimbal::seconds_per_tick();

    // A loop whose last iterations cost the most, drifting a little.
    constexpr std::uint64_t kIterations = 20000;
    std::vector<double> costs(kIterations);
    gimbal::simulate::ListedWork work;
    gimbal::simulate::EventLoop loop;
    std::vector<double> slowness(workers, 1.0);
    gimbal::simulate::Machine machine;
    machine.slowness = slowness;
    machine.dispatch = 60e-9 / tick_s;
    machine.serial = machine.dispatch / 2;
    machine.own_dispatch = 5e-9 / tick_s;
    machine.chunk_noise = 0.01;
    std::vector<gimbal::WorkerSlot> slots(workers);

    gimbal::Request request;
    request.trip = kIterations;

    std::vector<double> selecting;
    std::vector<double> everything;
    selecting.reserve(static_cast<std::size_t>(steps));
    everything.reserve(static_cast<std::size_t>(steps));
    const std::size_t before = mallinfo2().uordblks;
    {
        auto learning = std::make_unique<gimbal::LoopLearning>(
            "bench", workers, gimbal::LoopClock{},
            std::make_unique<TimedSelector>(gimbal::make_selector(name, "bench", workers), selecting));
        for (int step = 0; step < steps; ++step) {
            for (std::uint64_t i = 0; i < kIterations; ++i)
                costs[i] =
                    static_cast<double>(i + 1) * (1 + 0.2 * std::sin(1e-3 * step + 1e-4 * static_cast<double>(i)));
            if (step % 50 == 0) work.assign(costs);
            const double scale = loop_s / tick_s * workers / work.total();
            for (double& slow : slowness) slow = scale;
            machine.seed = static_cast<std::uint64_t>(step);
            const std::uint64_t t0 = ticks();
            const gimbal::Opening opening = learning->open(request);
            const std::uint64_t t1 = ticks();
            loop.run(*opening.decision.schedule.technique, *opening.plan, work, machine, opening.config, slots);
            const std::uint64_t t2 = ticks();
            learning->close(opening.config, opening.decision, *opening.plan, slots);
            everything.push_back(static_cast<double>(t1 - t0) + static_cast<double>(ticks() - t2));
        }
        const std::size_t bytes = mallinfo2().uordblks - before;
        const double us = 1e6 * tick_s;
        std::printf(
            "{\"selector\": \"%s\", \"workers\": %u, \"steps\": %d, \"choose_learn_us\": %.4f, "
            "\"choose_learn_median_us\": %.4f, \"open_close_us\": %.4f, \"open_close_median_us\": %.4f, "
            "\"bytes\": %zu}\n",
            name.c_str(), workers, steps, us * mean(selecting), us * median(selecting), us * mean(everything),
            us * median(everything), bytes);
    }
    return 0;
}
