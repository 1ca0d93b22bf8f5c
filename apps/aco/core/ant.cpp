// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ant.hpp"

#include <algorithm>
#include <numeric>

namespace aco {

namespace {

/// Scores of the first jobs of the workspace. @return their sum
double score_open(const Instance& instance, std::span<const double> pheromone, std::int64_t now, std::size_t open,
                  Workspace& workspace) {
    double sum = 0.0;
    for (std::size_t i = 0; i < open; ++i) {
        const Job job = workspace.open[i];
        const auto urgency = static_cast<double>(std::max(instance.processing[job], instance.due[job] - now));
        const double desire = static_cast<double>(instance.weight[job]) / urgency;
        const double score = pheromone[job] * desire * desire;
        workspace.scores[i] = score;
        sum += score;
    }
    return sum;
}

/// Index of a score, drawn with a probability in proportion to it. @param draw  in [0, sum of the scores)
std::size_t roulette(std::span<const double> scores, double draw) {
    std::size_t i = 0;
    while (i + 1 < scores.size() && draw >= scores[i]) draw -= scores[i++];
    return i;
}

}  // namespace

std::int64_t make_schedule(const Instance& instance, const Pheromone& pheromone, Random random, Workspace& workspace,
                           std::span<Job> order) {
    std::iota(workspace.open.begin(), workspace.open.end(), Job{0});
    std::int64_t now = 0;
    std::int64_t total = 0;
    std::size_t open = instance.jobs();
    for (std::size_t position = 0; position < order.size(); ++position) {
        const double sum = score_open(instance, pheromone.at(position), now, open, workspace);
        const std::span<const double> scores(workspace.scores.data(), open);
        const bool greedy = random.uniform() < kGreedy;
        const std::size_t pick =
            greedy ? static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin())
                   : roulette(scores, random.uniform() * sum);
        const Job job = workspace.open[pick];
        workspace.open[pick] = workspace.open[--open];
        order[position] = job;
        now += instance.processing[job];
        total += instance.weight[job] * std::max<std::int64_t>(now - instance.due[job], 0);
    }
    return total;
}

}  // namespace aco
