// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace gimbal::tool {

/// Write traces for Perfetto as one file of Chrome's Trace Event Format: a JSON object with "traceEvents".
/// @errors gimbal::Error(file)
void write_trace_json(const std::vector<std::string>& traces, const std::string& output);

/// Write them as an OTF2 archive, for Vampir, Scalasca and otf2-print: a new folder with traces.otf2 in it.
/// @errors gimbal::Error(file)
void write_trace_otf2(const std::vector<std::string>& traces, const std::string& output);

/// Write the traces of processes of this run that could not do so themselves, because they were killed or left by
/// _exit(), and say so on standard error. Processes that still run, or ran on other machines, are left alone.
/// @param pattern  GIMBAL_TRACE
/// @param since_ns  when the run began, of wall_clock_ns()
/// @errors std::bad_alloc; what cannot be written is said
void write_left_traces(const std::string& pattern, std::uint64_t since_ns);

/// A line of a trace: a process, a thread of one, or a figure of one.
struct ReadTrack {
    enum class Type : std::uint8_t { process, thread, counter };

    Type type = Type::thread;
    std::uint64_t process = 0;  ///< uuid of its process
    std::string name;
    std::int64_t pid = 0, tid = 0;
};

/// What stands at one moment of a trace.
struct ReadEvent {
    enum class Type : std::uint8_t { begin, end, instant, counter };

    Type type = Type::instant;
    std::uint64_t track = 0;     ///< uuid
    bool foreign = false;        ///< it is written by another thread than that of its track
    std::uint64_t time_ns = 0;   ///< since 1970-01-01 UTC; does not fall within a track but where `foreign`
    std::string category, name;  ///< empty at an end
    double value = 0;            ///< of a counter
    std::uint64_t flow = 0;      ///< number of the arrow that touches it; 0: none
    bool flow_ends = false;
    std::vector<std::pair<std::string, std::string>> arguments;  ///< numbers as text
};

/// Tracks by uuid.
using ReadTracks = std::map<std::uint64_t, ReadTrack>;

/// Read a trace for Perfetto that Gimbal wrote, or several in one file. Slices that have no end get one at the last
/// time of their track.
/// @param event  called for every event, those of one thread in the order of their times; the track is known then
/// @return all tracks
/// @errors gimbal::Error(file): it cannot be read, or is no such trace  @cost the file is mapped, not held
ReadTracks read_trace(const std::string& path, const std::function<void(const ReadTracks&, const ReadEvent&)>& event);

/// Read several, one after the other.
/// @errors gimbal::Error(file): as above; gimbal::Error(wrong_use): two have events of the same process
ReadTracks read_traces(const std::vector<std::string>& paths,
                       const std::function<void(const ReadTracks&, const ReadEvent&)>& event);

}  // namespace gimbal::tool
