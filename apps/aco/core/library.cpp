// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace aco {

namespace {

struct Set {
    std::string_view name;
    std::size_t jobs;
    const char* instances;
    const char* listed;
};

constexpr std::array kSets{
    Set{"wt40", 40, "wt40.txt", "wtopt40.txt"},
    Set{"wt50", 50, "wt50.txt", "wtopt50.txt"},
    Set{"wt100", 100, "wt100.txt", "wtbest100b.txt"},
};

bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// What stands in a file, shortened to what fits into a message, without what a terminal would act on.
std::string quoted(std::string_view word) {
    constexpr std::size_t kLongest = 20;
    std::string text{word.substr(0, kLongest)};
    for (char& c : text) {
        if (c < ' ' || c > '~') c = '?';
    }
    return "'" + text + (word.size() > kLongest ? "...'" : "'");
}

/// All numbers of a text. @param largest  that is allowed; 0 is the smallest
std::vector<std::int64_t> numbers_of(const std::string& file, std::string_view text, std::int64_t largest) {
    std::vector<std::int64_t> numbers;
    std::size_t line = 1;
    for (std::size_t i = 0; i < text.size();) {
        if (is_space(text[i])) {
            line += text[i++] == '\n' ? 1 : 0;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && !is_space(text[end])) ++end;
        std::int64_t number = 0;
        const auto [stop, failure] = std::from_chars(text.data() + i, text.data() + end, number);
        if (failure != std::errc{} || stop != text.data() + end || number < 0 || number > largest) {
            throw std::runtime_error(file + ":" + std::to_string(line) + ": " + quoted(text.substr(i, end - i)) +
                                     " is not a whole number from 0 to " + std::to_string(largest));
        }
        numbers.push_back(number);
        i = end;
    }
    return numbers;
}

void expect_count(const std::string& file, std::size_t found, std::size_t expected, const std::string& what) {
    if (found == expected) return;
    throw std::runtime_error(file + ": " + std::to_string(found) + " numbers, but " + what + " have " +
                             std::to_string(expected));
}

std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.good() && !file.eof()) throw std::runtime_error(path + ": cannot be read");
    return text;
}

}  // namespace

std::vector<Instance> parse_instances(const std::string& file, std::string_view text, std::size_t jobs,
                                      std::size_t count) {
    const std::vector<std::int64_t> numbers = numbers_of(file, text, kMaxNumber);
    expect_count(file, numbers.size(), 3 * jobs * count,
                 std::to_string(count) + " instances of " + std::to_string(jobs) + " jobs");
    std::vector<Instance> instances;
    auto next = numbers.begin();
    const auto take = [&] {
        next += static_cast<std::ptrdiff_t>(jobs);
        return std::vector<std::int64_t>(next - static_cast<std::ptrdiff_t>(jobs), next);
    };
    for (std::size_t i = 0; i < count; ++i) {
        Instance instance;
        instance.processing = take();
        instance.weight = take();
        instance.due = take();
        for (std::size_t job = 0; job < jobs; ++job) {
            if (instance.processing[job] >= 1 && instance.weight[job] >= 1) continue;
            throw std::runtime_error(file + ": job " + std::to_string(job + 1) + " of instance " +
                                     std::to_string(i + 1) + " has no processing time or no weight");
        }
        instances.push_back(std::move(instance));
    }
    return instances;
}

std::vector<std::int64_t> parse_listed(const std::string& file, std::string_view text, std::size_t count) {
    std::vector<std::int64_t> listed = numbers_of(file, text, std::numeric_limits<std::int64_t>::max());
    expect_count(file, listed.size(), count, "the values of " + std::to_string(count) + " instances");
    return listed;
}

Library load_library(const std::string& folder, std::string_view name) {
    for (const Set& set : kSets) {
        if (set.name != name) continue;
        const std::string instances = folder + "/" + set.instances;
        const std::string listed = folder + "/" + set.listed;
        return {parse_instances(instances, text_of(instances), set.jobs), parse_listed(listed, text_of(listed))};
    }
    throw std::runtime_error("no set of instances " + quoted(name) + "; there are wt40, wt50 and wt100");
}

}  // namespace aco
