// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interface/errors.hpp"

#include <string>

namespace gimbal::mpi {

namespace {

std::string& text_of_thread() {
    thread_local std::string text;
    return text;
}

}  // namespace

void keep_error_text(std::string_view text) noexcept {
    try {
        text_of_thread() = text;
    } catch (...) {
        text_of_thread().clear();  // no memory even for the text
    }
}

void keep_error_text(const Error& error) noexcept {
    try {
        std::string text = error.what();
        if (!error.hint().empty()) text += "; " + error.hint();
        keep_error_text(text);
    } catch (...) {
        keep_error_text(error.what());
    }
}

const char* kept_error_text() noexcept {
    return text_of_thread().c_str();
}

}  // namespace gimbal::mpi
