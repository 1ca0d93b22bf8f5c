// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "select/selector.hpp"

namespace gimbal {

/// Always the same choice: what the user named, or the default.
class FixedSelector final : public Selector {
public:
    FixedSelector(Choice choice, std::string_view reason) noexcept : choice_(choice), reason_(reason) {}

    [[nodiscard]] Decision choose(const LoopContext& /*context*/) override { return {choice_, reason_}; }
    void learn(const Decision&, const LoopRecord&, const LoopContext&) override {}
    [[nodiscard]] bool learns() const noexcept override { return false; }

private:
    Choice choice_;
    std::string_view reason_;  // string literals only
};

}  // namespace gimbal
