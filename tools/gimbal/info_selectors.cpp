// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/selectors.hpp"
#include "info_command.hpp"
#include "report/table.hpp"

namespace gimbal::tool {

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

}  // namespace gimbal::tool
