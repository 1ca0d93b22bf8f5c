// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/loop_stats.hpp"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "base/c_locale.hpp"
#include "base/clock.hpp"
#include "base/part_file.hpp"
#include "base/process_state.hpp"
#include "base/warnings.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "measure/dispatch_cost.hpp"

namespace gimbal {

namespace {

constexpr int kSchemaVersion = 1;

constexpr std::uint64_t kMaxWorkers = std::uint64_t{1} << 20;

constexpr std::size_t kLargest = std::size_t{1} << 28;  // of a file of statistics [bytes]

struct Stored {
    std::vector<StoredStatistics> all;
    bool of_others = false;  // the file is there, and holds something else
};

Stored read_stored() {
    const std::string path = from_start(options().loop_stats);
    // The first run makes the file, or somebody has made an empty one for it.
    if (path.empty() || access(path.c_str(), F_OK) != 0) return {};
    try {
        const std::string text = read_file(path, kLargest);
        return {.all = text.empty() ? std::vector<StoredStatistics>() : parse_loop_stats(text)};
    } catch (const Error& error) {
        warn_once("GIMBAL_LOOP_STATS: " + path + ": " + error.what() + "; it is neither used nor replaced");
        return {.all = {}, .of_others = true};
    }
}

/// A key of the number-th loop, as T has it.
template <class T>
T value_of(const nlohmann::json& loop, const char* key, std::size_t number) {
    const auto found = loop.is_object() ? loop.find(key) : loop.end();
    bool right = found != loop.end();
    if constexpr (std::is_same_v<T, std::string>)
        right = right && found->is_string();
    else if constexpr (std::is_same_v<T, double>)
        right = right && found->is_number() && found->template get<double>() >= 0;
    else
        right = right && found->is_number_unsigned() && found->template get<std::uint64_t>() <= kMaxWorkers;
    if (!right)
        throw Error(ErrorCode::file, "the key \"" + std::string(key) + "\" of its loop " + std::to_string(number) +
                                         " is missing or of the wrong type");
    return found->template get<T>();
}

const Stored& stored() {
    // Never destroyed: loops may still start while the process ends.
    static const auto* const read = new Stored(read_stored());
    return *read;
}

}  // namespace

std::vector<StoredStatistics> parse_loop_stats(std::string_view text) {
    const CLocale plain;
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const auto version = json.is_object() ? json.find("schema_version") : json.end();
    if (version == json.end() || !version->is_number() || *version != kSchemaVersion || !json.contains("loops") ||
        !json.at("loops").is_array()) {
        throw Error(ErrorCode::file, "not a file of loop statistics (schema_version 1)");
    }
    std::vector<StoredStatistics> all;
    for (const auto& loop : json.at("loops")) {
        const std::size_t number = all.size() + 1;
        all.push_back({value_of<std::string>(loop, "loop", number), value_of<std::uint32_t>(loop, "workers", number),
                       value_of<double>(loop, "mean_s", number), value_of<double>(loop, "sd_s", number)});
    }
    return all;
}

std::string format_loop_stats(const std::vector<StoredStatistics>& statistics) {
    nlohmann::ordered_json json;
    json["schema_version"] = kSchemaVersion;
    json["loops"] = nlohmann::ordered_json::array();
    for (const StoredStatistics& one : statistics) {
        json["loops"].push_back(
            {{"loop", one.loop}, {"workers", one.workers}, {"mean_s", one.mean_s}, {"sd_s", one.sd_s}});
    }
    return json.dump(2) + "\n";
}

std::string name_in_loop_stats(std::string_view loop) {
    const bool ascii = std::all_of(loop.begin(), loop.end(), [](char letter) { return (letter & 0x80) == 0; });
    if (ascii) return std::string(loop);
    const std::string text = nlohmann::json(loop).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return nlohmann::json::parse(text).get<std::string>();
}

const std::vector<StoredStatistics>& all_stored_statistics() {
    return stored().all;
}

std::optional<std::vector<StoredStatistics>> stored_statistics_now() {
    Stored now = read_stored();
    if (now.of_others || stored().of_others) return std::nullopt;
    return std::move(now.all);
}

std::optional<IterationStatistics> stored_statistics(std::string_view loop, std::uint32_t workers) {
    const StoredStatistics* found = nullptr;
    const std::string name = name_in_loop_stats(loop);
    for (const StoredStatistics& one : all_stored_statistics()) {
        if (one.loop == name && (!found || one.workers == workers)) found = &one;
    }
    if (!found || found->mean_s <= 0) return std::nullopt;
    const double tick = seconds_per_tick();
    return IterationStatistics{found->mean_s / tick, found->sd_s / tick, dispatch_ticks(), true};
}

}  // namespace gimbal
