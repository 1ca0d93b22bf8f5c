// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info_command.hpp"

#include <cstdio>

#include "report/metrics.hpp"
#include "report/table.hpp"

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

}  // namespace gimbal::tool
