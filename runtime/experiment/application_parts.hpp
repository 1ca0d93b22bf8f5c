// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "experiment/application.hpp"

namespace gimbal::simulate {

/// The parameters of a request, each taken at most once.
class Parameters {
public:
    explicit Parameters(const ApplicationRequest& request) : request_(&request), taken_(request.parameters.size()) {}

    /// @errors gimbal::Error(wrong_use) if it is not a number in [least, most]
    [[nodiscard]] double number(std::string_view key, double otherwise, double least, double most);
    /// @return index into `words`; 0 if not given  @errors gimbal::Error(wrong_use) if it is none of them
    [[nodiscard]] std::size_t word(std::string_view key, const std::vector<std::string_view>& words);
    /// @errors gimbal::Error(wrong_use) if there is one that nobody took
    void finish() const;

private:
    [[nodiscard]] const std::string* take(std::string_view key);

    const ApplicationRequest* request_;
    std::vector<bool> taken_;
};

/// Name and sizes of an application. @param usual  the sizes that the request leaves open
void settle(Application& application, const ApplicationRequest& request, const ApplicationRequest& usual);

[[nodiscard]] std::unique_ptr<Application> make_pisolver(const ApplicationRequest& request);
[[nodiscard]] std::unique_ptr<Application> make_mandelbrot(const ApplicationRequest& request);
[[nodiscard]] std::unique_ptr<Application> make_evrard(const ApplicationRequest& request);
[[nodiscard]] std::unique_ptr<Application> make_pattern(const ApplicationRequest& request);

}  // namespace gimbal::simulate
