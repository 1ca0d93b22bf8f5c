// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "traces.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <protozero/pbf_reader.hpp>

#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"

namespace gimbal::tool {

namespace {

using protozero::pbf_reader;

// A damaged file may have a field of another type, which protozero only asserts.
void require(const pbf_reader& message, protozero::pbf_wire_type type) {
    if (!message.has_wire_type(type)) throw protozero::unknown_pbf_wire_type_exception();
}
std::uint64_t whole(pbf_reader& message) {
    require(message, protozero::pbf_wire_type::varint);
    return message.get_uint64();
}
std::uint64_t fixed64(pbf_reader& message) {
    require(message, protozero::pbf_wire_type::fixed64);
    return message.get_fixed64();
}
double real(pbf_reader& message) {
    require(message, protozero::pbf_wire_type::fixed64);
    return message.get_double();
}
std::string text(pbf_reader& message) {
    require(message, protozero::pbf_wire_type::length_delimited);
    return message.get_string();
}
pbf_reader part(pbf_reader& message) {
    require(message, protozero::pbf_wire_type::length_delimited);
    return message.get_message();
}

/// A file's bytes, mapped.
class MappedFile {
public:
    explicit MappedFile(const std::string& path) {
        const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat info {};
        const bool there = file >= 0 && fstat(file, &info) == 0;
        const bool folder = there && S_ISDIR(info.st_mode);  // which mmap calls "No such device"
        size_ = there && !folder ? static_cast<std::size_t>(info.st_size) : 0;
        if (size_ > 0) bytes_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
        const int reason = folder ? EISDIR : errno;
        if (file >= 0) close(file);
        if (!there || folder || bytes_ == MAP_FAILED)
            throw Error(ErrorCode::file, "cannot read \"" + path + "\": " + std::strerror(reason), "name a trace");
    }
    ~MappedFile() {
        if (size_ > 0) munmap(bytes_, size_);
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] pbf_reader message() const { return {static_cast<const char*>(bytes_), size_}; }

private:
    void* bytes_ = nullptr;
    std::size_t size_ = 0;
};

/// What the packets of one sequence go by.
struct Sequence {
    std::uint64_t now_ns = 0, track = 0;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> names;  // by field of InternedData and number
};

/// Field numbers: runtime/report/perfetto_writer.cpp says which messages they are of.
class Reader {
public:
    Reader(ReadTracks& tracks, const std::function<void(const ReadTracks&, const ReadEvent&)>& event)
        : tracks_(tracks), event_(event) {}

    void packet(pbf_reader packet) {
        std::uint64_t difference_ns = 0;
        std::uint32_t flags = 0;
        Sequence* sequence = nullptr;
        pbf_reader event, snapshot, defaults;
        bool has_event = false, has_snapshot = false;
        while (packet.next()) switch (packet.tag()) {
                case 6:
                    snapshot = part(packet);
                    has_snapshot = true;
                    break;
                case 8:
                    difference_ns = whole(packet);
                    break;
                case 10:
                    sequence = &sequences_[static_cast<std::uint32_t>(whole(packet))];
                    break;
                case 11:
                    event = part(packet);
                    has_event = true;
                    break;
                case 12:
                    if (sequence) intern(part(packet), *sequence);
                    break;
                case 13:
                    flags = static_cast<std::uint32_t>(whole(packet));
                    break;
                case 59:
                    defaults = part(packet);
                    break;
                case 60:
                    declare(part(packet));
                    break;
                default:
                    packet.skip();
            }
        if (!sequence) return;
        if (flags & 1U) *sequence = {};
        if (has_snapshot) begin_sequence(snapshot, defaults, *sequence);
        sequence->now_ns += difference_ns;
        if (has_event) add(event, *sequence);
    }

    void close_all() {
        for (auto& [track, open] : open_)
            for (; open > 0; --open) {
                ReadEvent end;
                end.type = ReadEvent::Type::end;
                end.track = track;
                end.time_ns = last_ns_[track];
                event_(tracks_, end);
            }
    }

private:
    static void begin_sequence(pbf_reader snapshot, pbf_reader defaults, Sequence& sequence) {
        while (snapshot.next(1)) {
            pbf_reader clock = part(snapshot);
            std::uint32_t id = 0;
            std::uint64_t time = 0;
            while (clock.next()) {
                if (clock.tag() == 1)
                    id = static_cast<std::uint32_t>(whole(clock));
                else if (clock.tag() == 2)
                    time = whole(clock);
                else
                    clock.skip();
            }
            if (id == 6) sequence.now_ns = time;
        }
        while (defaults.next(11))
            for (pbf_reader event = part(defaults); event.next(11);) sequence.track = whole(event);
    }

    static void intern(pbf_reader data, Sequence& sequence) {
        while (data.next()) {
            const auto field = data.tag();
            pbf_reader entry = part(data);
            std::uint64_t number = 0;
            while (entry.next()) {
                if (entry.tag() == 1)
                    number = whole(entry);
                else if (entry.tag() == 2)
                    sequence.names[{field, number}] = text(entry);
                else
                    entry.skip();
            }
        }
    }

    void declare(pbf_reader descriptor) {
        ReadTrack track;
        std::uint64_t uuid = 0;
        while (descriptor.next()) switch (descriptor.tag()) {
                case 1:
                    uuid = whole(descriptor);
                    break;
                case 2:
                    track.name = text(descriptor);
                    break;
                case 3:
                    track.type = ReadTrack::Type::process;
                    read_owner(part(descriptor), 6, track);
                    break;
                case 4:
                    read_owner(part(descriptor), 5, track);
                    break;
                case 5:
                    track.process = whole(descriptor);
                    break;
                case 8:
                    track.type = ReadTrack::Type::counter;
                    descriptor.skip();
                    break;
                default:
                    descriptor.skip();
            }
        if (track.type == ReadTrack::Type::process) track.process = uuid;
        tracks_[uuid] = track;
    }

    static void read_owner(pbf_reader owner, std::uint32_t name, ReadTrack& track) {
        while (owner.next()) {
            if (owner.tag() == 1)
                track.pid = static_cast<std::int32_t>(whole(owner));
            else if (owner.tag() == name)
                track.name = text(owner);
            else if (owner.tag() == 2)
                track.tid = static_cast<std::int32_t>(whole(owner));
            else
                owner.skip();
        }
    }

    void add(pbf_reader message, Sequence& sequence) {
        ReadEvent event;
        event.track = sequence.track;
        event.time_ns = sequence.now_ns;
        int type = 0;
        while (message.next()) switch (message.tag()) {
                case 3:
                    event.category = sequence.names[{1, whole(message)}];
                    break;
                case 4:
                    event.arguments.push_back(argument(part(message), sequence));
                    break;
                case 9:
                    type = static_cast<int>(whole(message));
                    break;
                case 10:
                    event.name = sequence.names[{2, whole(message)}];
                    break;
                case 11:
                    event.track = whole(message);
                    break;
                case 44:
                    event.value = real(message);
                    break;
                case 47:
                case 48:
                    event.flow_ends = message.tag() == 48;
                    event.flow = fixed64(message);
                    break;
                default:
                    message.skip();
            }
        if (type < 1 || type > 4) return;
        event.type = static_cast<ReadEvent::Type>(type - 1);
        event.foreign = event.track != sequence.track;
        unsigned& open = open_[event.track];
        if (event.type == ReadEvent::Type::begin) ++open;
        if (event.type == ReadEvent::Type::end && open-- == 0) {
            open = 0;
            return;
        }
        if (!event.foreign) last_ns_[event.track] = event.time_ns;
        event_(tracks_, event);
    }

    static std::pair<std::string, std::string> argument(pbf_reader message, Sequence& sequence) {
        std::pair<std::string, std::string> argument;
        while (message.next()) switch (message.tag()) {
                case 1:
                    argument.first = sequence.names[{3, whole(message)}];
                    break;
                case 3:
                    argument.second = std::to_string(whole(message));
                    break;
                case 5:
                    argument.second = significant_digits(real(message), 9);
                    break;
                case 6:
                    argument.second = text(message);
                    break;
                default:
                    message.skip();
            }
        return argument;
    }

    ReadTracks& tracks_;
    const std::function<void(const ReadTracks&, const ReadEvent&)>& event_;
    std::map<std::uint32_t, Sequence> sequences_;
    std::map<std::uint64_t, unsigned> open_;          // slices without an end, by track
    std::map<std::uint64_t, std::uint64_t> last_ns_;  // of a track's own events
};

}  // namespace

ReadTracks read_trace(const std::string& path, const std::function<void(const ReadTracks&, const ReadEvent&)>& event) {
    const MappedFile file(path);
    ReadTracks tracks;
    Reader reader(tracks, event);
    bool any = false;
    try {
        for (pbf_reader trace = file.message(); trace.next();) {
            if (trace.tag() != 1) throw protozero::invalid_tag_exception();
            reader.packet(part(trace));
            any = true;
        }
    } catch (const protozero::exception&) {
        any = false;
    }
    if (!any)
        throw Error(ErrorCode::file, "\"" + path + "\" is no trace that Gimbal wrote",
                    "example: gimbal run --trace run-%r.pftrace -- ./app");
    reader.close_all();
    return tracks;
}

ReadTracks read_traces(const std::vector<std::string>& paths,
                       const std::function<void(const ReadTracks&, const ReadEvent&)>& event) {
    ReadTracks all;
    std::map<std::uint64_t, const std::string*> file_of;  // by process
    for (const std::string& path : paths) {
        std::uint64_t last = 0;  // process; 0 is none
        const ReadTracks tracks = read_trace(path, [&](const ReadTracks& known, const ReadEvent& one) {
            const auto track = known.find(one.track);
            if (track != known.end() && track->second.process != last) {
                last = track->second.process;
                const std::string* const other = file_of.try_emplace(last, &path).first->second;
                if (other != &path)
                    throw Error(ErrorCode::wrong_use,
                                "\"" + *other + "\" and \"" + path + "\" are traces of the same process",
                                "name each process's trace once");
            }
            event(known, one);
        });
        all.insert(tracks.begin(), tracks.end());
    }
    return all;
}

}  // namespace gimbal::tool
