// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ant.hpp"

#include <algorithm>
#include <numeric>

namespace aco {

namespace {

/// Scores of the open jobs. @param scores  [open] out   @return their sum
double score_open(const Instance& instance, std::span<const double> pheromone, Taste taste, std::int64_t now,
                  std::span<const Job> open, std::span<double> scores) {
    double sum = 0.0;
    for (std::size_t i = 0; i < open.size(); ++i) {
        const Job job = open[i];
        const auto urgency = static_cast<double>(std::max(instance.processing[job], instance.due[job] - now));
        const auto weight = static_cast<double>(instance.weight[job]);
        const double worth = taste == Taste::weight ? weight : weight * weight;
        const double score = pheromone[job] * worth / (urgency * urgency);
        scores[i] = score;
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

std::int64_t make_schedule(const Instance& instance, const Pheromone& pheromone, Taste taste, apps::Random random,
                           Workspace& workspace, std::span<Job> order) {
    std::iota(workspace.open.begin(), workspace.open.end(), Job{0});
    std::int64_t now = 0;
    std::int64_t total = 0;
    std::size_t open = instance.jobs();
    for (std::size_t position = 0; position < order.size(); ++position) {
        const std::span<double> scores(workspace.scores.data(), open);
        const std::span<const Job> jobs(workspace.open.data(), open);
        const double sum = score_open(instance, pheromone.at(position), taste, now, jobs, scores);
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
