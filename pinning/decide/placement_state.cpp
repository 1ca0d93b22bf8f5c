// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decide/placement_state.hpp"

#include <algorithm>
#include <utility>

namespace gimbal::pin {

namespace {

ChoiceTree tree_of(const MachineView& machine, const Settings& settings) {
    std::vector<Level> levels;
    for (const Resource& resource : settings.resources) levels.push_back(resource.level);
    return {machine, levels, settings.group};
}

}  // namespace

PlacementState::PlacementState(Settings asked, MachineView view, std::uint64_t seed)
    : settings(std::move(asked)),
      machine(std::move(view)),
      tree(tree_of(machine, settings)),
      occupancy(tree),
      expected(tree, occupancy, settings),
      random(seed) {}

void PlacementState::adopt(MachineView view) {
    machine = std::move(view);
    tree = tree_of(machine, settings);
    occupancy = Occupancy(tree);
    occupancy.set_others(others);
    expected = ExpectedSpeeds(tree, occupancy, settings);
    for (auto& [id, thread] : threads) thread.home = kNoChoice;
}

void PlacementState::set_others(std::map<int, double> load) {
    others = std::move(load);
    occupancy.set_others(others);
}

void PlacementState::settle(ThreadState& thread, ChoiceId leaf, double sure, bool forget) {
    if (thread.home != kNoChoice) occupancy.add(thread.home, -1);
    thread.home = leaf;
    occupancy.add(leaf, 1);
    for (std::size_t depth = 1; depth <= tree.depth(); ++depth) {
        const Choice& at = tree.at(tree.around(leaf, depth));
        LevelLearner& level = thread.levels[depth - 1];
        level.enter(tree.at(at.parent).inside.size(), at.place, sure, forget);
        level.stagger();
    }
    thread.memory.learner.moved_beside(memory_near(thread));
}

void PlacementState::move(ThreadState& thread, std::size_t depth, std::size_t choice) {
    const ChoiceId from = tree.around(thread.home, depth);
    const ChoiceId to = tree.at(tree.at(from).parent).inside[choice];
    const ChoiceId leaf = expected.best_leaf(to, thread.home);
    occupancy.add(thread.home, -1);
    thread.home = leaf;
    occupancy.add(thread.home, 1);
    ++thread.moves;
    for (std::size_t inner = depth + 1; inner <= tree.depth(); ++inner) {
        const Choice& at = tree.at(tree.around(thread.home, inner));
        thread.levels[inner - 1].enter(tree.at(at.parent).inside.size(), at.place,
                                       settings.reshuffle ? 0 : settings.sure, true);
    }
    // What was measured at the old place says nothing of the new one; V itself goes on.
    for (std::size_t outer = 1; outer <= depth; ++outer) thread.levels[outer - 1].drop_period();
    thread.memory.learner.moved_beside(memory_near(thread));
}

std::size_t PlacementState::memory_index(int memory) const noexcept {
    const auto found = std::find(memories.begin(), memories.end(), memory);
    return found == memories.end() ? kNowhere : static_cast<std::size_t>(found - memories.begin());
}

std::size_t PlacementState::memory_near(const ThreadState& thread) const noexcept {
    return memory_index(tree.at(thread.home).memory_node);
}

}  // namespace gimbal::pin
