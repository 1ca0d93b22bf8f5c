// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf_object.hpp"
#include "info_command.hpp"
#include "paths.hpp"
#include "report/process_record.hpp"

#ifdef GIMBAL_HAVE_HWLOC
#include <hwloc.h>
#endif

namespace gimbal::tool {

namespace {

std::string hwloc_version() {
#ifdef GIMBAL_HAVE_HWLOC
    const unsigned version = hwloc_get_api_version();
    return std::to_string(version >> 16) + "." + std::to_string((version >> 8) & 0xff) + "." +
           std::to_string(version & 0xff);
#else
    return "none";
#endif
}

}  // namespace

int info_build(InfoForm form) {
    const std::string libomp = find_libomp();
    const Json json = {{"gimbal", version()},
                       {"compiler", __VERSION__},
                       {"build_type", GIMBAL_BUILD_TYPE},
                       {"hwloc_api", hwloc_version()},
                       {"libomp", libomp},
                       {"libomp_soname", libomp.empty() ? "" : read_elf(libomp).soname}};
    if (form == InfoForm::json) return print_json(json);
    std::string text;
    for (const auto& [key, value] : json.items()) {
        std::string name = key;
        name.resize(14, ' ');
        const std::string shown = value.get<std::string>();
        text += name + "  " + (shown.empty() ? "none (looked for " + libomp_places() + ")" : shown) + "\n";
    }
    return print_text(text);
}

}  // namespace gimbal::tool
