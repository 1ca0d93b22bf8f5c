// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chrome's Trace Event Format, for viewers that do not read Perfetto's own.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/part_file.hpp"
#include "clean_end.hpp"
#include "gimbal/plain_text.hpp"
#include "traces.hpp"

namespace gimbal::tool {

namespace {

using nlohmann::json;

std::string quoted(const std::string& text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Microseconds since the first event: of a time since 1970 a double would not show nanoseconds.
std::string microseconds(std::uint64_t ns) {
    const std::string digits = std::to_string(1000 + ns % 1000);
    return std::to_string(ns / 1000) + "." + digits.substr(1);
}

std::uint64_t first_time_ns(const std::vector<std::string>& traces) {
    std::uint64_t first_ns = UINT64_MAX;
    read_traces(traces, [&](const ReadTracks&, const ReadEvent& event) {
        CleanEnd::check();
        first_ns = std::min(first_ns, event.time_ns);
    });
    return first_ns;
}

/// A file of "traceEvents", one on each line.
class JsonTrace {
public:
    JsonTrace(const std::string& path, const std::vector<std::string>& traces)
        : file_(path), start_ns_(first_time_ns(traces)) {}

    void add(const ReadTracks& tracks, const ReadEvent& event) {
        const auto found = tracks.find(event.track);
        if (found == tracks.end()) return;
        const ReadTrack& track = found->second;
        const auto process = tracks.find(track.process);
        const std::int64_t pid = process == tracks.end() ? track.pid : process->second.pid;
        if (event.type != ReadEvent::Type::counter) introduce(event.track, track, process, tracks);
        const std::string where = ",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(track.tid) +
                                  ",\"ts\":" + microseconds(event.time_ns - start_ns_);
        constexpr std::array<char, 4> kPhases = {'B', 'E', 'i', 'C'};
        const char phase = kPhases[static_cast<std::size_t>(event.type)];
        std::string object = std::string("{\"ph\":\"") + phase + "\"" + where;
        if (phase == 'C')
            object +=
                ",\"name\":" + quoted(track.name) + ",\"args\":{\"value\":" + significant_digits(event.value, 9) + "}";
        if (phase == 'B' || phase == 'i')
            object += ",\"name\":" + quoted(event.name) + ",\"cat\":" + quoted(event.category) + arguments(event);
        if (phase == 'i') object += ",\"s\":\"t\"";
        add_line(object + "}");
        if (event.flow != 0)
            add_line(std::string("{\"ph\":\"") + (event.flow_ends ? "f\",\"bp\":\"e\"" : "s\"") + where +
                     ",\"name\":\"steal\",\"cat\":\"steal\",\"id\":\"" + std::to_string(event.flow) + "\"}");
    }
    void finish() {
        file_.append(text_ + "\n],\"displayTimeUnit\":\"ns\"}\n");
        file_.finish();
    }

private:
    static constexpr std::size_t kBuffer = std::size_t{1} << 18U;

    void add_line(const std::string& object) {
        if (any_) text_ += ",\n";
        any_ = true;
        text_ += object;
        if (text_.size() < kBuffer) return;
        file_.append(text_);
        text_.clear();
    }
    static std::string arguments(const ReadEvent& event) {
        std::string text;
        for (const auto& [name, value] : event.arguments)
            text += (text.empty() ? "" : ",") + quoted(name) + ":" + quoted(value);
        return ",\"args\":{" + text + "}";
    }
    void introduce(std::uint64_t uuid, const ReadTrack& track, ReadTracks::const_iterator process,
                   const ReadTracks& tracks) {
        if (!known_.insert(uuid).second) return;
        const auto name = [&](const char* what, const ReadTrack& named, std::int64_t pid) {
            add_line(std::string("{\"ph\":\"M\",\"name\":\"") + what + "\",\"pid\":" + std::to_string(pid) +
                     ",\"tid\":" + std::to_string(named.tid) + ",\"args\":{\"name\":" + quoted(named.name) + "}}");
        };
        if (process != tracks.end() && known_.insert(track.process).second)
            name("process_name", process->second, process->second.pid);
        name("thread_name", track, track.pid);
    }

    PartFile file_;
    std::uint64_t start_ns_;
    std::string text_ = "{\"traceEvents\":[\n";
    bool any_ = false;
    std::set<std::uint64_t> known_;
};

}  // namespace

void write_trace_json(const std::vector<std::string>& traces, const std::string& output) {
    const CleanEnd end(output);
    JsonTrace json_trace(output, traces);
    read_traces(traces, [&](const ReadTracks& tracks, const ReadEvent& event) {
        CleanEnd::check();
        json_trace.add(tracks, event);
    });
    json_trace.finish();
}

}  // namespace gimbal::tool
