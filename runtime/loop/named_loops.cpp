// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/named_loops.hpp"

#include <algorithm>
#include <charconv>

#include "base/quote.hpp"
#include "gimbal/options.hpp"
#include "loop/schedules.hpp"
#include "report/names.hpp"

namespace gimbal {

namespace {

/// @param number  from 0
std::string rule_text(std::size_t number) {
    return "rule " + std::to_string(number + 1) + ", " + quote_value(options().loops[number].pattern);
}

/// "file:line function", as compilers leave it for their runtime.
LoopPlace place_from_name(const std::string& name) {
    LoopPlace place;
    place.name = name;
    const std::size_t function = function_in(name);
    if (function == 0) return place;
    const std::size_t colon = name.rfind(':', function);
    std::from_chars(name.data() + colon + 1, name.data() + function, place.line);
    place.file = name.substr(0, colon);
    place.function = name.substr(function);
    return place;
}

LoopPlace place_from_code(const SiteIdentity& identity, const CodePlace& code) {
    return {code.file, code.line, readable_function(code.symbol), code.symbol,
            loop_name(identity.module, identity.offset, code)};
}

}  // namespace

const LoopPlace& NamedLoops::place_of(Loop& loop) {
    if (loop.place) return *loop.place;
    LoopPlace place;
    const SiteIdentity& identity = loop.site->identity();
    if (identity.name.empty() && !identity.module.empty()) {
        place = place_from_code(identity, code_of(identity));
    } else if (!identity.name.empty()) {
        place = place_from_name(identity.name);
        // The compiler's name is the same for all instances of a template.
        if (identity.function != 0 && instances_asked_) {
            const CodePlace code = code_of(identity);
            place = place_from_name(instance_name(identity.name, identity.offset, code));
            place.symbol = code.symbol;
        }
    }
    loop.place = std::make_unique<LoopPlace>(std::move(place));
    return *loop.place;
}

CodePlace NamedLoops::code_of(const SiteIdentity& identity) {
    std::unique_ptr<ObjectSymbols>& symbols = objects_[{identity.module, identity.build}];
    if (!symbols) symbols = std::make_unique<ObjectSymbols>(identity.module, identity.build);
    return symbols->find(identity.offset);
}

void NamedLoops::note_asked(std::string_view pattern) {
    if (instances_asked_) return;
    instances_asked_ =
        pattern.find('<') != std::string_view::npos || pattern.find(".omp_outlined") != std::string_view::npos;
    if (!instances_asked_) return;
    for (Loop& loop : loops_)
        if (loop.site->identity().function != 0) loop.place.reset();
}

void NamedLoops::add(LoopSite& site) {
    if (loops_.empty())
        for (const LoopRule& rule : options().loops) note_asked(rule.pattern);
    loops_.push_back({&site, nullptr});
    try {
        apply_to_last(site);
    } catch (...) {
        loops_.pop_back();
        throw;
    }
}

void NamedLoops::apply_to_last(LoopSite& site) {
    const std::vector<LoopRule>& rules = options().loops;
    if (!rules.empty()) {
        used_.resize(rules.size());
        const int match = first_match(rules, place_of(loops_.back()));
        if (match >= 0) {
            const auto number = static_cast<std::size_t>(match);
            used_[number] = true;
            if (!rules[number].none) site.set_rule(intern(rules[number].schedule));
        }
    }
    // Not std::views::reverse, which clang 14 does not compile.
    for (auto said = fractions_.rbegin(); said != fractions_.rend(); ++said) {
        if (!matches(said->first, place_of(loops_.back()))) continue;
        if (said->second >= 0) site.set_static_fraction(said->second);
        return;
    }
}

void NamedLoops::set_fraction(std::string_view pattern, double fraction) {
    note_asked(pattern);
    fractions_.emplace_back(pattern, fraction);
    const auto last = fractions_.end() - 1;
    fractions_.erase(std::remove_if(fractions_.begin(), last, [&](const auto& old) { return old.first == pattern; }),
                     last);
    for (Loop& loop : loops_)
        if (matches(pattern, place_of(loop))) loop.site->set_static_fraction(fraction);
}

std::optional<double> NamedLoops::fraction(std::string_view pattern) {
    note_asked(pattern);
    std::optional<double> found;
    for (Loop& loop : loops_) {
        if (!matches(pattern, place_of(loop))) continue;
        found = loop.site->static_fraction();
        if (*found >= 0) return found;
    }
    if (found) return found;
    for (const auto& [said, value] : fractions_)
        if (said == pattern && value >= 0) return value;
    return std::nullopt;
}

/// A few loops, each once, whatever the number of team sizes.
std::string NamedLoops::seen() {
    constexpr std::size_t kShown = 4;
    std::vector<std::string> names;
    for (Loop& loop : loops_) {
        const std::string& name = place_of(loop).name;
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (names.empty()) return "no loop has a name";
    std::string text = "the loops were ";
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text.append(i == 0 ? "" : ", ").append(names[i]);
    if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
    return text;
}

std::vector<std::string> NamedLoops::complaints() {
    std::vector<std::string> all;
    // A process without loops, a shell for instance, need not hear about rules.
    if (loops_.empty()) return all;
    const std::vector<LoopRule>& rules = options().loops;
    used_.resize(rules.size());
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (used_[i]) continue;
        const std::string rule = "GIMBAL_LOOPS: " + rule_text(i);
        const auto shadowed =
            std::ranges::find_if(loops_, [&](Loop& loop) { return matches(rules[i].pattern, place_of(loop)); });
        if (shadowed == loops_.end()) {
            all.push_back(rule + ", matched no loop; " + seen() +
                          ". Loops with schedule(static) or no schedule clause are never taken.");
            continue;
        }
        const LoopPlace& place = place_of(*shadowed);
        const auto earlier = static_cast<std::size_t>(first_match(rules, place));
        all.push_back(rule + ", had no effect: " + rule_text(earlier) + ", stands before it and has taken " +
                      place.name + ". The first rule that a loop matches counts.");
    }
    return all;
}

NamedLoops NamedLoops::in_child() const {
    NamedLoops kept;
    kept.fractions_ = fractions_;
    kept.used_ = used_;
    kept.instances_asked_ = instances_asked_;
    return kept;
}

}  // namespace gimbal
