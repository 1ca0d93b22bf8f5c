// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/experiment.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "gimbal/random.hpp"

namespace gimbal::simulate {

Machine drawing_costs(bool ranks) noexcept {
    if (ranks) return {.dispatch = 5000, .serial = 1090, .own_dispatch = 50, .queue_dispatch = 50, .stamp = 40};
    return {.dispatch = 100, .serial = 40, .own_dispatch = 2, .queue_dispatch = 20, .stamp = 40};
}

Machine machine_of(const Experiment& experiment) noexcept {
    const Disturbances& disturbances = experiment.disturbances;
    Machine machine = experiment.costs;
    machine.chunk_noise = disturbances.chunk_noise;
    machine.interruptions = disturbances.interruptions_per_s * 1e-9;
    machine.interruption = disturbances.interruption_us * 1e3;
    machine.most_events = experiment.most_events;
    return machine;
}

void run_experiment(const Experiment& experiment, const std::function<void(const ExperimentStep&)>& seen) {
    Application& application = *experiment.application;
    const Machine& costs = experiment.costs;
    const double serial_part = costs.dispatch > 0 ? std::min(1.0, costs.serial / costs.dispatch) : 0;
    std::vector<std::unique_ptr<VirtualLoop>> loops;
    for (const std::string& name : application.loops)
        loops.push_back(std::make_unique<VirtualLoop>(application.name + " " + name, application.workers, serial_part));
    WorkerSpeeds speeds(experiment.disturbances, application.workers, experiment.seed);
    Machine machine = machine_of(experiment);
    Request request = experiment.request;
    for (std::uint64_t number = 0; number < application.steps; ++number) {
        machine.slowness = speeds.slowness(number);
        double speed = 0;
        for (const double slowness : machine.slowness) speed += 1 / slowness;
        for (std::size_t k = 0; k < loops.size(); ++k) {
            request.trip = application.trip(k, number);
            if (request.trip == 0) continue;
            machine.seed = random_bits(experiment.seed, number, k);
            const Work& work = application.work(k, number);
            const StepRow step = loops[k]->run(request, work, machine, experiment.learning);
            seen({.loop = k,
                  .workers = application.workers,
                  .step = &step,
                  .learning = loops[k]->learning_ns(experiment.learning),
                  .ideal = work.time({0, request.trip}) / speed,
                  .site = &loops[k]->learning()});
        }
    }
}

}  // namespace gimbal::simulate
