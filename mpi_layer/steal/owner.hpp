// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gimbal/mpi/loop.hpp"
#include "steal/context.hpp"

namespace gimbal::mpi {

/// A thief that wants items.
struct Ask {
    int thief;
    int group = 0;        ///< of nodes, of which it wants to know which are empty
    Grains claimed = {};  ///< out of the queue already, by a thief of this node; empty: it asks
};

/// A rank as the owner of its items: runs them piece by piece, hands out what thieves take, takes in their results.
class Owner {
public:
    /// Opens this rank's queue. @param run_at_once  [items]; 0: as many as take context.look_s
    Owner(StealContext& context, std::int64_t owned, std::int64_t run_at_once);

    /// The next piece of own items, out of the queue or of what was claimed and was too much for a message.
    [[nodiscard]] Chunk take();
    /// Run it. @return whether this rank can go on
    void run(const Chunk& piece);

    /// Hand out items and take in results, as far as there are any. Calls the program. @return whether there were any
    bool serve();

    /// Nothing is run or handed out any more: what is left counts as done. Calls no callback; may be called in one.
    void close();

    /// Whether nothing is left to be run here.
    [[nodiscard]] bool empty() const noexcept { return kept_.empty() && context_.queues.own_empty(); }
    /// Whether the queue is empty, and whatever was taken out by asking has arrived at the thief.
    [[nodiscard]] bool given_out() const noexcept { return empty() && asks_.empty() && context_.mail.received(); }
    /// Whether all own items have run, and the results of those that ran elsewhere are here.
    [[nodiscard]] bool complete() const noexcept { return done_ == owned_; }

    // Messages; they may come while a callback runs, so these call none.
    void on_claim(int thief, Grains grains) { claims_.push_back({.thief = thief, .claimed = grains}); }
    void on_ask(Ask ask);
    void on_results(StealMessage&& message) { results_.push_back(std::move(message)); }

private:
    [[nodiscard]] Chunk items(Grains grains) const noexcept;
    void measured(std::int64_t count, double seconds) noexcept;
    void hand_out(Ask ask, Grains grains, bool asked);
    /// Pack a part from its front, as far as one message holds it. @return the items that are in it
    [[nodiscard]] std::int64_t pack(const Chunk& part, const StealHeader& header, std::vector<std::byte>& message);
    void refuse(Ask ask);
    void take_in(const StealMessage& message);

    StealContext& context_;
    std::int64_t owned_;
    std::int64_t grain_ = 1;   // items per grain
    std::int64_t at_once_;     // items per piece
    bool fixed_;               // at_once_ is the program's wish
    double item_s_ = 0;        // smoothed
    std::int64_t done_ = 0;    // own items that need no more attention
    std::vector<Chunk> kept_;  // were claimed, and are run here all the same
    std::vector<Ask> claims_;  // of ranks of this node
    std::vector<Ask> asks_;    // of other ranks
    std::vector<StealMessage> results_;
    std::optional<Ask> packing_;  // the program packs for it
};

}  // namespace gimbal::mpi
