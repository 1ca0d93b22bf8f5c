// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/files.hpp"

namespace gimbal {

void write_file_aside(const std::string& path, std::string_view text, Durable durable) {
    PartFile file(path);
    file.append(text);
    file.finish(durable);
}

}  // namespace gimbal
