// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exchange.hpp"

#include <algorithm>
#include <barrier>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace evrard {

/// One rank: it runs all, and has nothing to share.
class SerialExchange final : public Exchange {
public:
    void share_out(const char*, std::int64_t count, const std::function<void(Range)>& run) override { run({0, count}); }
    void all_gather(void*, std::size_t, std::int64_t, std::span<const Range>) override {}
};

/// What the ranks of a test have in common; each rank is a thread.
class RankThreads {
public:
    /// @param chunk  iterations that a rank gets at once
    RankThreads(std::size_t ranks, std::int64_t chunk) : chunk_(chunk), offers_(ranks), barrier_(std::ssize(offers_)) {}

    /// One rank's side of it. Chunks of a loop go to the first that asks.
    class Rank final : public Exchange {
    public:
        Rank(RankThreads& all, std::size_t rank) : all_(all), rank_(rank) {}

        void share_out(const char* loop, std::int64_t count, const std::function<void(Range)>& run) override {
            const std::string execution = std::string(loop) + std::to_string(executions_[loop]++);
            for (Range chunk; (chunk = all_.draw(execution, count)).size() > 0;) run(chunk);
        }

        void all_gather(void* items, std::size_t item_bytes, std::int64_t count, std::span<const Range> own) override {
            std::vector<Range> ranges(own.begin(), own.end());
            all_.offers_[rank_] = {pack(static_cast<std::byte*>(items), item_bytes, own), ranges};
            all_.barrier_.arrive_and_wait();
            std::vector<Range> everybodys;
            for (const Offer& offer : all_.offers_) {
                unpack(offer.packed.data(), static_cast<std::byte*>(items), item_bytes, offer.ranges);
                everybodys.insert(everybodys.end(), offer.ranges.begin(), offer.ranges.end());
            }
            covered_ = covered_ && cover_once(everybodys, count);
            all_.barrier_.arrive_and_wait();
        }

        /// Whether every loop so far was run exactly once.
        bool covered() const { return covered_; }

    private:
        RankThreads& all_;
        std::size_t rank_;
        std::map<std::string, int> executions_;
        bool covered_ = true;
    };

private:
    struct Offer {
        std::vector<std::byte> packed;
        std::vector<Range> ranges;
    };

    Range draw(const std::string& execution, std::int64_t count) {
        const std::lock_guard lock(mutex_);
        std::int64_t& next = next_[execution];
        const std::int64_t first = next;
        next = std::min(count, first + chunk_);
        return {first, next};
    }

    std::int64_t chunk_;
    std::vector<Offer> offers_;
    std::barrier<> barrier_;
    std::mutex mutex_;
    std::map<std::string, std::int64_t> next_;
};

}  // namespace evrard
