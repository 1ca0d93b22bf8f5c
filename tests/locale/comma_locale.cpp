// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded into a program, it chooses the locale that TEST_LOCALE names, as a program's own main() would, in C and in
// C++, and shows that it is in force: "locale 0,5". Exit status 77: there is no such locale.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <locale>

namespace {

__attribute__((constructor)) void choose() {
    const char* const name = std::getenv("TEST_LOCALE");
    if (!name) return;
    try {
        std::locale::global(std::locale(name));
    } catch (const std::exception&) {
        _exit(77);
    }
    std::printf("locale %.1f\n", 0.5);
}

}  // namespace
