// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "gimbal/error.hpp"

namespace gimbal::lb4mpi {

/// Say that a call was wrong but harmless; once for each text, and on standard error by rank 0 alone. @threads any
void complain(std::string_view call, const std::string& what) noexcept;

/// Say that a call has lost iterations: each rank says so, since the others may have lost none. Once for each text.
/// @threads any
void complain_of_loss(std::string_view call, const std::string& what) noexcept;

/// Say what is wrong and end the program, all ranks of it: to go on would lose iterations or wait for ever. What is
/// wrong on several ranks the first of them says: the others wait for their turn, some seconds, and are ended before.
[[noreturn]] void die(std::string_view call, std::string_view what, std::string_view hint) noexcept;

/// Run the body of a function of the C interface: there, errors have nowhere to go.
template <class Body>
auto guarded(std::string_view call, Body&& body) noexcept -> decltype(body()) {
    try {
        return body();
    } catch (const Error& error) {
        die(call, error.what(), error.hint());
    } catch (const std::exception& error) {
        die(call, error.what(), {});
    } catch (...) {
        die(call, "an exception of unknown type", {});
    }
}

}  // namespace gimbal::lb4mpi
