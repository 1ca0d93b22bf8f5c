// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gimbal/plan.hpp"

namespace gimbal {

class CostProfile;

/// Everything a plan may depend on.
struct LoopShape {
    std::uint64_t iterations = 0;          ///< N [iterations], N >= 0
    std::uint32_t workers = 1;             ///< P, threads or ranks that draw chunks [count], P >= 1
    std::uint64_t chunk = 0;               ///< chunk, or minimum chunk [iterations]; 0: not given
    std::span<const double> weights = {};  ///< [P] relative speed of each worker, sum = P; empty: all equal
    IterationStatistics statistics = {};   ///< mean, deviation and overhead, if known
    std::uint64_t seed = 0;                ///< for techniques that draw random numbers
    double fraction = -1;                  ///< f_s, share of the loop that is static, in [0, 1]; < 0: not given
    double admission = 1;                  ///< for techniques that thin out requests: probability to be let in, (0, 1]
    const CostProfile* profile = nullptr;  ///< what iterations cost in earlier executions; nullptr: not known
    std::uint32_t workers_per_queue = 1;   ///< for techniques with queues [count], >= 1
    bool whole_blocks = false;             ///< a worker's own block may be one step: nobody wants times of its pieces
};

/// What a chunk c means that the user names: after the comma, after the colon behind a static fraction, or by
/// omp_set_schedule(). Under every technique and selector chunks begin at multiples of c, counted from the loop's first
/// iteration, and none but the last is shorter than c; selectors (`runtime,c`, `sarsa,c`) take it as a granule. This is
/// the only place that says it; `gimbal info techniques` shows it, granular_plan() keeps it, and docs/user-guide.md,
/// "What a chunk means", tells users. A team of one thread gets the loop as one chunk, as it does from OpenMP runtimes.
enum class ChunkMeaning : std::uint8_t {
    exact,   ///< every chunk but the loop's last has c iterations
    granule  ///< every chunk but the loop's last has a multiple of c iterations; how many, the technique says
};

/// "exact" or "granule", as `gimbal info techniques` says it.
[[nodiscard]] constexpr std::string_view name_of(ChunkMeaning meaning) noexcept {
    return meaning == ChunkMeaning::exact ? "exact" : "granule";
}

/// Where the static fraction of a technique comes from when the user names none.
enum class FractionSource : std::uint8_t {
    none,         ///< the technique has no static fraction
    fixed,        ///< kDefaultFraction
    best,         ///< the best of a grid that is tried on the loop
    noise,        ///< formula 2 with the noise of the machine
    application,  ///< formula 2 with the imbalance of the loop
    both,         ///< formula 2 with both, then a search that starts from it
    feedback      ///< what the last executions' predictions were off by
};

/// f_s where nobody says more: the usual best dynamic share is a tenth to a fifth. reference: Donfack et al. 2012.
inline constexpr double kDefaultFraction = 0.8;

/// Where a technique comes from and what it can do; what `gimbal info techniques` prints.
struct TechniqueInfo {
    std::string_view name;                      ///< lower-case word, e.g. "fac2"
    std::span<const std::string_view> aliases;  ///< other spellings, normalised (lower case, '-' for '_')
    std::string_view family;                    ///< "planned", "adaptive", "lightweight", ...
    std::string_view summary;                   ///< one sentence
    std::string_view parameter;                 ///< what the number after the comma means
    std::string_view source;                    ///< paper: authors, year
    bool monotonic = true;                      ///< a worker's chunks can come in ascending order
    bool needs_weights = false;                 ///< wants the speeds of earlier executions as weights
    bool needs_statistics = false;              ///< wants IterationStatistics; plans without them fall back to fac2
    bool needs_profile = false;                 ///< wants the cost profile of earlier executions
    bool weighs_static_part = false;            ///< its weights are the speeds in the static part alone
    bool tunes_admission = false;               ///< the site tries how many requests to let in
    bool measured_chunk = false;                ///< where the user names no chunk, the site measures what is worth one
    bool uses_slack = false;                    ///< its static fraction grows with the slack of the next collective
    FractionSource fraction = FractionSource::none;  ///< takes `f` or `f:c` after the comma unless none
    ChunkMeaning chunk = ChunkMeaning::granule;      ///< what c means
};

class AdaptiveTechnique;

/// One loop self-scheduling technique. Stateless: all state lives on the loop site.
/// @threads every member may be called concurrently
class Technique {
public:
    [[nodiscard]] virtual const TechniqueInfo& info() const noexcept = 0;

    /// The sequence of chunks for one loop.
    /// @param shape  N, P, chunk, weights, statistics, seed; any N in [0, 2^64), P >= 1
    /// @return a plan that covers [0, N) exactly once, every chunk in [1, R]; zero steps only if N == 0
    /// @errors std::bad_alloc  @cost O(steps)
    [[nodiscard]] virtual Plan plan(const LoopShape& shape) const = 0;

    /// This technique as one that sizes chunks from measured times; nullptr for planned ones.
    [[nodiscard]] virtual const AdaptiveTechnique* adaptive() const noexcept { return nullptr; }

protected:
    ~Technique() = default;  // techniques live as long as the process; nobody deletes one through this type
};

/// All techniques, in the order in which documentation lists them.
/// @threads any  @cost O(1)
[[nodiscard]] std::span<const Technique* const> techniques() noexcept;

/// The technique of that name or alias; case, blanks and '-' versus '_' do not matter. nullptr if there is none.
/// @threads any  @cost O(number of techniques)
[[nodiscard]] const Technique* find_technique(std::string_view name) noexcept;

}  // namespace gimbal
