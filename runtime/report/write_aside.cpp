// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/files.hpp"
#include "report/part_file.hpp"

namespace gimbal {

void write_file_aside(const std::string& path, std::string_view text) {
    PartFile file(path);
    file.append(text);
    file.finish();
}

}  // namespace gimbal
