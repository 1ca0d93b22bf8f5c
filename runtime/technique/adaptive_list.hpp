// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "technique/adaptive.hpp"

namespace gimbal::technique {

/// Adaptive weighted factoring in its four variants (awf.cpp).
class Awf final : public AdaptiveTechnique {
public:
    constexpr Awf(const TechniqueInfo& info, bool batches, bool counts_scheduling) noexcept
        : info_(info), batches_(batches), counts_scheduling_(counts_scheduling) {}
    [[nodiscard]] const TechniqueInfo& info() const noexcept override { return info_; }
    [[nodiscard]] Figures reads() const noexcept override { return Figures::speeds; }
    [[nodiscard]] std::uint64_t size(const ChunkRequest& request) const noexcept override;
    [[nodiscard]] bool counts_scheduling() const noexcept override { return counts_scheduling_; }

private:
    [[nodiscard]] bool batches() const noexcept override { return batches_; }
    TechniqueInfo info_;
    bool batches_;
    bool counts_scheduling_;
};

/// Adaptive factoring, without and with the scheduling in its times (af.cpp).
class Af final : public AdaptiveTechnique {
public:
    constexpr Af(const TechniqueInfo& info, bool counts_scheduling) noexcept
        : info_(info), counts_scheduling_(counts_scheduling) {}
    [[nodiscard]] const TechniqueInfo& info() const noexcept override { return info_; }
    [[nodiscard]] Figures reads() const noexcept override { return Figures::moments; }
    [[nodiscard]] std::uint64_t size(const ChunkRequest& request) const noexcept override;
    [[nodiscard]] bool counts_scheduling() const noexcept override { return counts_scheduling_; }

private:
    [[nodiscard]] bool batches() const noexcept override { return false; }
    TechniqueInfo info_;
    bool counts_scheduling_;
};

/// Bold: few large chunks at first, from the statistics of earlier executions and the work in progress (bold.cpp).
class Bold final : public AdaptiveTechnique {
public:
    explicit constexpr Bold(const TechniqueInfo& info) noexcept : info_(info) {}
    [[nodiscard]] const TechniqueInfo& info() const noexcept override { return info_; }
    [[nodiscard]] Figures reads() const noexcept override { return Figures::progress; }
    [[nodiscard]] std::uint64_t size(const ChunkRequest& request) const noexcept override;
    [[nodiscard]] bool counts_scheduling() const noexcept override { return false; }

private:
    [[nodiscard]] bool batches() const noexcept override { return false; }
    TechniqueInfo info_;
};

/// Asymmetric iteration distribution (aid.cpp).
class Aid final : public AdaptiveTechnique {
public:
    explicit constexpr Aid(const TechniqueInfo& info) noexcept : info_(info) {}
    [[nodiscard]] const TechniqueInfo& info() const noexcept override { return info_; }
    [[nodiscard]] Figures reads() const noexcept override { return Figures::speeds; }
    [[nodiscard]] std::uint64_t size(const ChunkRequest& request) const noexcept override;
    [[nodiscard]] bool counts_scheduling() const noexcept override { return false; }

private:
    [[nodiscard]] bool batches() const noexcept override { return false; }
    TechniqueInfo info_;
};

// As PlannedTechnique: never destroyed.
static_assert(std::is_trivially_destructible_v<Awf> && std::is_trivially_destructible_v<Af> &&
              std::is_trivially_destructible_v<Bold> && std::is_trivially_destructible_v<Aid>);

extern const Awf kAwfB;
extern const Awf kAwfC;
extern const Awf kAwfD;
extern const Awf kAwfE;
extern const Af kAf;
extern const Af kMaf;
extern const Bold kBold;
extern const Aid kAid;

}  // namespace gimbal::technique
