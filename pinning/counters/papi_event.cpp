// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/papi_event.hpp"

namespace gimbal::pin {

std::string PapiEvent::start(pid_t tid) {
    if (!papi_->start()) return papi_->error();
    stop();
    if (!slot_.take()) return "no file descriptor left for counters";
    const auto failed = [this](const char* call, int result) {
        std::string words = std::string(call) + ": " + papi_->words(result);
        stop();
        return words;
    };
    if (const int result = papi_->create_eventset(&set_); result != PapiLibrary::kOk) {
        set_ = PapiLibrary::kNull;
        return failed("PAPI_create_eventset", result);
    }
    // Component 0 is the processor's; attaching needs to know it before there is an event.
    if (const int result = papi_->assign_eventset_component(set_, 0); result != PapiLibrary::kOk)
        return failed("PAPI_assign_eventset_component", result);
    if (tid != 0) {
        if (const int result = papi_->attach(set_, static_cast<unsigned long>(tid)); result != PapiLibrary::kOk)
            return failed("PAPI_attach", result);
    }
    if (const int result = papi_->add_event(set_, PapiLibrary::kTotalInstructions); result != PapiLibrary::kOk)
        return failed("PAPI_add_event(PAPI_TOT_INS)", result);
    if (const int result = papi_->start_events(set_); result != PapiLibrary::kOk) return failed("PAPI_start", result);
    running_ = true;
    return {};
}

void PapiEvent::stop() noexcept {
    slot_.give();
    if (set_ == PapiLibrary::kNull) return;
    long long last[8] = {};
    if (running_) papi_->stop_events(set_, last);
    running_ = false;
    papi_->cleanup_eventset(set_);
    papi_->destroy_eventset(&set_);
    set_ = PapiLibrary::kNull;
}

bool PapiEvent::read(Reading& reading) noexcept {
    long long values[8] = {};
    if (!running_ || papi_->read(set_, values) != PapiLibrary::kOk) return false;
    reading.value = values[0];
    return true;
}

}  // namespace gimbal::pin
