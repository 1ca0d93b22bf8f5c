// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "gimbal/error.hpp"

namespace gimbal::lb4mpi {

/// Say that a call was wrong but harmless; once for each text. @threads any
void complain(std::string_view call, const std::string& what) noexcept;

/// Say what is wrong and end the program, all ranks of it: to go on would lose iterations or wait for ever.
/// @param everywhere  it is a setting, so every rank has the same to say: rank 0 does, and ends the others
[[noreturn]] void die(std::string_view call, std::string_view what, std::string_view hint, bool everywhere) noexcept;

/// Run the body of a function of the C interface: there, errors have nowhere to go.
template <class Body>
auto guarded(std::string_view call, Body&& body) noexcept -> decltype(body()) {
    try {
        return body();
    } catch (const Error& error) {
        die(call, error.what(), error.hint(), error.code() == ErrorCode::invalid_option);
    } catch (const std::exception& error) {
        die(call, error.what(), {}, false);
    } catch (...) {
        die(call, "an exception of unknown type", {}, false);
    }
}

}  // namespace gimbal::lb4mpi
