// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>

#include "lb4mpi/open_loop.hpp"

namespace gimbal::lb4mpi {

/// One execution of a loop between DLS_StartLoop and DLS_EndLoop, on this rank: which iterations it has drawn, and
/// which of them the program is running.
class Session {
public:
    /// @param break_after  iterations between two looks for messages, > 0; else by time
    Session(std::string name, std::unique_ptr<OpenLoop> loop, int break_after);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// Whether there is something to run; draws a chunk if there is none at hand.
    [[nodiscard]] bool has_work();
    /// The next part of the chunk at hand; empty if nothing is left.
    [[nodiscard]] mpi::Chunk take();
    /// The program has run that part. @param seconds  what it took [s]
    void done(double seconds);
    [[nodiscard]] bool running() const noexcept { return static_cast<bool>(part_); }

    /// What is drawn and not yet taken.
    [[nodiscard]] const mpi::Chunk& drawn() const noexcept { return drawn_; }
    [[nodiscard]] std::int64_t chunks() const noexcept { return chunks_; }
    [[nodiscard]] std::int64_t largest() const noexcept { return largest_; }
    /// One past the last iteration that this rank has drawn.
    [[nodiscard]] std::int64_t reached() const noexcept { return reached_; }
    /// It is known that nothing is left.
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    /// Iterations of a part, or 0 if chunks are handed out whole.
    [[nodiscard]] std::int64_t part_size() const noexcept;

    /// @errors gimbal::Error: wrong_use if this rank must not leave yet; mpi
    void leave();

private:
    std::string name_;
    std::unique_ptr<OpenLoop> loop_;
    std::int64_t break_after_;
    double poll_s_;
    double per_iteration_s_ = 0;
    std::int64_t last_part_ = 0;
    mpi::Chunk drawn_;
    mpi::Chunk part_;
    std::int64_t chunks_ = 0;
    std::int64_t largest_ = 0;
    std::int64_t reached_ = 0;
    bool ended_ = false;
};

/// Sessions are known to a program's structures by number: what was never set, or is a copy, is recognised.
/// @return a number that no structure holds by chance
long long keep(std::unique_ptr<Session> session);
/// @return nullptr: no open loop has that number
[[nodiscard]] Session* find(long long number) noexcept;
void forget(long long number) noexcept;

}  // namespace gimbal::lb4mpi
