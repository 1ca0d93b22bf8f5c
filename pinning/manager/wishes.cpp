// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/wishes.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "counters/ladder.hpp"
#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"
#include "machine/pu_list.hpp"

namespace gimbal::pin {

namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && ascii_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && ascii_blank(text.back())) text.remove_suffix(1);
    return text;
}

void add_part(std::string_view part, std::map<std::string, std::string>& values) {
    part = trimmed(part);
    if (part.empty()) return;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0)
        throw Error(ErrorCode::invalid_option, "GIMBAL_PIN_SETTINGS: \"" + std::string(part) + "\" has no value",
                    "NAME=value, with ; between them: RESOURCES={CPU_BANDWIDTH};GUARD=0");
    const std::string name(trimmed(part.substr(0, equals)));
    if (!values.emplace(name, trimmed(part.substr(equals + 1))).second)
        throw Error(ErrorCode::invalid_option, "GIMBAL_PIN_SETTINGS: " + name + " appears twice", "");
}

Mode mode_of(int mode) noexcept {
    if (mode == GIMBAL_PIN_OBSERVE) return Mode::observe;
    return mode == GIMBAL_PIN_STATIC ? Mode::fixed : Mode::learn;
}

bool binds(std::string_view variable, std::string value) {
    std::transform(value.begin(), value.end(), value.begin(), ascii_lower);
    if (value.empty()) return false;
    if (variable == "OMP_PROC_BIND") return value != "false";
    if (variable == "KMP_AFFINITY")
        return value.find("none") == std::string::npos && value.find("disabled") == std::string::npos;
    return true;
}

}  // namespace

std::map<std::string, std::string> split_words(const std::string& text) {
    std::map<std::string, std::string> values;
    int depth = 0;
    bool quoted = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') quoted = !quoted;
        if (c == '{' && !quoted) ++depth;
        if (c == '}' && !quoted) --depth;
        const bool ends = (c == ';' || c == '\n') && !quoted && depth <= 0;
        if (!ends) continue;
        add_part(std::string_view(text).substr(begin, i - begin), values);
        begin = i + 1;
    }
    add_part(std::string_view(text).substr(begin), values);
    return values;
}

Wishes read_wishes(const gimbal_pin_settings& given, std::string& name) {
    Wishes wishes;
    wishes.force = given.force != 0;
    wishes.share = given.share != 0;
    wishes.rank = given.rank;
    wishes.seed = given.seed;
    wishes.trace = given.trace;
    name = "GIMBAL_PIN_SETTINGS";
    std::map<std::string, std::string> words = split_words(given.words);
    for (const char* ours : {"MODE", "SAMPLE_S"})
        if (words.contains(ours))
            throw Error(ErrorCode::invalid_option, std::string("GIMBAL_PIN_SETTINGS: ") + ours + " is set elsewhere",
                        "GIMBAL_PIN says the mode, GIMBAL_PIN_PERIOD the time between samples");
    if (given.group != 1) words["GROUP"] = std::to_string(given.group);
    wishes.settings = parse_settings(words);
    wishes.settings.sample_s = given.period_s;
    wishes.settings.mode = mode_of(given.mode);
    name = "GIMBAL_PIN_NODES";
    wishes.machine.pseudo_nodes = parse_pseudo_nodes(given.nodes, name);
    name = "GIMBAL_PIN_RESERVE";
    wishes.machine.reserve = parse_pu_list(given.reserve, name);
    name = "GIMBAL_PIN_METRIC";
    wishes.metric = parse_metric(given.metric, name);
    if (!wishes.machine.pseudo_nodes.empty() || !wishes.machine.reserve.empty()) {
        // Only the machine can say whether it has them. It is read again when the first thread is to be placed.
        name = wishes.machine.pseudo_nodes.empty() ? "GIMBAL_PIN_RESERVE" : "GIMBAL_PIN_NODES";
        const Machine machine(wishes.machine);
    }
    return wishes;
}

std::string bound_by_variable() {
    for (const char* const variable : {"OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
        const char* const value = std::getenv(variable);
        if (value && binds(variable, value)) return std::string(variable) + "=" + value;
    }
    return {};
}

std::string bound_by(const Inventory& machine, const std::vector<int>& allowed, const std::vector<int>& granted) {
    if (std::string variable = bound_by_variable(); !variable.empty()) return variable;
    std::map<int, std::vector<int>> nodes;
    for (const PuInfo& pu : machine.pus)
        if (granted.empty() || std::binary_search(granted.begin(), granted.end(), pu.os))
            nodes[pu.memory_node].push_back(pu.os);
    const auto whole = [&](const auto& node) {
        return std::all_of(node.second.begin(), node.second.end(),
                           [&](int pu) { return std::binary_search(allowed.begin(), allowed.end(), pu); });
    };
    if (nodes.empty() || std::any_of(nodes.begin(), nodes.end(), whole)) return {};
    return "a mask of processors " + pu_list_text(allowed) + ", which is less than a node";
}

}  // namespace gimbal::pin
