// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include "gimbal/random.hpp"
#include "steal/search.hpp"

namespace gimbal::mpi {

namespace {

/// Claims on this node, questions to others.
class NearestSearch : public Search {
public:
    NearestSearch(StealContext& context, std::uint64_t seed) : context_(context), seed_(seed) {
        const Team& team = context.team;
        if (team.nodes() == 1) return;
        state_.assign(static_cast<std::size_t>(team.size()), State::possible);
        for (int rank = 0; rank < team.size(); ++rank)
            if (same_node(rank)) state_[static_cast<std::size_t>(rank)] = State::exhausted;
    }

    void look() override {
        if (claims_out_ > 0 || !context_.ratio_known) return;
        int victim = -1;
        if (const Grains part = context_.queues.claim(context_.ratio, victim)) {
            StealHeader claim = context_.header(StealKind::claim);
            claim.first = part.first;
            claim.count = part.size();
            ++context_.record.attempts;
            ++claims_out_;
            context_.mail.send(victim, claim);
        } else {
            look_elsewhere();
        }
    }

    void on_nothing(int source, const StealHeader& answer) override {
        if (same_node(source)) {
            --claims_out_;  // its owner has failed
            return;
        }
        answered(source, State::exhausted);
        context_.queues.empty_nodes().add_group(context_.epoch, static_cast<int>(answer.first),
                                                static_cast<std::uint64_t>(answer.count));
        if (is_possible(answer.rank)) hint_ = answer.rank;
    }

    void on_items(int source) override {
        if (same_node(source)) {
            --claims_out_;
            return;
        }
        answered(source, State::possible);
        hint_ = source;
        all_asked_ = false;
    }

    [[nodiscard]] int claims_out() const noexcept override { return claims_out_; }

private:
    enum class State : std::uint8_t { possible, asked, exhausted };
    static constexpr int kMaxAsked = 4;     // questions that may be open at once
    static constexpr double kPatience = 4;  // looks of a victim before somebody else is asked as well

    [[nodiscard]] bool same_node(int rank) const noexcept {
        return context_.team.node_of()[static_cast<std::size_t>(rank)] == context_.team.node();
    }

    void answered(int source, State state) {
        state_[static_cast<std::size_t>(source)] = state;
        --asked_;
    }

    // A rank that has not begun this execution cannot answer; somebody else may have work meanwhile.
    void look_elsewhere() {
        if (state_.empty() || all_asked_ || asked_ >= kMaxAsked) return;
        const double now = asked_ > 0 ? steal_clock() : 0;
        if (asked_ > 0 && now - last_asked_s_ < kPatience * asked_ * context_.look_s) return;
        const std::uint64_t use = picks_++ * state_.size() + static_cast<std::uint64_t>(context_.team.rank());
        const std::uint64_t chance = random_bits(seed_, context_.epoch, use);
        const int victim = pick(chance);
        if (victim < 0) {
            all_asked_ = true;
            return;
        }
        state_[static_cast<std::size_t>(victim)] = State::asked;
        ++asked_;
        ++context_.record.attempts;
        last_asked_s_ = steal_clock();
        StealHeader ask = context_.header(StealKind::ask);
        ask.first = static_cast<std::int64_t>((chance >> 32U) %
                                              static_cast<unsigned>(EmptyNodes::groups(context_.team.nodes())));
        context_.mail.send(victim, ask);
    }

    [[nodiscard]] bool is_possible(int rank) const noexcept {
        if (rank < 0 || state_[static_cast<std::size_t>(rank)] != State::possible) return false;
        const int node = context_.team.node_of()[static_cast<std::size_t>(rank)];
        return !context_.queues.empty_nodes().contains(context_.epoch, node);
    }

    // Who is known to have had work; else a random one. @return -1: nobody is left
    [[nodiscard]] int pick(std::uint64_t chance) {
        const int hint = hint_;
        hint_ = -1;
        if (is_possible(hint)) return hint;
        const std::size_t ranks = state_.size();
        for (std::size_t i = 0; i < ranks; ++i) {
            const auto rank = static_cast<int>((chance + i) % ranks);
            if (is_possible(rank)) return rank;
        }
        return -1;
    }

    StealContext& context_;
    std::uint64_t seed_;
    std::vector<State> state_;  // [ranks] where there are other nodes
    int claims_out_ = 0;
    int asked_ = 0;
    int hint_ = -1;
    bool all_asked_ = false;  // nobody is left that might have something and has not been asked
    std::uint64_t picks_ = 0;
    double last_asked_s_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_nearest_search(StealContext& context, std::uint64_t seed) {
    return std::make_unique<NearestSearch>(context, seed);
}

}  // namespace gimbal::mpi
