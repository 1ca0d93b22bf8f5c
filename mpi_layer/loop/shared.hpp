// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gimbal/share.h"
#include "loop/in_flight.hpp"
#include "loop/shared_slots.hpp"
#include "loop/transport.hpp"

namespace gimbal::mpi {

/// Ranks of one node draw from memory that they share, by the same words as threads do. No message is sent.
class SharedTransport final : public Transport {
public:
    SharedTransport(Team& team, const std::string& name);
    ~SharedTransport() override;

    [[nodiscard]] std::unique_ptr<RankExecution> enter(const Request& request) override;
    void refuse() override;
    [[nodiscard]] std::string_view name() const noexcept override { return "shared"; }

    /// This rank has left an execution; its object goes back.
    void left(std::uint64_t slot, void* execution, gimbal_share& share);

    [[nodiscard]] const SharedSlots& slots() const noexcept { return slots_; }
    [[nodiscard]] int rank() const noexcept { return team_.rank(); }
    [[nodiscard]] int ranks() const noexcept { return team_.size(); }

private:
    [[nodiscard]] bool is_root() const noexcept { return team_.rank() == 0; }
    [[nodiscard]] std::uint64_t begin(const Request& request);
    [[nodiscard]] std::uint64_t await_next_slot(std::uint64_t slot);
    void say_for_whom() const;
    void note_left(std::uint64_t slot) noexcept;
    [[nodiscard]] std::uint64_t agreed_trip(std::uint64_t slot, std::uint64_t mine);
    void spoil(std::uint64_t slot, std::uint64_t other);
    void pass_by(std::uint64_t slot, void* object);
    void decide(std::uint64_t slot, const Request& request);
    [[nodiscard]] Decided await_decision(std::uint64_t slot);
    [[nodiscard]] void* prepared(std::uint64_t slot, const Request& request);
    [[nodiscard]] bool reruns(const Request& request) const noexcept { return robust_ && request.idempotent; }
    [[nodiscard]] std::uint64_t most_steps(const Request& request) const noexcept {
        return reruns(request) ? SharedSlots::kMaxSteps : 0;
    }
    void harvest();
    void learn(const Pending& entry);

    Team& team_;
    std::string name_;
    void* site_;  // of the root; nullptr elsewhere
    SharedSlots slots_;
    std::uint64_t epoch_ = 0;  // of the next execution
    std::uint64_t slot_ = 0;   // of the next execution
    InFlight in_flight_;
    const void* last_ = nullptr;  // the execution object that was prepared last: how the last execution ran
    void* kept_;                  // root: a copy of it, where that object has gone
    bool robust_;
};

}  // namespace gimbal::mpi
