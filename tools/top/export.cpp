// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is seen of running programs, for programs.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gimbal/plain_text.hpp"
#include "report/metrics.hpp"
#include "view.hpp"

namespace gimbal::top {

namespace {

using Json = nlohmann::ordered_json;

double finite(double value) {
    return std::isfinite(value) ? value : 0;
}

/// The schedule that ran most.
std::string main_schedule(const LoopSummary& loop) {
    const auto most = std::max_element(loop.schedules.begin(), loop.schedules.end(),
                                       [](const auto& a, const auto& b) { return a.calls < b.calls; });
    return most == loop.schedules.end() ? "" : most->schedule;
}

Json loops_of(const RunRecord& record) {
    Json loops = Json::array();
    for (const LoopSummary& loop : record.loops)
        loops.push_back({{"name", loop.name},
                         {"level", loop.over_ranks ? "ranks" : "threads"},
                         {"workers", loop.workers},
                         {"calls", loop.calls},
                         {"iterations", loop.iterations},
                         {"time_s", finite(loop.time_s)},
                         {"waiting_s", finite(time_parts(loop).waiting_s)},
                         {"late_s", finite(loop.late_s)},
                         {"imbalance", finite(imbalance(loop.busy_max_s, loop.busy_mean_s))},
                         {"technique", main_schedule(loop)}});
    return loops;
}

/// What is not UTF-8, in names of files for instance, becomes U+FFFD, as in JSON.
std::string utf8(const std::string& text) {
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

/// A label's value: UTF-8, where backslash, quote and line feed are written with a backslash.
std::string label(const std::string& text) {
    std::string escaped;
    for (const char letter : utf8(text)) {
        if (letter == '\\' || letter == '"') escaped += '\\';
        if (letter == '\n')
            escaped += "\\n";
        else
            escaped += letter;
    }
    return escaped;
}

std::string labels_of(const LiveProcess& process) {
    return "job=\"" + label(process.record ? process.record->job : std::string()) + "\",rank=\"" +
           std::to_string(process.rank) + "\",pid=\"" + std::to_string(process.pid) + "\"";
}

std::string labels_of(const LiveProcess& process, const LoopSummary& loop) {
    return labels_of(process) + ",loop=\"" + label(loop.name) + "\",workers=\"" + std::to_string(loop.workers) +
           "\",level=\"" + (loop.over_ranks ? "ranks" : "threads") + "\"";
}

/// One metric: its lines are together, as the format wants.
class Metric {
public:
    Metric(std::string name, const std::string& type, const std::string& help) : name_(std::move(name)) {
        text_ = "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type + "\n";
    }
    void add(const std::string& labels, double value) {
        text_ += name_ + "{" + labels + "} " + significant_digits(finite(value), 15) + "\n";
        empty_ = false;
    }
    [[nodiscard]] std::string text() const { return empty_ ? "" : text_; }

private:
    std::string name_, text_;
    bool empty_ = true;
};

std::string processes_metrics(const std::vector<LiveProcess>& processes) {
    Metric wall("gimbal_process_seconds", "gauge", "Time since the process began.");
    Metric cpu("gimbal_process_cpu_seconds_total", "counter", "Processor time of all threads.");
    Metric threads("gimbal_process_threads", "gauge", "Threads of the process.");
    Metric age("gimbal_process_record_age_seconds", "gauge", "Time since the process wrote its figures of loops.");
    for (const LiveProcess& process : processes) {
        const std::string labels = labels_of(process);
        wall.add(labels, process.running_s);
        cpu.add(labels, process.cpu_s);
        threads.add(labels, static_cast<double>(process.threads.size()));
        if (process.record) age.add(labels, process.record_age_s);
    }
    return wall.text() + cpu.text() + threads.text() + age.text();
}

std::string loops_metrics(const std::vector<LiveProcess>& processes) {
    Metric calls("gimbal_loop_calls_total", "counter", "Executions of the loop.");
    Metric iterations("gimbal_loop_iterations_total", "counter", "Iterations of the loop.");
    Metric time("gimbal_loop_seconds_total", "counter", "Loop time: last finish minus first begin.");
    Metric waiting("gimbal_loop_waiting_seconds_total", "counter", "Waiting for the last worker, mean over workers.");
    Metric late("gimbal_loop_late_seconds_total", "counter", "Not there yet when the first one began, mean.");
    Metric uneven("gimbal_loop_imbalance_ratio", "gauge", "max/mean - 1 of the workers' times since the start.");
    Metric technique("gimbal_loop_technique_info", "gauge", "The technique that ran most; always 1.");
    for (const LiveProcess& process : processes) {
        if (!process.record) continue;
        for (const LoopSummary& loop : process.record->loops) {
            const std::string labels = labels_of(process, loop);
            calls.add(labels, static_cast<double>(loop.calls));
            iterations.add(labels, static_cast<double>(loop.iterations));
            time.add(labels, loop.time_s);
            waiting.add(labels, time_parts(loop).waiting_s);
            late.add(labels, loop.late_s);
            uneven.add(labels, imbalance(loop.busy_max_s, loop.busy_mean_s));
            technique.add(labels + ",technique=\"" + label(main_schedule(loop)) + "\"", 1);
        }
    }
    return calls.text() + iterations.text() + time.text() + waiting.text() + late.text() + uneven.text() +
           technique.text();
}

}  // namespace

std::string json_of(const std::vector<LiveProcess>& processes) {
    Json list = Json::array();
    for (const LiveProcess& process : processes) {
        Json threads = Json::array();
        for (const LiveThread& thread : process.threads)
            threads.push_back({{"tid", thread.tid},
                               {"name", thread.name},
                               {"state", std::string(1, thread.state)},
                               {"processor", thread.processor},
                               {"cpu_s", finite(thread.cpu_s)},
                               {"given", thread.given}});
        list.push_back({{"pid", process.pid},
                        {"program", process.program},
                        {"job", process.record ? Json(process.record->job) : Json(nullptr)},
                        {"rank", process.rank},
                        {"ranks", process.ranks},
                        {"running_s", finite(process.running_s)},
                        {"cpu_s", finite(process.cpu_s)},
                        {"record_age_s", process.record ? Json(finite(process.record_age_s)) : Json(nullptr)},
                        {"loops", process.record ? loops_of(*process.record) : Json::array()},
                        {"threads", std::move(threads)}});
    }
    return Json({{"schema_version", 1}, {"processes", std::move(list)}})
               .dump(2, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

std::string prometheus_of(const std::vector<LiveProcess>& processes) {
    return processes_metrics(processes) + loops_metrics(processes);
}

}  // namespace gimbal::top
