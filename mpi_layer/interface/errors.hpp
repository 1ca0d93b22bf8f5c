// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <string_view>

#include "gimbal/api.h"
#include "gimbal/error.hpp"

namespace gimbal::mpi {

/// Keep what went wrong for gimbal_mpi_error_text(). @threads any; each has its own  @errors none
GIMBAL_API void keep_error_text(std::string_view text) noexcept;
GIMBAL_API void keep_error_text(const Error& error) noexcept;
[[nodiscard]] const char* kept_error_text() noexcept;

/// Run the body of a function of the C interface: no exception crosses it.
/// @return what the body returns, or a negative code whose text is kept
template <class Body>
int guarded(Body&& body) noexcept {
    try {
        return body();
    } catch (const Error& error) {
        keep_error_text(error);
        return static_cast<int>(error.code());
    } catch (const std::exception& error) {
        keep_error_text(error.what());
    } catch (...) {
        keep_error_text("an exception of unknown type");
    }
    return static_cast<int>(ErrorCode::unsupported);
}

}  // namespace gimbal::mpi
