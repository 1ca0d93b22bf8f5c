// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gimbal {

/// How workers come by the steps of a plan.
enum class Claim : std::uint8_t {
    owned,     ///< step k belongs to worker k mod P: no atomic at all
    shared,    ///< the k-th request of anyone gets step k: one fetch_add
    weighted,  ///< a request takes its worker's share of the batch in progress: one fetch_add on the position
    adaptive   ///< a request is sized by the technique from measured times: one fetch_add on the position
};

/// The whole sequence of chunks of a planned technique: a function of (N, P, chunk, weights, statistics) alone.
///
/// With `starts` empty all chunks have `chunk` iterations (the last one may be shorter): step k covers
/// [k * chunk, min((k + 1) * chunk, N)). Otherwise step k covers [starts[k], starts[k + 1]).
/// For Claim::weighted `starts` are the batch boundaries and `shares[b * workers + i]` is what worker i takes per
/// request from batch b. For Claim::adaptive nothing is fixed but the minimum chunk, `chunk`, and, for techniques that
/// share out batches, their boundaries in `starts` and an equal share of each in `shares[b]`.
/// @threads built once by one thread, then read only
struct Plan {
    std::uint64_t iterations = 0;       ///< N [iterations]
    std::uint32_t workers = 1;          ///< P [count]
    Claim claim = Claim::shared;        ///< how workers come by the steps
    std::uint64_t steps = 0;            ///< number of chunks, or of batches if weighted [count]
    std::uint64_t chunk = 0;            ///< size of every chunk if `starts` is empty [iterations]
    std::uint64_t unit = 1;             ///< sizes chosen later are rounded up to multiples of this [iterations]
    std::vector<std::uint64_t> starts;  ///< [steps + 1] first iteration of each step, ending with N; or empty
    std::vector<std::uint64_t> shares;  ///< [steps * workers] iterations per request; only if weighted

    /// First iteration of step k. @pre k <= steps
    [[nodiscard]] std::uint64_t first(std::uint64_t k) const noexcept {
        if (!starts.empty()) return starts[k];
        return k >= steps ? iterations : k * chunk;
    }
};

}  // namespace gimbal
