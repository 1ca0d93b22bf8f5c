// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "steal/context.hpp"
#include "steal/pieces.hpp"
#include "steal/search.hpp"

namespace gimbal::mpi {

/// A rank as the thief of others' items: has them looked for, runs them piece by piece, sends their results back.
class Thief {
public:
    Thief(StealContext& context, std::unique_ptr<Search> search) : context_(context), search_(std::move(search)) {}

    /// Ask for work if this rank runs out of it.
    void look();
    /// Run a piece of what was stolen. @return false: there is none
    bool run_piece();
    /// Run nothing more: tell the owners of what is in hand, and of what may still come. Calls no callback; may be
    /// called in one, which keeps the items and the results that it has.
    void give_up();

    /// Whether nothing of anybody else's is in this rank's hands, or on its way to them because this rank took it.
    [[nodiscard]] bool settled() const noexcept {
        return parts_.empty() && came_.empty() && search_->claims_out() == 0;
    }

    // Messages; they may come while a callback runs, so these call none.
    void on_items(StealMessage&& message);
    void on_nothing(const StealMessage& message) { search_->on_nothing(message.source, message.header); }
    void on_victim(int rank) { search_->on_victim(context_.callbacks.failed() ? -1 : rank); }

private:
    struct Part {
        StealMessage items;
        PieceReader pieces;
        std::int64_t next;   // item that the next piece begins with
        StealHeader header;  // of the results that have not been sent
        std::unique_ptr<StealBuffer> results;
        std::size_t largest = 0;  // piece of the results [bytes]
    };
    void unpack();
    bool run(Part& part);
    /// Send the results of all that ran so far.
    void report(Part& part);

    StealContext& context_;
    std::unique_ptr<Search> search_;
    std::vector<StealMessage> came_;
    std::vector<Part> parts_;     // the first one is being run
    std::vector<Part> given_up_;  // the program may still be in the callback that runs the first one
};

}  // namespace gimbal::mpi
