// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/part_file.hpp"

namespace gimbal {

/// A trace as Perfetto reads it: a message of the public schema's type Trace, written packet by packet. Such files can
/// be put one after the other (`cat`).
/// @threads one  @source Perfetto's public schema (protos/perfetto/trace), which names fields by number
class PerfettoFile {
public:
    explicit PerfettoFile(const std::string& path) : file_(path) { buffer_.reserve(kBuffer + kReserve); }

    /// Where packets are appended. After each one the caller calls packet_done().
    [[nodiscard]] std::string& buffer() noexcept { return buffer_; }
    /// @errors gimbal::Error(file), like the next
    void packet_done() {
        if (buffer_.size() >= kBuffer) flush();
    }
    /// The file gets its name.
    void finish() {
        flush();
        file_.finish(Durable::no);
    }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return written_ + buffer_.size(); }

private:
    static constexpr std::size_t kBuffer = std::size_t{1} << 18U;
    static constexpr std::size_t kReserve = std::size_t{1} << 16U;

    void flush() {
        file_.append(buffer_);
        written_ += buffer_.size();
        buffer_.clear();
    }

    PartFile file_;
    std::string buffer_;
    std::uint64_t written_ = 0;
};

/// What stands beside the name of an event: a word for it, by number, and a figure or a text.
struct TraceArgument {
    std::uint64_t name = 0;  ///< PerfettoSequence::argument_name()
    std::variant<std::uint64_t, std::string_view> value;
};

/// An arrow between events: those with the same number.
struct TraceFlow {
    std::uint64_t id = 0;  ///< 0: none
    bool ends = false;     ///< at this one
};

/// A track of the trace: of a process, of a thread in it, or of a figure.
struct TraceTrack {
    enum class Type : std::uint8_t { process, thread, counter };

    Type type = Type::thread;
    std::uint64_t uuid = 0;
    std::uint64_t parent = 0;  ///< uuid of the process's track; 0: it is one
    std::string name;
    int pid = 0, tid = 0;
};

/// The packets of one thread. Names are written once and meant by numbers, times are differences.
class PerfettoSequence {
public:
    /// @param id  not 0; no two sequences of a trace have the same
    /// @param track  where events go
    PerfettoSequence(PerfettoFile& file, std::uint32_t id, std::uint64_t track, std::uint64_t begin_ns);

    [[nodiscard]] std::uint64_t name(std::string_view text) { return interned(names_, kNames, text); }
    [[nodiscard]] std::uint64_t category(std::string_view text) { return interned(categories_, kCategories, text); }
    [[nodiscard]] std::uint64_t argument_name(std::string_view text) {
        return interned(argument_names_, kArgumentNames, text);
    }

    /// @errors gimbal::Error(file), like the next
    void declare(const TraceTrack& track);

    /// Times do not fall within a sequence; one that does counts as the one before.
    void begin(std::uint64_t time_ns, std::uint64_t category, std::uint64_t name,
               std::span<const TraceArgument> arguments = {});
    void end(std::uint64_t time_ns);
    /// @param track  0: the sequence's own
    void instant(std::uint64_t time_ns, std::uint64_t category, std::uint64_t name,
                 std::span<const TraceArgument> arguments, TraceFlow flow = {}, std::uint64_t track = 0);
    void counter(std::uint64_t time_ns, std::uint64_t track, double value);

private:
    using Interned = std::map<std::string, std::uint64_t, std::less<>>;
    static constexpr std::uint32_t kCategories = 1, kNames = 2, kArgumentNames = 3;  // fields of InternedData

    std::uint64_t interned(Interned& known, std::uint32_t field, std::string_view text);
    template <class Event>
    void packet(std::uint64_t time_ns, Event event);

    PerfettoFile& file_;
    std::uint32_t id_;
    std::uint64_t last_ns_;
    std::string fresh_;  // InternedData that goes with the next packet
    Interned names_, categories_, argument_names_;
};

}  // namespace gimbal
