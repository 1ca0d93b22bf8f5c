// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/schedule_value.hpp"
#include "loop/site.hpp"
#include "report/names.hpp"

namespace gimbal {

/// The loops of a process by name: what GIMBAL_LOOPS and the program say about them. Names are looked up only when
/// somebody asks for loops by name, since that reads debug information.
/// @threads the caller locks
class NamedLoops {
public:
    /// A loop that has just been found: give it the rule and the static fraction that name it.
    /// @errors std::bad_alloc; then it is not known here  @cost O(1) without rules and fractions, else milliseconds
    void add(LoopSite& site);

    /// Give every loop that a pattern means, now and later, a static fraction; fraction < 0 takes it back.
    /// @errors std::bad_alloc; then not all that were there have it
    void set_fraction(std::string_view pattern, double fraction);
    /// In force at the first loop that the pattern means and that has one, or what was set for a loop not seen yet.
    /// @return std::nullopt: no such loop, and nothing was set  @errors std::bad_alloc
    [[nodiscard]] std::optional<double> fraction(std::string_view pattern);

    /// One sentence for each rule that took no loop: an earlier one had taken those that it matches, or it matches none
    /// of those that there were.
    [[nodiscard]] std::vector<std::string> complaints();

    /// What a forked child keeps: what was said, not what was seen.
    [[nodiscard]] NamedLoops in_child() const;

private:
    struct Loop {
        LoopSite* site = nullptr;
        std::unique_ptr<LoopPlace> place;  // once it was looked up
    };

    void apply_to_last(LoopSite& site);
    const LoopPlace& place_of(Loop& loop);
    CodePlace code_of(const SiteIdentity& identity);
    /// What loops are compared with: if that is an instance of a template, the instances' names are looked up from now
    /// on, which until then are the template's.
    void note_asked(std::string_view pattern);
    [[nodiscard]] std::string seen();

    std::vector<Loop> loops_;
    // By pattern, in the order of the calls: the last that matches counts.
    std::vector<std::pair<std::string, double>> fractions_;
    std::vector<bool> used_;  // [rules] whether a loop matched
    bool instances_asked_ = false;
    std::map<std::pair<std::string, std::uint64_t>, std::unique_ptr<ObjectSymbols>> objects_;  // by path and build
};

}  // namespace gimbal
