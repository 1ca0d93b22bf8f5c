// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop_hint.hpp"

#include <algorithm>
#include <string_view>

namespace gimbal::tool {

std::string why_no_loop(const ProgramFacts& program) {
    if (!program.known) return {};
    if (program.gomp_inside)
        return "libgomp is linked into the program, so its loops never come to Gimbal; link it as a shared library "
               "(without -static-libgomp)";
    const auto any = [&](auto&& is_one) {
        return std::any_of(program.starts.begin(), program.starts.end(),
                           [&](const std::string& name) { return is_one(std::string_view(name)); });
    };
    const auto has = [&](std::string_view part) {
        return any([&](std::string_view name) { return name.find(part) != std::string_view::npos; });
    };
    // gcc has functions of its own for every schedule; clang has one for all that are not static.
    if (has("runtime"))
        return "the program has loops with schedule(runtime), but none of them ran in a parallel region";
    if (has("dynamic") || has("guided"))
        return "the program's loops have schedule(dynamic) or schedule(guided); --loops '*=runtime' takes these, too";
    if (has("__kmpc_dispatch_init"))
        return "loops with schedule(runtime) did not run; those with schedule(dynamic) or schedule(guided) are taken "
               "by --loops '*=runtime'";
    if (has("GOMP_parallel") || has("__kmpc_fork_call") || has("__kmpc_for_static_init"))
        return "the program has only loops with schedule(static) or without a schedule clause, which Gimbal never "
               "takes; write schedule(runtime)";
    return "nothing in the program, or in the libraries that it is linked to, uses OpenMP";
}

}  // namespace gimbal::tool
