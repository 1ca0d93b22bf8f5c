// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/portfolio.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/spelling.hpp"
#include "base/warnings.hpp"
#include "config/selection.hpp"
#include "gimbal/error.hpp"
#include "gimbal/schedule.hpp"
#include "technique/golden.hpp"

namespace gimbal {

namespace {

constexpr std::string_view kSeparators = " \t\r\n\f\v;";

constexpr std::array<std::string_view, 12> kSeed = {"static", "ss",    "mfsc",  "gss",   "tss",   "fac2",
                                                    "awf",    "awf-b", "awf-c", "awf-d", "awf-e", "af"};
constexpr std::array<std::string_view, 12> kExpert = {"static",       "ss",    "tss",   "guided", "gss",   "fac2",
                                                      "static-steal", "awf-b", "awf-c", "awf-d",  "awf-e", "maf"};

}  // namespace

Portfolio portfolio_of_names(std::span<const std::string_view> names) {
    Portfolio portfolio;
    for (const std::string_view name : names) portfolio.push_back({find_technique(name)});
    return portfolio;
}

// Never destroyed: loops may run while the process ends.
const Portfolio& seed_portfolio() {
    static const auto* const portfolio = new Portfolio(portfolio_of_names(kSeed));
    return *portfolio;
}

const Portfolio& expert_portfolio() {
    static const auto* const portfolio = new Portfolio(portfolio_of_names(kExpert));
    return *portfolio;
}

Portfolio parse_portfolio(std::string_view text) {
    const std::string checked = read_portfolio(text);
    if (technique::spells(checked, "seed")) return seed_portfolio();
    if (technique::spells(checked, "expert")) return expert_portfolio();
    const std::string_view list = checked;
    Portfolio portfolio;
    std::size_t begin = list.find_first_not_of(kSeparators);
    while (begin != std::string_view::npos) {
        const std::size_t end = std::min(list.find_first_of(kSeparators, begin), list.size());
        portfolio.push_back(parse_schedule(list.substr(begin, end - begin)));
        begin = list.find_first_not_of(kSeparators, end);
    }
    return portfolio;
}

Portfolio monotonic_only(const Portfolio& portfolio) {
    Portfolio rest;
    for (const Schedule& choice : portfolio) {
        if (choice.technique->info().monotonic) rest.push_back(choice);
    }
    if (rest.empty()) rest.push_back({find_technique("fac2")});
    return rest;
}

Schedule with_golden_chunk(const Schedule& choice, std::uint64_t iterations, std::uint32_t workers) {
    Schedule golden = choice;
    if (golden.chunk == 0) golden.chunk = technique::golden_chunk(iterations, workers);
    return golden;
}

Portfolio portfolio_of(const SelectorSettings& settings) {
    try {
        return parse_portfolio(settings.portfolio);
    } catch (const Error& error) {
        // At start this has been an error, unless GIMBAL_STRICT=0 let it pass; a program may have set it since.
        warn_once("GIMBAL_PORTFOLIO: " + std::string(error.what()) + "; the seed's portfolio is used");
        return seed_portfolio();
    }
}

}  // namespace gimbal
