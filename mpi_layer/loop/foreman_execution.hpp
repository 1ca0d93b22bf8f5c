// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "loop/foreman.hpp"

namespace gimbal::mpi {

/// What a rank has done since its last message.
struct Stint {
    std::uint64_t begun = 0;       ///< when what is in hand was handed to the program [ticks]
    std::uint64_t size = 0;        ///< of it; 0: nothing in hand [iterations]
    std::uint64_t time = 0;        ///< in finished pieces since the last message [ticks]
    std::uint64_t iterations = 0;  ///< in these [iterations]

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
        size = 0;
        return took;
    }
    void clear() noexcept { time = iterations = 0; }
};

/// An execution on the rank that is the foreman.
class ForemanExecution final : public RankExecution {
public:
    ForemanExecution(ForemanTransport& transport, Board& board, const Terms& terms);
    ~ForemanExecution() override;

    bool next(std::uint64_t& first, std::uint64_t& end) override;
    bool finish(std::uint64_t first, std::uint64_t end) override;
    /// Stays until all chunks are with somebody: nobody else could hand them out.
    void leave() override;

private:
    void stop();
    bool draw();
    bool hand_out(std::uint64_t& first, std::uint64_t& end);
    [[nodiscard]] bool over();

    ForemanTransport* transport_;
    Board* board_;
    Terms terms_;
    Run unfinished_{};  // robust: in hand, and nobody has said that it is finished
    Run chunk_{};       // what is left of the chunk drawn last
    Stint stint_;
    std::uint64_t looks_ = 0;  // before the piece in hand
    bool left_ = false;
};

/// An execution on any other rank.
class WorkerExecution final : public RankExecution {
public:
    WorkerExecution(ForemanTransport& transport, Inbox& inbox, const Terms& terms);
    ~WorkerExecution() override;

    bool next(std::uint64_t& first, std::uint64_t& end) override;
    bool finish(std::uint64_t first, std::uint64_t end) override;
    void leave() override;

private:
    void send(Ask::Kind kind, const Run& chunk = {});
    bool hand_out(std::uint64_t& first, std::uint64_t& end);
    void answered();
    void ask_in_time(std::uint64_t first, std::uint64_t& end);

    ForemanTransport* transport_;
    Inbox* inbox_;
    Terms terms_;
    bool robust_;
    Run unfinished_{};  // as above
    Run run_{};         // chunks of it that are left
    Run rest_{};        // end of a chunk whose beginning has been handed out
    Stint stint_;
    bool asked_ = false;  // an answer is to come
    bool waits_ = false;  // and it has been waited for
    bool left_ = false;
    std::uint64_t taken_ = 0;         // answers to questions that this rank has begun to work on
    std::uint64_t asked_at_ = 0;      // [ticks]
    std::uint64_t first_answer_ = 0;  // when it came; 0: none yet [ticks]
};

}  // namespace gimbal::mpi
