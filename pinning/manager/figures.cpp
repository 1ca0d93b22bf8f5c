// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "gimbal/plain_text.hpp"
#include "machine/pu_list.hpp"

namespace gimbal::pin {

namespace {

constexpr std::size_t kMaxGuardLines = 8;

/// For words and whole numbers: printf's real numbers follow the locale.
template <class... Values>
std::string format(const char* form, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, form, values...);
    return text;
}

std::string percent(double part, double whole) {
    return whole > 0 ? fixed_digits(100 * part / whole, 0) + "%" : "-";
}

/// "1 thread", "2 threads"
std::string counted(std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string nodes_text(const ThreadFigures& thread) {
    double all = 0;
    for (const auto& [node, seconds] : thread.node_s) all += seconds;
    std::string text;
    for (const auto& [node, seconds] : thread.node_s) {
        if (!text.empty()) text += " ";
        text += std::to_string(node) + ":" + percent(seconds, all);
    }
    return text.empty() ? "-" : text;
}

std::string memory_text(const ThreadFigures& thread) {
    if (thread.memory < 0) return {};
    return format("; memory on node %d, %llu moves", thread.memory,
                  static_cast<unsigned long long>(thread.memory_moves));
}

std::string thread_line(const ThreadFigures& thread) {
    const std::string where =
        thread.left.empty() ? thread.pus.empty() ? "anywhere" : pu_list_text(thread.pus) : thread.left;
    return format("  %-15s %10s %9s %8s %6llu  %-14s ", thread.name.c_str(),
                  significant_digits(thread.speed(), 3).c_str(), percent(thread.cpu_s, thread.seconds).c_str(),
                  thread.wait_known ? percent(thread.wait_s, thread.seconds).c_str() : "-",
                  static_cast<unsigned long long>(thread.moves), nodes_text(thread).c_str()) +
           where + memory_text(thread) + "\n";
}

std::string left_alone_text(const Figures& figures) {
    std::string text;
    for (const LeftAlone& one : figures.left_alone)
        text += "  left alone: " + counted(one.threads, "thread") + " \"" + one.name + "\", " + one.why + "\n";
    return text;
}

double mean_speed(const Figures& figures) {
    double sum = 0;
    std::size_t count = 0;
    for (const ThreadFigures& thread : figures.threads) {
        if (thread.seconds <= 0) continue;
        sum += thread.speed();
        ++count;
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

}  // namespace

std::string figures_text(const Figures& figures, std::size_t most) {
    if (figures.processors == 0 && !figures.left_alone.empty())
        return "placement: " + figures.mode + ", no thread to place\n" + left_alone_text(figures);
    if (figures.threads.empty())
        return "placement: " + figures.mode + ", no thread was placed: the run ended before one had computed for two " +
               "looks (one every " + significant_digits(figures.period_s, 4) + " s, GIMBAL_PIN_PERIOD)\n" +
               left_alone_text(figures);
    std::string text = "placement: " + figures.mode + ", " + counted(figures.threads.size() + figures.more, "thread") +
                       " on " + counted(static_cast<std::size_t>(figures.processors), "processor") + " in " +
                       counted(static_cast<std::size_t>(figures.nodes), "node") + ", speed in " + figures.unit +
                       " (metric " + figures.metric + ")\n";
    text += "  thread               speed processor  waiting  moves  nodes          processors at the end\n";
    std::size_t shown = 0;
    for (const ThreadFigures& thread : figures.threads)
        if (shown++ < most) text += thread_line(thread);
    const std::size_t hidden = figures.threads.size() + figures.more - std::min(most, figures.threads.size());
    if (hidden > 0) text += "  and " + std::to_string(hidden) + " more\n";
    const std::size_t first = figures.guard.size() > kMaxGuardLines ? figures.guard.size() - kMaxGuardLines : 0;
    if (first > 0) text += "  guard: " + std::to_string(first) + " earlier decisions\n";
    for (std::size_t i = first; i < figures.guard.size(); ++i) text += "  guard: " + figures.guard[i] + "\n";
    text += left_alone_text(figures);
    for (const std::string& note : figures.notes) text += "  note: " + note + "\n";
    const double share = figures.wall_s > 0 ? 100 * figures.manager_s / figures.wall_s : 0.0;
    return text + "  manager: " + fixed_digits(share, 3) + " % of one core (" +
           fixed_digits(1e3 * figures.manager_s, 1) + " ms in " + fixed_digits(figures.wall_s, 1) + " s, " +
           std::to_string(figures.ticks) + " looks), and " + fixed_digits(1e3 * figures.start_s, 1) +
           " ms at the start\n";
}

std::string figures_json(const Figures& figures) {
    using Json = nlohmann::ordered_json;
    const auto finite = [](double value) { return std::isfinite(value) ? value : 0.0; };
    Json threads = Json::array();
    for (const ThreadFigures& thread : figures.threads) {
        Json nodes = Json::object();
        for (const auto& [node, seconds] : thread.node_s) nodes[std::to_string(node)] = finite(seconds);
        threads.push_back({{"thread", thread.id},
                           {"tid", thread.tid},
                           {"name", thread.name},
                           {"speed", finite(thread.speed())},
                           {"seconds", finite(thread.seconds)},
                           {"cpu_s", finite(thread.cpu_s)},
                           {"wait_s", thread.wait_known ? Json(finite(thread.wait_s)) : Json(nullptr)},
                           {"samples", thread.samples},
                           {"moves", thread.moves},
                           {"node_s", std::move(nodes)},
                           {"memory", thread.memory < 0 ? Json(nullptr) : Json(thread.memory)},
                           {"memory_moves", thread.memory_moves},
                           {"pus", thread.pus},
                           {"left", thread.left}});
    }
    Json left_alone = Json::array();
    for (const LeftAlone& one : figures.left_alone)
        left_alone.push_back({{"name", one.name}, {"threads", one.threads}, {"why", one.why}});
    const Json json = {{"mode", figures.mode},
                       {"metric", figures.metric},
                       {"unit", figures.unit},
                       {"ladder", figures.backends},
                       {"processors", figures.processors},
                       {"nodes", figures.nodes},
                       {"wall_s", finite(figures.wall_s)},
                       {"manager_s", finite(figures.manager_s)},
                       {"manager_start_s", finite(figures.start_s)},
                       {"manager_core_share", figures.wall_s > 0 ? finite(figures.manager_s / figures.wall_s) : 0.0},
                       {"ticks", figures.ticks},
                       {"objective", finite(figures.objective)},
                       {"mean_speed", finite(mean_speed(figures))},
                       {"ignored_threads", figures.ignored},
                       {"left_alone", std::move(left_alone)},
                       {"more_threads", figures.more},
                       {"threads", std::move(threads)},
                       {"guard", figures.guard},
                       {"notes", figures.notes},
                       {"warnings", figures.warnings}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gimbal::pin
