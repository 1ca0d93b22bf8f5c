// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks of one node share a queue of chunks, which one of them refills by messages from the foreman. Each rank keeps
// its own execution with the foreman, and draws from that when the queue is of no use: nobody waits long for another.
#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "loop/foreman.hpp"
#include "loop/foreman_execution.hpp"
#include "loop/node_queue.hpp"
#include "team/wait.hpp"

namespace gimbal::mpi {

namespace {

// For another rank's refill, in times that a request may wait for a computing rank. Who asks for itself in spite of a
// refill that is to come has more drawn for the node than its ranks have use for: where hundreds of nodes begin at the
// same time, an answer takes longer than one such time.
constexpr double kPatience = 100;

class HierarchicalTransport final : public Transport {
public:
    HierarchicalTransport(Team& team, const std::string& name)
        : foreman_(team, name, true),
          queues_(team),
          patience_(static_cast<std::uint64_t>(kPatience * team.settings().poll_us * 1e-6 / gimbal_rank_tick_s())) {}

    [[nodiscard]] std::unique_ptr<RankExecution> enter(const Request& request) override;
    void refuse() override;
    [[nodiscard]] std::string_view name() const noexcept override { return "hierarchical"; }
    void poll() override { foreman_.poll(); }

    [[nodiscard]] const ChunkQueues& queues() const noexcept { return queues_; }
    [[nodiscard]] Team& team() noexcept { return foreman_.team(); }
    [[nodiscard]] Waits& waits() noexcept { return foreman_.waits(); }
    /// How long a rank waits for another of its node [ticks].
    [[nodiscard]] std::uint64_t patience() const noexcept { return patience_; }

private:
    void leave_skipped();
    bool settle(double) override {
        leave_skipped();
        return true;
    }

    ForemanTransport foreman_;
    ChunkQueues queues_;
    std::uint64_t patience_;
    std::uint64_t epoch_ = 0;             // of the next execution
    std::vector<std::uint64_t> skipped_;  // executions that ran without their queue and have not left it
};

/// Holds the right to refill.
class Refill {
public:
    explicit Refill(NodeQueue& queue) : queue_(queue), mine_(queue.try_refill()) {}
    ~Refill() {
        if (mine_) queue_.end_refill();
    }
    Refill(const Refill&) = delete;
    Refill& operator=(const Refill&) = delete;
    [[nodiscard]] bool mine() const noexcept { return mine_; }

private:
    NodeQueue& queue_;
    bool mine_;
};

/// This rank has nothing to run.
class Idle {
public:
    explicit Idle(NodeQueue& queue) : queue_(queue) { queue_.begin_wait(); }
    ~Idle() { queue_.end_wait(); }
    Idle(const Idle&) = delete;
    Idle& operator=(const Idle&) = delete;

private:
    NodeQueue& queue_;
};

class HierarchicalExecution final : public RankExecution {
public:
    HierarchicalExecution(HierarchicalTransport& transport, std::uint64_t epoch,
                          std::unique_ptr<SharingExecution> inner)
        : transport_(transport), queue_(transport.queues().at(epoch)), epoch_(epoch), inner_(std::move(inner)) {
        share.execution = inner_->share.execution;
        inner_->report_from(&queue_);
    }
    ~HierarchicalExecution() override;

    bool next(std::uint64_t& first, std::uint64_t& end) override;
    void leave(LeaveMode how) override;

private:
    bool draw(std::uint64_t begin, std::uint64_t& first, std::uint64_t& end);
    bool take(std::uint64_t& first, std::uint64_t& end);
    bool ask(std::uint32_t chunks, std::uint64_t& first, std::uint64_t& end);
    [[nodiscard]] std::uint32_t wanted() const noexcept;
    bool refill(std::uint64_t& first, std::uint64_t& end);
    bool take_in_time(std::uint64_t& first, std::uint64_t& end);
    void note_begun() noexcept;
    [[nodiscard]] Stay stay() const noexcept;
    void say_left(std::span<Stay> stays);
    void note_worked();
    void report_worked();

    HierarchicalTransport& transport_;
    NodeQueue& queue_;
    std::uint64_t epoch_;
    std::unique_ptr<SharingExecution> inner_;
    bool left_ = false;
    ChunkBounds ran_{};        // what was handed to the program since note_worked()
    std::uint64_t begun_ = 0;  // with the first chunk; 0: it had none [ticks]
};

// A queue is for executions that every rank of the node enters alike. Without one, as when this rank is far ahead of
// another or has other parameters, the foreman alone serves this rank; the queue hears that it has left when it can.
std::unique_ptr<RankExecution> HierarchicalTransport::enter(const Request& request) {
    leave_skipped();
    std::unique_ptr<SharingExecution> inner = foreman_.open(request);
    const std::uint64_t epoch = epoch_++;
    NodeQueue& queue = queues_.at(epoch);
    const bool alone = foreman_.team().node_size() == 1;
    if (alone || foreman_.robust(inner->parameters()) || queue.epoch() != epoch || !queue.enter(inner->parameters())) {
        skipped_.push_back(epoch);
        leave_skipped();
        return inner;
    }
    return std::make_unique<HierarchicalExecution>(*this, epoch, std::move(inner));
}

void HierarchicalTransport::refuse() {
    foreman_.refuse();
    skipped_.push_back(epoch_++);
    leave_skipped();
}

void HierarchicalTransport::leave_skipped() {
    std::erase_if(skipped_, [&](std::uint64_t epoch) {
        if (queues_.at(epoch).epoch() != epoch) return false;
        queues_.leave(epoch);
        return true;
    });
}

HierarchicalExecution::~HierarchicalExecution() {
    if (left_) return;
    try {
        leave(LeaveMode::in_order);
    } catch (...) {  // a destructor has no use for it
    }
}

bool HierarchicalExecution::next(std::uint64_t& first, std::uint64_t& end) {
    if (inner_->holds()) {
        // The end of what it has begun.
        const bool more = inner_->next(first, end);
        if (more && first == ran_.end) ran_.end = end;
        return more;
    }
    note_worked();
    inner_->attend();
    // The first chunk may have waited for the foreman to come to this loop.
    const bool first_chunk = begun_ == 0;
    const std::uint64_t begin = gimbal_rank_ticks();
    if (!draw(begin, first, end)) return false;
    ran_ = {.first = first, .end = end};
    if (!first_chunk) transport_.waits().drew(static_cast<double>(gimbal_rank_ticks() - begin));
    return true;
}

// @param begin  now [ticks]
bool HierarchicalExecution::draw(std::uint64_t begin, std::uint64_t& first, std::uint64_t& end) {
    if (take(first, end)) return true;
    const Idle idle(queue_);
    for (Wait wait; !queue_.over() && gimbal_rank_ticks() - begin < transport_.patience(); wait.pause()) {
        const Refill right(queue_);
        if (right.mine()) {
            if (refill(first, end)) return true;
            break;
        }
        if (take(first, end)) return true;
    }
    if (queue_.over_for_all() && inner_->waits_for_nothing()) return take_in_time(first, end);
    // What belongs to this rank alone, or has come to it unasked, or all that there is if another rank's refill lasts.
    if (ask(1, first, end)) return true;
    return take_in_time(first, end);
}

bool HierarchicalExecution::take(std::uint64_t& first, std::uint64_t& end) {
    ChunkBounds piece;
    if (!queue_.pop(piece)) return false;
    inner_->follow(queue_.told());
    inner_->adopt(piece, first, end);
    note_begun();
    return true;
}

bool HierarchicalExecution::ask(std::uint32_t chunks, std::uint64_t& first, std::uint64_t& end) {
    inner_->want(chunks);
    report_worked();
    if (inner_->next(first, end)) {
        note_begun();
        return true;
    }
    if (inner_->ended_for_node()) queue_.end_for_all();
    queue_.end();
    return false;
}

void HierarchicalExecution::note_begun() noexcept {
    if (begun_ != 0) return;
    common.of = inner_->common.of;
    begun_ = gimbal_rank_ticks();
    queue_.note_answer(begun_);
}

// @pre this rank has the right
bool HierarchicalExecution::refill(std::uint64_t& first, std::uint64_t& end) {
    // Another rank may have refilled it since this one looked.
    if (take(first, end)) return true;
    const std::uint32_t chunks = wanted();
    if (!ask(chunks, first, end)) return false;
    std::array<ChunkBounds, kMaxAtOnce> others;
    std::uint32_t spared = 0;
    while (spared + 1 < chunks && inner_->spare(others[spared])) ++spared;
    queue_.note_drawn(1 + spared);
    queue_.tell(inner_->common.of);
    queue_.publish(others, spared);
    return true;
}

// One for each rank of the node. The first chunks of some techniques are as large as a rank's part: of those the node
// shall have no more, though its ranks come one after the other and take parts of what is there.
std::uint32_t HierarchicalExecution::wanted() const noexcept {
    const std::uint32_t inside = queue_.inside();
    const std::uint32_t drawn = queue_.drawn();
    const std::uint32_t all = drawn < inside ? inside - drawn : inside;
    return std::clamp(begun_ != 0 ? all : std::min(all, queue_.waiting()), std::uint32_t{1}, kMaxAtOnce);
}

// Nothing is left but what a rank that is at it now may bring.
bool HierarchicalExecution::take_in_time(std::uint64_t& first, std::uint64_t& end) {
    const std::uint64_t begin = gimbal_rank_ticks();
    for (Wait wait; queue_.refilling() && gimbal_rank_ticks() - begin < transport_.patience();) wait.pause();
    return take(first, end);
}

// Chunks are run by other ranks than the one that drew them: what counts is how fast the node is.
void HierarchicalExecution::note_worked() {
    const UnreportedWork done = inner_->take_unreported();
    transport_.waits().worked(done.iterations, static_cast<double>(done.time));
    const ChunkBounds ran = std::exchange(ran_, {});
    if (done.iterations == 0) return;
    const TimedChunk timed{ran.first, ran.end, static_cast<double>(done.time) * gimbal_rank_tick_s()};
    if (done.iterations != ran.end - ran.first || !queue_.note_timed(timed)) queue_.worked(done.time, done.iterations);
}

void HierarchicalExecution::report_worked() {
    UnreportedWork done;
    queue_.take_worked(done.time, done.iterations);
    inner_->count(done);
}

Stay HierarchicalExecution::stay() const noexcept {
    const std::uint64_t first = queue_.first_answer();
    const auto since_s = [&](std::uint64_t when) {
        return first != 0 && when > first ? static_cast<double>(when - first) * gimbal_rank_tick_s() : 0;
    };
    const std::uint64_t now = gimbal_rank_ticks();
    return {.rank = static_cast<std::uint32_t>(transport_.team().rank()),
            .moves = static_cast<std::uint32_t>(gimbal_rank_moves()),
            .from_s = since_s(begun_ != 0 ? begun_ : now),
            .to_s = since_s(now)};
}

// At the end of a loop one message tells the foreman that the ranks of a node have left, and what they have done: the
// last one sends it. Who has more to say does so itself, and so does everybody where some have not come to the queue.
void HierarchicalExecution::leave(LeaveMode how) {
    left_ = true;
    note_worked();
    const ChunkQueues& queues = transport_.queues();
    const bool ended = inner_->has_ended() || (queue_.over_for_all() && inner_->waits_for_nothing());
    // What its threads measured only this rank can say.
    const bool unsaid = queue_.complete(queues.ranks()) && ended && gimbal_rank_sampled(&inner_->common) == 0;
    const Stay mine = stay();
    inner_->took_part(mine);
    const std::span<Stay> stays = queues.stays(epoch_);
    if (unsaid) stays[static_cast<std::size_t>(transport_.team().node_rank())] = mine;
    inner_->report_from(nullptr);  // from now on the queue may be another execution's
    if (queue_.leave(queues.ranks())) {
        inner_->report_from(&queue_);
        for (ChunkBounds piece; queue_.pop(piece);) inner_->give_back(one(piece));
        report_worked();
        say_left(stays);
        inner_->report_from(nullptr);
        queue_.recycle(epoch_ + ChunkQueues::kCount);
    }
    if (unsaid) {
        inner_->leave_unsaid();
    } else {
        inner_->leave(how);
    }
}

// @param stays  of nobody afterwards
void HierarchicalExecution::say_left(std::span<Stay> stays) {
    std::vector<Stay> left;
    for (Stay& stay : stays)
        if (const Stay said = std::exchange(stay, {}); said.rank != Stay::kNobody) left.push_back(said);
    inner_->say_left(left);
}

}  // namespace

std::unique_ptr<Transport> make_hierarchical_transport(Team& team, const std::string& name) {
    return std::make_unique<HierarchicalTransport>(team, name);
}

}  // namespace gimbal::mpi
