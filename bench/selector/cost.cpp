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

struct Asked {
    std::string selector;
    std::uint32_t workers;
    int steps;
    double loop_s;
};

/// What each execution took of selectors, and of opening and closing with it [ticks].
struct Spent {
    std::vector<double> selecting;
    std::vector<double> everything;
};

gimbal::simulate::Machine machine_of(const std::vector<double>& slowness, double tick_s) {
    gimbal::simulate::Machine machine;
    machine.slowness = slowness;
    machine.dispatch = 60e-9 / tick_s;
    machine.serial = machine.dispatch / 2;
    machine.own_dispatch = 5e-9 / tick_s;
    machine.chunk_noise = 0.01;
    return machine;
}

/// A loop whose last iterations cost the most, drifting a little.
void run(const Asked& asked, double tick_s, gimbal::LoopLearning& learning, Spent& spent) {
    constexpr std::uint64_t kIterations = 20000;
    std::vector<double> costs(kIterations);
    gimbal::simulate::ListedWork work;
    gimbal::simulate::EventLoop loop;
    std::vector<double> slowness(asked.workers, 1.0);
    gimbal::simulate::Machine machine = machine_of(slowness, tick_s);
    std::vector<gimbal::WorkerSlot> slots(asked.workers);
    gimbal::Request request;
    request.trip = kIterations;
    for (int step = 0; step < asked.steps; ++step) {
        for (std::uint64_t i = 0; i < kIterations; ++i)
            costs[i] = static_cast<double>(i + 1) * (1 + 0.2 * std::sin(1e-3 * step + 1e-4 * static_cast<double>(i)));
        if (step % 50 == 0) work.assign(costs);
        const double scale = asked.loop_s / tick_s * asked.workers / work.total();
        for (double& slow : slowness) slow = scale;
        machine.seed = static_cast<std::uint64_t>(step);
        const std::uint64_t t0 = ticks();
        const gimbal::Opening opening = learning.open(request);
        const std::uint64_t t1 = ticks();
        loop.run(*opening.decision.schedule.technique, *opening.plan, work, machine, opening.config, slots);
        const std::uint64_t t2 = ticks();
        learning.close({opening.config, opening.decision, *opening.plan, slots});
        spent.everything.push_back(static_cast<double>(t1 - t0) + static_cast<double>(ticks() - t2));
    }
}

}  // namespace

// usage: cost SELECTOR WORKERS STEPS LOOP_MS
int main(int count, char** arguments) {
    if (count != 5) {
        std::fprintf(stderr, "usage: cost SELECTOR WORKERS STEPS LOOP_MS\n");
        return 2;
    }
    const Asked asked{.selector = arguments[1],
                      .workers = static_cast<std::uint32_t>(std::atoi(arguments[2])),
                      .steps = std::atoi(arguments[3]),
                      .loop_s = 1e-3 * std::atof(arguments[4])};
    gimbal::start_clock();
    const double tick_s = gimbal::seconds_per_tick();

    Spent spent;
    spent.selecting.reserve(static_cast<std::size_t>(asked.steps));
    spent.everything.reserve(static_cast<std::size_t>(asked.steps));
    const std::size_t before = mallinfo2().uordblks;
    const auto learning = std::make_unique<gimbal::LoopLearning>(
        "bench", asked.workers, gimbal::LoopClock{},
        std::make_unique<TimedSelector>(gimbal::make_selector(asked.selector, "bench", asked.workers),
                                        spent.selecting));
    run(asked, tick_s, *learning, spent);
    const std::size_t bytes = mallinfo2().uordblks - before;
    const double us = 1e6 * tick_s;
    std::printf(
        "{\"selector\": \"%s\", \"workers\": %u, \"steps\": %d, \"choose_learn_us\": %.4f, "
        "\"choose_learn_median_us\": %.4f, \"open_close_us\": %.4f, \"open_close_median_us\": %.4f, "
        "\"bytes\": %zu}\n",
        asked.selector.c_str(), asked.workers, asked.steps, us * mean(spent.selecting), us * median(spent.selecting),
        us * mean(spent.everything), us * median(spent.everything), bytes);
    return 0;
}
