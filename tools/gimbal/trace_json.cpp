// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chrome's Trace Event Format, for viewers that do not read Perfetto's own.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/part_file.hpp"
#include "gimbal/plain_text.hpp"
#include "traces.hpp"

namespace gimbal::tool {

namespace {

using nlohmann::json;

/// A line of "traceEvents" after the other.
class JsonLines {
public:
    explicit JsonLines(const std::string& path) : file_(path) { text_ = "{\"traceEvents\":[\n"; }

    void add(const std::string& object) {
        if (any_) text_ += ",\n";
        any_ = true;
        text_ += object;
        if (text_.size() < kBuffer) return;
        file_.append(text_);
        text_.clear();
    }
    void finish() {
        file_.append(text_ + "\n],\"displayTimeUnit\":\"ns\"}\n");
        file_.finish();
    }

private:
    static constexpr std::size_t kBuffer = std::size_t{1} << 18U;

    PartFile file_;
    std::string text_;
    bool any_ = false;
};

std::string quoted(const std::string& text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Microseconds since the first event: of a time since 1970 a double would not show nanoseconds.
std::string microseconds(std::uint64_t ns) {
    const std::string digits = std::to_string(1000 + ns % 1000);
    return std::to_string(ns / 1000) + "." + digits.substr(1);
}

class JsonTrace {
public:
    JsonTrace(JsonLines& lines, std::uint64_t start_ns) : lines_(lines), start_ns_(start_ns) {}

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
        lines_.add(object + "}");
        if (event.flow != 0)
            lines_.add(std::string("{\"ph\":\"") + (event.flow_ends ? "f\",\"bp\":\"e\"" : "s\"") + where +
                       ",\"name\":\"steal\",\"cat\":\"steal\",\"id\":\"" + std::to_string(event.flow) + "\"}");
    }

private:
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
            lines_.add(std::string("{\"ph\":\"M\",\"name\":\"") + what + "\",\"pid\":" + std::to_string(pid) +
                       ",\"tid\":" + std::to_string(named.tid) + ",\"args\":{\"name\":" + quoted(named.name) + "}}");
        };
        if (process != tracks.end() && known_.insert(track.process).second)
            name("process_name", process->second, process->second.pid);
        name("thread_name", track, track.pid);
    }

    JsonLines& lines_;
    std::set<std::uint64_t> known_;
    std::uint64_t start_ns_;
};

}  // namespace

void write_trace_json(const std::vector<std::string>& traces, const std::string& output) {
    JsonLines lines(output);
    std::uint64_t start_ns = UINT64_MAX;
    for (const std::string& trace : traces)
        read_trace(trace,
                   [&](const ReadTracks&, const ReadEvent& event) { start_ns = std::min(start_ns, event.time_ns); });
    JsonTrace json_trace(lines, start_ns);
    for (const std::string& trace : traces)
        read_trace(trace, [&](const ReadTracks& tracks, const ReadEvent& event) { json_trace.add(tracks, event); });
    lines.finish();
}

}  // namespace gimbal::tool
