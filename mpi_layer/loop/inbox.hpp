// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "loop/messages.hpp"

namespace gimbal::mpi {

/// What has come from the foreman about one execution and not been used yet; also about one that this rank has not
/// entered.
struct Inbox {
    struct Item {
        ChunkRange run;
        bool reply = false;                ///< to a question
        std::vector<ChunkBounds> further;  ///< chunks that any rank may run
    };

    std::uint64_t epoch = 0;
    LoopParameters parameters{};  ///< as the foreman has them; if anything has come
    LoopParameters other{};       ///< if spoilt: what another rank said
    std::uint64_t within = 0;     ///< what threads shall run in the chunks, if any have come
    std::vector<Item> items;      ///< [next_item, size) are waiting
    std::size_t next_item = 0;
    bool over = false;          ///< nothing follows
    bool node_over = false;     ///< nor for another rank of the node that has asked nothing
    bool spoilt = false;        ///< the ranks disagree
    std::uint32_t verdict = 0;  ///< on the last chunk that was done; 0: none has come

    [[nodiscard]] bool any() const noexcept { return next_item < items.size(); }
    Item take() {
        Item item = std::move(items[next_item++]);
        if (next_item == items.size()) {
            items.clear();
            next_item = 0;
        }
        return item;
    }
};

}  // namespace gimbal::mpi
