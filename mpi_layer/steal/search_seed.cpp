// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include "steal/search.hpp"

namespace gimbal::mpi {

namespace {

/// One question at a time: to the coordinator, then to the victim that it named, then to the coordinator again.
class SeedSearch : public Search {
public:
    SeedSearch(StealContext& context, Coordinator& coordinator) : context_(context), coordinator_(coordinator) {}

    void look() override {
        if (waiting_ || over_) return;
        waiting_ = true;
        if (context_.team.rank() == kCoordinator) return on_victim(coordinator_.victim_for(kCoordinator));
        StealHeader who = context_.header(StealKind::who);
        who.rank = std::exchange(refused_by_, -1);
        context_.mail.send(kCoordinator, who);
    }

    void on_victim(int rank) override {
        if (rank < 0) {
            waiting_ = false;
            over_ = true;
            return;
        }
        ++context_.record.attempts;
        context_.mail.send(rank, context_.header(StealKind::ask));
    }

    void on_nothing(int source, const StealHeader&) override {
        waiting_ = false;
        if (context_.team.rank() == kCoordinator)
            coordinator_.has_nothing(source);
        else
            refused_by_ = source;
    }
    void on_items(int) override { waiting_ = false; }

private:
    static constexpr int kCoordinator = 0;

    StealContext& context_;
    Coordinator& coordinator_;
    int refused_by_ = -1;  // the last victim, if it had nothing: the coordinator is to know
    bool waiting_ = false;
    bool over_ = false;
};

}  // namespace

std::unique_ptr<Search> make_seed_search(StealContext& context, Coordinator& coordinator) {
    return std::make_unique<SeedSearch>(context, coordinator);
}

}  // namespace gimbal::mpi
