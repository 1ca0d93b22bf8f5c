// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs tell about their loops: <gimbal/gimbal.h>.
#include "gimbal/gimbal.h"

#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "base/own_state.hpp"
#include "base/warnings.hpp"
#include "gimbal/error.hpp"
#include "loop/current_site.hpp"
#include "loop/site_table.hpp"

using gimbal::ErrorCode;

static_assert(GIMBAL_ERROR_INVALID_OPTION == static_cast<int>(ErrorCode::invalid_option));
static_assert(GIMBAL_ERROR_UNKNOWN_OPTION == static_cast<int>(ErrorCode::unknown_option));
static_assert(GIMBAL_ERROR_FILE == static_cast<int>(ErrorCode::file));
static_assert(GIMBAL_ERROR_UNSUPPORTED == static_cast<int>(ErrorCode::unsupported));
static_assert(GIMBAL_ERROR_WRONG_USE == static_cast<int>(ErrorCode::wrong_use));

namespace {

/// What a function of the interface returns: what its body does, or that there is no memory.
template <class Body>
auto unless_memory_lacks(Body body) noexcept -> decltype(body()) {
    const gimbal::OwnState own;
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return GIMBAL_ERROR_UNSUPPORTED;
    }
}

}  // namespace

extern "C" {

int gimbal_set_static_fraction(const char* loop, double fraction) {
    if (!(fraction >= 0 && fraction <= 1) && fraction != -1) return GIMBAL_ERROR_WRONG_USE;
    if (loop ? *loop == '\0' : !gimbal::current_site) return GIMBAL_ERROR_WRONG_USE;
    return unless_memory_lacks([&] {
        if (loop)
            gimbal::set_named_fraction(loop, fraction);
        else
            gimbal::current_site->set_static_fraction(fraction);
        return 0;
    });
}

double gimbal_get_static_fraction(const char* loop) {
    return unless_memory_lacks([&]() -> double {
        std::optional<double> fraction;
        if (loop)
            fraction = gimbal::named_fraction(loop);
        else if (gimbal::current_site)
            fraction = gimbal::current_site->static_fraction();
        if (!fraction) return GIMBAL_ERROR_WRONG_USE;
        if (*fraction < 0) return GIMBAL_ERROR_UNSUPPORTED;
        return *fraction;
    });
}

int gimbal_report_note(const char* about, const char* text) {
    constexpr std::size_t kMaxLength = 200;
    const std::string_view subject = about ? about : "";
    const std::string_view sentence = text ? text : "";
    const auto odd = [](std::string_view words) { return words.empty() || words.find('\n') != words.npos; };
    if (odd(subject) || odd(sentence) || subject.find(':') != subject.npos ||
        subject.size() + sentence.size() > kMaxLength)
        return GIMBAL_ERROR_WRONG_USE;
    return unless_memory_lacks([&]() -> int {
        return gimbal::note(std::string(subject), std::string(sentence)) ? 0 : GIMBAL_ERROR_UNSUPPORTED;
    });
}

}  // extern "C"
