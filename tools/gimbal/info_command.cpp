// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info_command.hpp"

#include "config/selection.hpp"
#include "gimbal/technique.hpp"
#include "report/metrics.hpp"
#include "report/table.hpp"

#include <cstdio>

namespace gimbal::tool {

int print_text(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    return 0;
}

int print_json(const Json& json) {
    return print_text(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

int info_metrics(InfoForm form) {
    Json list = Json::array();
    TextTable table({"metric", "unit", "formula", "meaning"}, std::vector<TextTable::Side>(4, TextTable::Side::left));
    for (const Metric& metric : metrics()) {
        list.push_back(
            {{"name", metric.name}, {"unit", metric.unit}, {"formula", metric.formula}, {"meaning", metric.meaning}});
        table.add({std::string(metric.name), std::string(metric.unit), std::string(metric.formula),
                   std::string(metric.meaning)});
    }
    if (form == InfoForm::json) return print_json(list);
    return print_text(
        "L: the workers' (threads' or ranks') times in one execution of a loop. Sums run over executions and ranks.\n" +
        table.text());
}

namespace {

std::string auto_text(const SelectorInfo& info) {
    return info.number == 0 ? "" : "auto," + std::to_string(info.number);
}

Json json_of(const SelectorInfo& info) {
    return {{"name", info.name},
            {"agent", info.agent},
            {"summary", info.summary},
            {"parameters", info.parameters},
            {"omp_schedule", auto_text(info)},
            {"source", info.source}};
}

/// The selectors, or the agents.
std::string part(bool agents) {
    TextTable table({agents ? "agent" : "selector", "OMP_SCHEDULE", "goes by", "source"},
                    std::vector<TextTable::Side>(4, TextTable::Side::left));
    for (const SelectorInfo& info : selectors()) {
        if (info.agent != agents) continue;
        table.add({std::string(info.name), auto_text(info), std::string(info.parameters), std::string(info.source)});
        table.remark("    " + std::string(info.summary));
    }
    return table.text();
}

}  // namespace

int info_selectors(InfoForm form) {
    if (form == InfoForm::json) {
        Json list = Json::array();
        for (const SelectorInfo& info : selectors()) list.push_back(json_of(info));
        return print_json(list);
    }
    return print_text(part(false) + "\n" + part(true) +
                      "\nUse: gimbal run --select expert -- program, or GIMBAL_SELECT=expert with the patched libomp "
                      "preloaded;\nfor single loops GIMBAL_LOOPS='file.c:10=sarsa'.\n"
                      "Agents learn with GIMBAL_RL_... (KMP_RL_..., LB4MPI_RL_...): gimbal info config\n");
}

namespace {

std::string alias_list(const TechniqueInfo& info) {
    std::string list;
    for (const std::string_view alias : info.aliases) list.append(list.empty() ? "" : " ").append(alias);
    return list;
}

Json json_of(const TechniqueInfo& info) {
    return {{"name", info.name},
            {"aliases", info.aliases},
            {"family", info.family},
            {"summary", info.summary},
            {"parameter", info.parameter},
            {"chunk", name_of(info.chunk)},
            {"source", info.source},
            {"monotonic", info.monotonic},
            {"needs_statistics", info.needs_statistics},
            {"takes_fraction", info.fraction != FractionSource::none}};
}

}  // namespace

int info_techniques(InfoForm form) {
    if (form == InfoForm::json) {
        Json list = Json::array();
        for (const Technique* technique : techniques()) list.push_back(json_of(technique->info()));
        return print_json(list);
    }
    TextTable table({"name", "family", "monotonic", "chunk", "number after the comma", "aliases", "source"},
                    std::vector<TextTable::Side>(7, TextTable::Side::left));
    std::string sentences;
    for (const Technique* technique : techniques()) {
        const TechniqueInfo& info = technique->info();
        table.add({std::string(info.name), std::string(info.family), info.monotonic ? "yes" : "no",
                   std::string(name_of(info.chunk)), std::string(info.parameter), alias_list(info),
                   std::string(info.source)});
        std::string name(info.name);
        if (name.size() < 16) name.resize(16, ' ');
        sentences += "  " + name + " " + std::string(info.summary) + "\n";
    }
    return print_text(table.text() + "\n" + sentences +
                      "  runtime          Gimbal chooses: gimbal info selectors\n\n"
                      "A chunk c: chunks begin at multiples of c and none but the last is shorter. exact: each has c; "
                      "granule: a\nmultiple of c, also after runtime and selectors (runtime,c)\n\n"
                      "Use: gimbal run --schedule fac2,16 -- program, or GIMBAL_SCHEDULE=fac2,16 with the patched "
                      "libomp preloaded\n");
}

}  // namespace gimbal::tool
