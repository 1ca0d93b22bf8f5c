// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "loop/foreman.hpp"
#include "loop/node_queue.hpp"

namespace gimbal::mpi {

/// What a rank has done since its last message.
struct UnreportedWork {
    std::uint64_t begun = 0;       ///< when what is in hand was handed to the program [ticks]
    std::uint64_t size = 0;        ///< of it; 0: nothing in hand [iterations]
    std::uint64_t time = 0;        ///< in finished pieces since the last message [ticks]
    std::uint64_t iterations = 0;  ///< in these [iterations]
    gimbal_rank_work ran{};        ///< since the execution began

    void start(std::uint64_t iterations_in_hand) noexcept {
        size = iterations_in_hand;
        begun = gimbal_rank_ticks();
    }
    /// What was in hand is finished. @return the time it took [ticks]
    std::uint64_t stop() noexcept {
        if (size == 0) return 0;
        const std::uint64_t took = gimbal_rank_ticks() - begun;
        time += took;
        iterations += size;
        ran = {ran.ticks + took, ran.iterations + size, ran.chunks + 1};
        size = 0;
        return took;
    }
    void clear() noexcept { time = iterations = 0; }
};

// The next piece of a chunk; what is left of it stays in `chunk`.
inline void cut(ChunkRange& chunk, std::uint64_t piece, std::uint64_t& first, std::uint64_t& end) noexcept {
    first = chunk.first;
    end = chunk.end - chunk.first > piece ? chunk.first + piece : chunk.end;
    chunk.first = end;
    if (first == end || end == chunk.end) chunk.count = 0;
}

/// An execution whose chunks may be run by other ranks than the one that drew them.
class SharingExecution : public RankExecution {
public:
    explicit SharingExecution(const LoopParameters& parameters) : parameters_(parameters) {
        common.trip = parameters.trip;
    }

    [[nodiscard]] const LoopParameters& parameters() const noexcept { return parameters_; }

    /// From now on this rank draws for others too. @param chunks  that next() should get at once, if it must ask;
    /// 1 to kMaxAtOnce [count]
    void want(std::uint32_t chunks) noexcept { want_ = chunks; }
    /// A chunk beyond those that next() has handed out, which any rank may run. Never waits. @return false: none
    virtual bool spare(ChunkBounds& chunk) = 0;
    /// next() has a part of a chunk left that it has begun.
    [[nodiscard]] virtual bool holds() const noexcept = 0;
    /// Work on a chunk that another rank may have drawn. @param first, end  out: what to run now of it [iterations]
    virtual void adopt(const ChunkBounds& chunk, std::uint64_t& first, std::uint64_t& end) = 0;
    /// What the threads shall run that share out its chunks has come with the first of them. The foreman knows it.
    virtual void follow(std::uint64_t within) { static_cast<void>(within); }
    /// The foreman, where its answers are worth more than its work: answers until they are not. Others: nothing.
    virtual void attend() {}
    /// Nobody here will run these chunks.
    virtual void give_back(const ChunkRange& chunks) = 0;

    /// It was told that nothing is left and holds nothing: another rank may say that it leaves.
    [[nodiscard]] virtual bool has_ended() const = 0;
    /// It was told so for its whole node.
    [[nodiscard]] virtual bool ended_for_node() const = 0;
    /// Nothing is on its way to it that it has asked for, and it holds nothing: what the node was told is true of it.
    [[nodiscard]] virtual bool waits_for_nothing() const = 0;
    /// Leave, and another rank will say so.
    virtual void leave_unsaid() = 0;
    /// Say that ranks of this node have left so. @param stays  of them, by the node's first answer
    virtual void say_left(std::span<const Stay> stays) = 0;
    /// When this rank took part, by the node's first answer: leave() says that.
    void took_part(const Stay& stay) noexcept { stay_ = stay; }

    /// What this rank reports includes the chunks that are noted there. @param queue  nullptr: not any more
    void report_from(NodeQueue* queue) noexcept { node_ = queue; }

    /// This rank knows that the ranks do not agree: leave() does not say so.
    void note_disagreement() noexcept { told_ = true; }

    /// What is in hand is finished. @return what this rank has done since its last message or call of this
    virtual UnreportedWork take_unreported() noexcept {
        unreported_.stop();
        const UnreportedWork done = unreported_;
        unreported_.clear();
        return done;
    }
    /// What this rank reports next includes that.
    void count(const UnreportedWork& done) noexcept {
        unreported_.time += done.time;
        unreported_.iterations += done.iterations;
    }

protected:
    /// @param first, other  parameters of the rank that came first, and of one that did not agree with it
    [[noreturn]] void throw_disagreement(const LoopParameters& first, const LoopParameters& other);

    LoopParameters parameters_;
    UnreportedWork unreported_;
    std::uint32_t want_ = 0;  // 0: it draws for itself alone
    bool told_ = false;       // that the ranks do not agree
    Stay stay_{};             // of nobody: nothing is known by the node
    NodeQueue* node_ = nullptr;
};

/// An execution on the rank that is the foreman.
class ForemanExecution final : public SharingExecution {
public:
    ForemanExecution(ForemanTransport& transport, ExecutionState& state, const LoopParameters& parameters);
    ~ForemanExecution() override;

    bool next(std::uint64_t& first, std::uint64_t& end) override;
    bool finish(std::uint64_t first, std::uint64_t end) override;
    bool spare(ChunkBounds& chunk) override;
    [[nodiscard]] bool holds() const noexcept override { return chunk_.count > 0; }
    void adopt(const ChunkBounds& chunk, std::uint64_t& first, std::uint64_t& end) override;
    void give_back(const ChunkRange& chunks) override;
    UnreportedWork take_unreported() noexcept override;
    void attend() override;
    [[nodiscard]] bool has_ended() const override { return false; }
    [[nodiscard]] bool ended_for_node() const override { return false; }
    [[nodiscard]] bool waits_for_nothing() const override { return false; }
    void leave_unsaid() override {}
    void say_left(std::span<const Stay> stays) override;
    /// In order: stays until all chunks are with somebody. Nobody else could hand them out.
    void leave(LeaveMode how) override;

private:
    void stop();
    void report();
    bool draw();
    bool hand_out(std::uint64_t& first, std::uint64_t& end);
    void make_all_sure();
    [[nodiscard]] bool over();
    void leave_now();

    ForemanTransport* transport_;
    ExecutionState* state_;
    ChunkRange unfinished_{};  // robust: in hand, and nobody has said that it is finished
    ChunkRange chunk_{};       // what is left of the chunk drawn last
    std::uint64_t looks_ = 0;  // before the piece in hand
    bool left_ = false;
};

/// An execution on any other rank.
class WorkerExecution final : public SharingExecution {
public:
    WorkerExecution(ForemanTransport& transport, Inbox& inbox, const LoopParameters& parameters);
    ~WorkerExecution() override;

    bool next(std::uint64_t& first, std::uint64_t& end) override;
    bool finish(std::uint64_t first, std::uint64_t end) override;
    bool spare(ChunkBounds& chunk) override;
    [[nodiscard]] bool holds() const noexcept override { return rest_.count > 0; }
    void adopt(const ChunkBounds& chunk, std::uint64_t& first, std::uint64_t& end) override;
    void follow(std::uint64_t within) override;
    void give_back(const ChunkRange& chunks) override;
    [[nodiscard]] bool has_ended() const override;
    [[nodiscard]] bool ended_for_node() const override;
    [[nodiscard]] bool waits_for_nothing() const override;
    void leave_unsaid() override;
    void say_left(std::span<const Stay> stays) override;
    void leave(LeaveMode how) override;

private:
    [[nodiscard]] bool has_nothing() const;
    [[nodiscard]] ChunkRequest request_of(ChunkRequest::Kind kind) const;
    [[nodiscard]] ChunkRequest report_of(ChunkRequest::Kind kind);
    void send(ChunkRequest::Kind kind, const ChunkRange& chunk = {});
    void say_bye();
    bool hand_out(std::uint64_t& first, std::uint64_t& end);
    void answered();
    void ask_in_time(std::uint64_t first, std::uint64_t& end);

    ForemanTransport* transport_;
    Inbox* inbox_;
    bool robust_;
    ChunkRange unfinished_{};           // as above
    ChunkRange run_{};                  // chunks of it that are left
    ChunkRange rest_{};                 // end of a chunk whose beginning has been handed out
    std::vector<ChunkBounds> further_;  // chunks that any rank may run, from the last answer
    bool asked_ = false;                // an answer is to come
    bool waits_ = false;                // and it has been waited for
    bool left_ = false;
    std::uint64_t taken_ = 0;         // answers to questions that this rank has begun to work on
    std::uint64_t pushed_ = 0;        // other messages with work that it has
    std::uint64_t asked_at_ = 0;      // [ticks]
    std::uint64_t first_answer_ = 0;  // when it came; 0: none yet [ticks]
};

}  // namespace gimbal::mpi
