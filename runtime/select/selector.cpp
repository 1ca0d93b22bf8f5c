// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/selector.hpp"

#include "gimbal/options.hpp"
#include "select/fixed.hpp"

namespace gimbal {

std::unique_ptr<Selector> make_selector(std::string_view /*name*/, std::string_view /*loop*/,
                                        std::uint32_t /*workers*/) {
    const Schedule& asked = options().schedule;
    if (asked.technique)
        return std::make_unique<FixedSelector>(Choice{asked.technique, asked.chunk, asked.fraction}, "GIMBAL_SCHEDULE");
    return std::make_unique<FixedSelector>(Choice{find_technique("fac2"), asked.chunk}, "default");
}

}  // namespace gimbal
