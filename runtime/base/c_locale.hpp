// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <locale.h>

namespace gimbal {

/// The calling thread reads and writes numbers as in the C locale while this lives: for libraries that do not take
/// <charconv>. nlohmann::json's reader knows decimal points of one byte only; Pashto's has two.
/// @threads one; others, and the program's own setlocale(), are not touched  @cost two calls without I/O
class CLocale {
public:
    CLocale() noexcept : plain_(newlocale(LC_ALL_MASK, "C", nullptr)) {
        if (plain_) before_ = uselocale(plain_);
    }
    ~CLocale() {
        if (!plain_) return;
        uselocale(before_);
        freelocale(plain_);
    }
    CLocale(const CLocale&) = delete;
    CLocale& operator=(const CLocale&) = delete;

private:
    locale_t plain_;
    locale_t before_ = nullptr;
};

}  // namespace gimbal
