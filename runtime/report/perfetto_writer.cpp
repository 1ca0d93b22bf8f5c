// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/perfetto_writer.hpp"

#include <algorithm>
#include <protozero/pbf_writer.hpp>

namespace gimbal {

namespace {

using protozero::pbf_writer;

// Fields of the public schema, by message.
namespace field {
constexpr std::uint32_t kPacket = 1;  // Trace
// TracePacket
constexpr std::uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kEvent = 11, kInterned = 12, kFlags = 13,
                        kClockId = 58, kDefaults = 59, kTrackDescriptor = 60, kFirstOnSequence = 87;
// ClockSnapshot, its Clock
constexpr std::uint32_t kClocks = 1, kId = 1, kTime = 2, kIncremental = 3;
// TrackEvent
constexpr std::uint32_t kCategory = 3, kAnnotation = 4, kType = 9, kName = 10, kTrack = 11, kDouble = 44, kFlow = 47,
                        kLastFlow = 48;
// DebugAnnotation
constexpr std::uint32_t kAnnotationName = 1, kUnsigned = 3, kText = 6;
// TrackDescriptor, and its ProcessDescriptor and ThreadDescriptor
constexpr std::uint32_t kUuid = 1, kTrackName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8, kPid = 1,
                        kTid = 2, kThreadName = 5, kProcessName = 6;
}  // namespace field

constexpr std::uint32_t kOwnClock = 64;  // the first number that a sequence may give
constexpr std::uint32_t kBootTime = 6;   // the trace's own clock
constexpr std::uint32_t kCleared = 1, kNeedsState = 2;
constexpr std::int32_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounterValue = 4;  // types of TrackEvent

void add_arguments(pbf_writer& event, std::span<const TraceArgument> arguments) {
    for (const TraceArgument& argument : arguments) {
        pbf_writer annotation(event, field::kAnnotation);
        annotation.add_uint64(field::kAnnotationName, argument.name);
        if (const auto* const number = std::get_if<std::uint64_t>(&argument.value))
            annotation.add_uint64(field::kUnsigned, *number);
        else if (const auto* const text = std::get_if<std::string_view>(&argument.value))
            annotation.add_string(field::kText, text->data(), text->size());
    }
}

}  // namespace

// The first packet says by which clock the others go: differences in nanoseconds, from begin_ns on.
PerfettoSequence::PerfettoSequence(PerfettoFile& file, std::uint32_t id, std::uint64_t track, std::uint64_t begin_ns)
    : file_(file), id_(id), last_ns_(begin_ns) {
    fresh_.reserve(4096);
    pbf_writer trace(file_.buffer());
    {
        pbf_writer packet(trace, field::kPacket);
        packet.add_uint32(field::kSequence, id_);
        packet.add_uint32(field::kFlags, kCleared);
        packet.add_bool(field::kFirstOnSequence, true);
        {
            pbf_writer snapshot(packet, field::kClockSnapshot);
            {
                pbf_writer own(snapshot, field::kClocks);
                own.add_uint32(field::kId, kOwnClock);
                own.add_uint64(field::kTime, 0);
                own.add_bool(field::kIncremental, true);
            }
            pbf_writer boot(snapshot, field::kClocks);
            boot.add_uint32(field::kId, kBootTime);
            boot.add_uint64(field::kTime, begin_ns);
        }
        pbf_writer defaults(packet, field::kDefaults);
        defaults.add_uint32(field::kClockId, kOwnClock);
        pbf_writer event(defaults, field::kEvent);
        event.add_uint64(field::kTrack, track);
    }
    file_.packet_done();
}

std::uint64_t PerfettoSequence::interned(Interned& known, std::uint32_t field, std::string_view text) {
    if (const auto found = known.find(text); found != known.end()) return found->second;
    const std::uint64_t number = known.size() + 1;
    known.emplace(text, number);
    pbf_writer data(fresh_);
    pbf_writer entry(data, field);
    entry.add_uint64(1, number);
    entry.add_string(2, text.data(), text.size());
    return number;
}

template <class Event>
void PerfettoSequence::packet(std::uint64_t time_ns, Event event) {
    time_ns = std::max(time_ns, last_ns_);
    pbf_writer trace(file_.buffer());
    {
        pbf_writer packet(trace, field::kPacket);
        packet.add_uint64(field::kTimestamp, time_ns - last_ns_);
        packet.add_uint32(field::kSequence, id_);
        packet.add_uint32(field::kFlags, kNeedsState);
        {
            pbf_writer body(packet, field::kEvent);
            event(body);
        }
        if (!fresh_.empty()) packet.add_message(field::kInterned, fresh_);
    }
    fresh_.clear();
    last_ns_ = time_ns;
    file_.packet_done();
}

void PerfettoSequence::declare(const TraceTrack& track) {
    pbf_writer trace(file_.buffer());
    {
        pbf_writer packet(trace, field::kPacket);
        packet.add_uint32(field::kSequence, id_);
        pbf_writer descriptor(packet, field::kTrackDescriptor);
        descriptor.add_uint64(field::kUuid, track.uuid);
        if (track.parent != 0) descriptor.add_uint64(field::kParent, track.parent);
        if (track.type == TraceTrack::Type::process) {
            pbf_writer process(descriptor, field::kProcess);
            process.add_int32(field::kPid, track.pid);
            process.add_string(field::kProcessName, track.name);
        } else if (track.type == TraceTrack::Type::thread) {
            pbf_writer thread(descriptor, field::kThread);
            thread.add_int32(field::kPid, track.pid);
            thread.add_int32(field::kTid, track.tid);
            thread.add_string(field::kThreadName, track.name);
        } else {
            descriptor.add_string(field::kTrackName, track.name);
            descriptor.add_message(field::kCounter, std::string());
        }
    }
    file_.packet_done();
}

void PerfettoSequence::begin(std::uint64_t time_ns, std::uint64_t category, std::uint64_t name,
                             std::span<const TraceArgument> arguments) {
    packet(time_ns, [&](pbf_writer& event) {
        event.add_uint64(field::kCategory, category);
        event.add_enum(field::kType, kSliceBegin);
        event.add_uint64(field::kName, name);
        add_arguments(event, arguments);
    });
}

void PerfettoSequence::end(std::uint64_t time_ns) {
    packet(time_ns, [](pbf_writer& event) { event.add_enum(field::kType, kSliceEnd); });
}

void PerfettoSequence::instant(std::uint64_t time_ns, std::uint64_t category, std::uint64_t name,
                               std::span<const TraceArgument> arguments, TraceFlow flow, std::uint64_t track) {
    packet(time_ns, [&](pbf_writer& event) {
        event.add_uint64(field::kCategory, category);
        event.add_enum(field::kType, kInstant);
        event.add_uint64(field::kName, name);
        if (track != 0) event.add_uint64(field::kTrack, track);
        add_arguments(event, arguments);
        if (flow.id != 0) event.add_fixed64(flow.ends ? field::kLastFlow : field::kFlow, flow.id);
    });
}

void PerfettoSequence::counter(std::uint64_t time_ns, std::uint64_t track, double value) {
    packet(time_ns, [&](pbf_writer& event) {
        event.add_enum(field::kType, kCounterValue);
        event.add_uint64(field::kTrack, track);
        event.add_double(field::kDouble, value);
    });
}

}  // namespace gimbal
