// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "experiment/application.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/nearest.hpp"
#include "config/schedule_value.hpp"
#include "experiment/application_parts.hpp"
#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"

namespace gimbal::simulate {

namespace {

constexpr std::array<std::string_view, 13> kNames = {"pisolver",   "mandelbrot", "evrard", "uniform", "triangular",
                                                     "decreasing", "flip",       "bump",   "jump",    "turns",
                                                     "random",     "normal",     "power"};

constexpr std::string_view kHelp =
    "  pisolver     imbalance=10 (0 to 100 %), dist=block|iid; N 500000, P 200, 1500 steps, ranks\n"
    "  mandelbrot   three loops L1 L2 L3; N 1048576, P 200, 1500 steps, ranks\n"
    "  evrard       threads=40/P (of a worker; 1 with --ranks); N 1000000, P 4, 250 steps, ranks\n"
    "  uniform triangular decreasing flip bump jump turns random normal power\n"
    "               cost_us=10 (mean of an iteration); N 100000, P 8, 200 steps, threads;\n"
    "               jump: every=50 (steps), width=0.05 (of N); turns: places=2; normal: cov=0.3;\n"
    "               power: exponent=1.5, heaviest=100 (times the least)\n"
    "  The last word says what drawing costs the workers; those of --ranks are threads.";

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
    throw Error(ErrorCode::wrong_use, "--app: " + what, hint);
}

std::string listed(std::span<const std::string_view> words) {
    std::string text;
    for (const std::string_view word : words) text.append(text.empty() ? "" : " ").append(word);
    return text;
}

/// 100 and not 100.000000.
std::string brief(double value) {
    return significant_digits(value, 6);
}

}  // namespace

std::span<const std::string_view> application_names() noexcept {
    return kNames;
}

std::string_view application_help() noexcept {
    return kHelp;
}

ApplicationRequest parse_application(std::string_view text) {
    ApplicationRequest request;
    const std::size_t colon = std::min(text.find(':'), text.size());
    request.name = text.substr(0, colon);
    text.remove_prefix(std::min(text.size(), colon + 1));
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view one = text.substr(0, comma);
        const std::size_t equals = one.find('=');
        if (equals == 0 || equals == std::string_view::npos)
            refuse(std::string("\"").append(one).append("\" is not of the form key=value"),
                   "example: --app pisolver:imbalance=20");
        request.parameters.emplace_back(one.substr(0, equals), one.substr(equals + 1));
        text.remove_prefix(std::min(text.size(), comma + 1));
    }
    return request;
}

const std::string* Parameters::take(std::string_view key) {
    for (std::size_t i = 0; i < taken_.size(); ++i) {
        if (taken_[i] || request_->parameters[i].first != key) continue;
        taken_[i] = true;
        return &request_->parameters[i].second;
    }
    return nullptr;
}

double Parameters::number(std::string_view key, double otherwise, double least, double most) {
    const std::string* const text = take(key);
    if (!text) return otherwise;
    double value = 0;
    const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (problem != std::errc() || end != text->data() + text->size() || !(value >= least && value <= most))
        refuse(std::string(key) + "=" + *text + " is not a number in its range",
               "it may be from " + brief(least) + " to " + brief(most));
    return value;
}

std::size_t Parameters::word(std::string_view key, const std::vector<std::string_view>& words) {
    const std::string* const text = take(key);
    if (!text) return 0;
    const auto found = std::find(words.begin(), words.end(), *text);
    if (found == words.end()) refuse(std::string(key) + "=" + *text + " is not known", "it may be: " + listed(words));
    return static_cast<std::size_t>(found - words.begin());
}

void Parameters::finish() const {
    for (std::size_t i = 0; i < taken_.size(); ++i) {
        if (!taken_[i])
            refuse(request_->name + " has no parameter \"" + request_->parameters[i].first + "\", or has it twice",
                   "see: gimbal simulate --help");
    }
}

void settle(Application& application, const ApplicationRequest& request, const ApplicationRequest& usual) {
    application.name = request.name;
    application.workers = request.workers ? request.workers : usual.workers;
    application.iterations = request.iterations ? request.iterations : usual.iterations;
    application.steps = request.steps ? request.steps : usual.steps;
    if (application.loops.empty()) application.loops.emplace_back("loop");
}

std::unique_ptr<Application> make_application(ApplicationRequest request) {
    const auto found = std::find(kNames.begin(), kNames.end(), request.name);
    if (found == kNames.end()) {
        const std::string suggestion = did_you_mean(nearest(request.name, kNames));
        refuse("there is no application \"" + request.name + "\"." + (suggestion.empty() ? "" : " " + suggestion),
               "there are: " + listed(kNames));
    }
    if (request.name == "pisolver") return make_pisolver(request);
    if (request.name == "mandelbrot") return make_mandelbrot(request);
    if (request.name == "evrard") return make_evrard(request);
    return make_pattern(request);
}

}  // namespace gimbal::simulate
