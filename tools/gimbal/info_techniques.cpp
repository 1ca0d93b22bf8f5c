// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/technique.hpp"
#include "info_command.hpp"
#include "report/table.hpp"

namespace gimbal::tool {

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
