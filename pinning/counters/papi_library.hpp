// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mutex>
#include <span>
#include <string>

#include "counters/descriptors.hpp"

namespace gimbal::pin {

/// PAPI, if there is one: looked for and started when first wanted. Nothing of it is needed to build. A program that
/// uses PAPI itself shares its copy, which PAPI allows.
/// @threads start() any; the functions as PAPI says: event sets belong to the thread that made them
/// @cost start: tens to hundreds of milliseconds once  @source PAPI 5.7 to 7.2, documentation of the low-level API
class PapiLibrary {
public:
    /// @param names  files that may hold it, best first
    explicit PapiLibrary(std::span<const char* const> names) : names_(names) {}
    /// The one that is installed.
    static PapiLibrary& installed();

    /// Loads and initialises it, once.
    /// @return whether it can be used; error() says why not
    bool start();
    /// Whether its descriptors may still be read and closed. It keeps some of its own and does not know when a program
    /// has closed all, as daemons do, and has its files under these numbers: one that lies beside them tells.
    /// @pre start() was true  @threads any  @cost one or two system calls
    [[nodiscard]] bool has_its_files() const noexcept { return beside_.ours(); }
    /// @pre start() was called
    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    /// What a function's negative result means.
    [[nodiscard]] std::string words(int result) const;

    // Facts of its interface, which have been the same since version 5.
    static constexpr int kOk = 0;
    static constexpr int kNull = -1;
    static constexpr int kTotalInstructions = static_cast<int>(0x80000032U);

    int (*create_eventset)(int*) = nullptr;
    int (*assign_eventset_component)(int, int) = nullptr;
    int (*attach)(int, unsigned long) = nullptr;
    int (*add_event)(int, int) = nullptr;
    int (*start_events)(int) = nullptr;
    int (*read)(int, long long*) = nullptr;
    int (*stop_events)(int, long long*) = nullptr;
    int (*cleanup_eventset)(int) = nullptr;
    int (*destroy_eventset)(int*) = nullptr;
    int (*unregister_thread)() = nullptr;

private:
    bool load();
    bool initialise(void* library);
    bool keep_beside();

    std::span<const char* const> names_;
    std::once_flag once_;
    bool works_ = false;
    Descriptor beside_;
    std::string error_;
    char* (*strerror_)(int) = nullptr;
};

}  // namespace gimbal::pin
