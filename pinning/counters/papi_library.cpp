// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/papi_library.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

namespace gimbal::pin {

namespace {

constexpr const char* kNames[] = {"libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0",
                                  "libpapi.so.6.0", "libpapi.so.5.7", "libpapi.so"};

constexpr int version(int major, int minor) {
    return major << 24 | minor << 16;
}
/// It starts only for a caller that names its own version, and offers no way to ask for it before.
constexpr int kVersions[] = {version(7, 2), version(7, 1), version(7, 0), version(6, 0), version(5, 7)};

unsigned long this_thread() {
    return static_cast<unsigned long>(pthread_self());
}

template <class F>
bool find(void* library, const char* name, F*& function, std::string& error) {
    function = reinterpret_cast<F*>(dlsym(library, name));
    if (function == nullptr) error = std::string("it has no ") + name;
    return function != nullptr;
}

}  // namespace

PapiLibrary& PapiLibrary::installed() {
    // Never destroyed: threads may still stop their counters while the process ends.
    static PapiLibrary* const library = new PapiLibrary(kNames);
    return *library;
}

bool PapiLibrary::start() {
    std::call_once(once_, [this] { works_ = load(); });
    return works_;
}

bool PapiLibrary::load() {
    for (const char* name : names_) {
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) return initialise(library);
    }
    error_ = "PAPI is not installed";
    return false;
}

bool PapiLibrary::initialise(void* library) {
    int (*init)(int) = nullptr;
    int (*thread_init)(unsigned long (*)()) = nullptr;
    const bool complete =
        find(library, "PAPI_library_init", init, error_) && find(library, "PAPI_thread_init", thread_init, error_) &&
        find(library, "PAPI_create_eventset", create_eventset, error_) &&
        find(library, "PAPI_assign_eventset_component", assign_eventset_component, error_) &&
        find(library, "PAPI_attach", attach, error_) && find(library, "PAPI_add_event", add_event, error_) &&
        find(library, "PAPI_start", start_events, error_) && find(library, "PAPI_read", read, error_) &&
        find(library, "PAPI_stop", stop_events, error_) &&
        find(library, "PAPI_cleanup_eventset", cleanup_eventset, error_) &&
        find(library, "PAPI_destroy_eventset", destroy_eventset, error_) &&
        find(library, "PAPI_unregister_thread", unregister_thread, error_) &&
        find(library, "PAPI_strerror", strerror_, error_);
    if (!complete) return false;
    for (const int wanted : kVersions) {
        if (const int is = init(wanted); is <= 0 || is >> 16 != wanted >> 16) continue;
        const int result = thread_init(&this_thread);
        if (result != kOk) error_ = "PAPI_thread_init: " + words(result);
        return result == kOk && keep_beside();
    }
    error_ = "PAPI does not start, or its version is not supported";
    return false;
}

bool PapiLibrary::keep_beside() {
    if (beside_.keep(memfd_create("gimbal", MFD_CLOEXEC))) return true;
    error_ = "no file descriptor left for counters";
    return false;
}

std::string PapiLibrary::words(int result) const {
    const char* text = strerror_ != nullptr ? strerror_(result) : nullptr;
    return text != nullptr ? text : "error " + std::to_string(result);
}

}  // namespace gimbal::pin
