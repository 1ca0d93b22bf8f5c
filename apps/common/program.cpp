// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include <cstdio>
#include <exception>

namespace apps {

int run_program(const char* name, const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: error: %s\n", name, error.what());
        return 1;
    }
    if (std::fflush(stdout) != 0) {
        std::fprintf(stderr, "%s: error: cannot write to standard output\n", name);
        return 1;
    }
    return 0;
}

}  // namespace apps
