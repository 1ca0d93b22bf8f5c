// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OTF2, which Vampir, Scalasca and otf2-print read. A thread is a location, a slice a region that is entered and left;
// what has no duration is entered and left at once.
#include <otf2/otf2.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/held_signal.hpp"
#include "clean_end.hpp"
#include "gimbal/error.hpp"
#include "traces.hpp"

namespace gimbal::tool {

namespace {

namespace fs = std::filesystem;

OTF2_ErrorCode g_failed = OTF2_SUCCESS;  // the first thing that did, also where the library goes on without a word

/// The library would print what fails, function by function; check() says it once.
OTF2_ErrorCode note_failure(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*, va_list) {
    if (g_failed == OTF2_SUCCESS) g_failed = code;
    return code;
}

/// Whether the limit on file sizes was met, of which the library says nothing.
bool met_size_limit() {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGXFSZ) == 1;
}

void check(OTF2_ErrorCode code, const std::string& path) {
    if (code == OTF2_SUCCESS) code = g_failed;
    const bool too_large = met_size_limit();
    if (code != OTF2_SUCCESS || too_large)
        throw Error(
            ErrorCode::file,
            "cannot write \"" + path + "\": " + (too_large ? std::strerror(EFBIG) : OTF2_Error_GetDescription(code)),
            "give another folder with --to, or make room");
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
    return OTF2_FLUSH;
}

OTF2_TimeStamp no_time(void*, OTF2_FileType, OTF2_LocationRef) {
    return 0;
}

constexpr OTF2_FlushCallbacks kFlush = {.otf2_pre_flush = flush, .otf2_post_flush = no_time};

/// A new folder, which goes again unless what it is for is complete: half an archive is of no use, and would keep the
/// next try out.
class NewFolder {
public:
    explicit NewFolder(const std::string& path) : path_(path) {
        std::error_code failure;
        if (!fs::create_directory(path, failure))
            throw Error(ErrorCode::file,
                        "cannot make the folder \"" + path +
                            "\": " + (failure ? failure.message() : std::string("it is there already")),
                        "name another one with --to");
    }
    ~NewFolder() {
        std::error_code ignored;
        if (!complete_) fs::remove_all(path_, ignored);
    }
    NewFolder(const NewFolder&) = delete;
    NewFolder& operator=(const NewFolder&) = delete;

    void set_complete() noexcept { complete_ = true; }

private:
    std::string path_;
    bool complete_ = false;
};

/// An archive while its events are written; its definitions come last.
class Archive {
public:
    explicit Archive(const std::string& folder) : folder_(folder), made_(folder) {
        archive_ = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventBytes, kDefinitionBytes,
                                     OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
        if (!archive_) throw Error(ErrorCode::file, "cannot make an OTF2 archive in \"" + folder + "\"", "");
        check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr), folder_);
        check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), folder_);
        check(OTF2_Archive_SetCreator(archive_, "gimbal " GIMBAL_VERSION), folder_);
        check(OTF2_Archive_OpenEvtFiles(archive_), folder_);
    }
    ~Archive() {
        if (archive_) OTF2_Archive_Close(archive_);
    }
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;

    void add(const ReadTracks& tracks, const ReadEvent& event) {
        const auto found = tracks.find(event.track);
        // Arrows touch other threads' tracks, whose own events come in another order.
        if (event.foreign || found == tracks.end() || found->second.type != ReadTrack::Type::thread) return;
        first_ns_ = std::min(first_ns_, event.time_ns);
        last_ns_ = std::max(last_ns_, event.time_ns);
        Location& location = locations_[event.track];
        if (!location.writer) begin(location);
        // The track may have been declared after the begin.
        if (event.type == ReadEvent::Type::end && location.open.empty()) return;
        ++location.events;
        if (event.type == ReadEvent::Type::end) return leave(location, event.time_ns);
        const OTF2_RegionRef region = region_of(event);
        check(OTF2_EvtWriter_Enter(location.writer, nullptr, event.time_ns, region), folder_);
        location.open.push_back(region);
        if (event.type == ReadEvent::Type::begin) return;
        ++location.events;
        leave(location, event.time_ns);
    }

    /// All events are there. @param tracks  all
    void finish(const ReadTracks& tracks) {
        for (auto& [uuid, location] : locations_)
            check(OTF2_Archive_CloseEvtWriter(archive_, location.writer), folder_);
        check(OTF2_Archive_CloseEvtFiles(archive_), folder_);
        write_own_definitions();
        definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
        const std::uint64_t length = last_ns_ >= first_ns_ ? last_ns_ - first_ns_ : 0;
        check(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, 1'000'000'000U, length > 0 ? first_ns_ : 0,
                                                        length, OTF2_UNDEFINED_TIMESTAMP),
              folder_);
        write_regions();
        write_threads(tracks);
        OTF2_Archive* const archive = archive_;
        archive_ = nullptr;
        check(OTF2_Archive_Close(archive), folder_);
        made_.set_complete();
    }

private:
    static constexpr std::uint64_t kEventBytes = std::uint64_t{1} << 20U;
    static constexpr std::uint64_t kDefinitionBytes = std::uint64_t{1} << 22U;

    struct Location {
        OTF2_LocationRef number = 0;
        OTF2_EvtWriter* writer = nullptr;
        std::uint64_t events = 0;
        std::vector<OTF2_RegionRef> open;
    };
    struct Region {
        OTF2_RegionRef number = 0;
        OTF2_RegionRole role = OTF2_REGION_ROLE_UNKNOWN;
        OTF2_Paradigm paradigm = OTF2_PARADIGM_OPENMP;
    };

    void begin(Location& location) {
        location.number = locations_.size() - 1;
        location.writer = OTF2_Archive_GetEvtWriter(archive_, location.number);
        if (!location.writer) throw Error(ErrorCode::file, "cannot write events into \"" + folder_ + "\"", "");
    }
    void leave(Location& location, std::uint64_t time_ns) {
        check(OTF2_EvtWriter_Leave(location.writer, nullptr, time_ns, location.open.back()), folder_);
        location.open.pop_back();
    }
    OTF2_RegionRef region_of(const ReadEvent& event) {
        const auto [place, fresh] = regions_.try_emplace(event.name);
        if (fresh) {
            place->second.number = static_cast<OTF2_RegionRef>(regions_.size() - 1);
            place->second.role = event.category == "loop"   ? OTF2_REGION_ROLE_LOOP
                                 : event.category == "wait" ? OTF2_REGION_ROLE_BARRIER
                                 : event.category == "mpi"  ? OTF2_REGION_ROLE_FUNCTION
                                                            : OTF2_REGION_ROLE_CODE;
            if (event.category == "mpi") place->second.paradigm = OTF2_PARADIGM_MPI;
        }
        return place->second.number;
    }
    OTF2_StringRef text(const std::string& text) {
        const auto [place, fresh] = texts_.try_emplace(text, static_cast<OTF2_StringRef>(texts_.size()));
        if (fresh) check(OTF2_GlobalDefWriter_WriteString(definitions_, place->second, text.c_str()), folder_);
        return place->second;
    }
    /// Readers want a file of definitions for each location, if only an empty one.
    void write_own_definitions() {
        check(OTF2_Archive_OpenDefFiles(archive_), folder_);
        for (const auto& [uuid, location] : locations_)
            check(OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, location.number)), folder_);
        check(OTF2_Archive_CloseDefFiles(archive_), folder_);
    }
    void write_regions() {
        std::vector<const std::pair<const std::string, Region>*> in_order(regions_.size());
        for (const auto& one : regions_) in_order[one.second.number] = &one;
        for (const auto* const one : in_order) {
            const Region& region = one->second;
            const OTF2_StringRef number = text(one->first);
            check(OTF2_GlobalDefWriter_WriteRegion(definitions_, region.number, number, number, text(""), region.role,
                                                   region.paradigm, OTF2_REGION_FLAG_NONE, text(""), 0, 0),
                  folder_);
        }
    }
    void write_threads(const ReadTracks& tracks) {
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, 0, text("machine"), text("node"),
                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE),
              folder_);
        std::map<std::uint64_t, OTF2_LocationGroupRef> groups;
        std::vector<std::uint64_t> in_order(locations_.size());
        for (const auto& [uuid, location] : locations_) in_order[location.number] = uuid;
        for (const std::uint64_t uuid : in_order) {
            const Location& location = locations_.at(uuid);
            const ReadTrack& track = tracks.at(uuid);
            const auto [group, fresh] = groups.try_emplace(track.process, static_cast<std::uint32_t>(groups.size()));
            const auto process = tracks.find(track.process);
            if (fresh)
                check(OTF2_GlobalDefWriter_WriteLocationGroup(
                          definitions_, group->second, text(process == tracks.end() ? "process" : process->second.name),
                          OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP),
                      folder_);
            check(OTF2_GlobalDefWriter_WriteLocation(definitions_, location.number, text(track.name),
                                                     OTF2_LOCATION_TYPE_CPU_THREAD, location.events, group->second),
                  folder_);
        }
    }

    std::string folder_;
    NewFolder made_;
    OTF2_Archive* archive_ = nullptr;
    OTF2_GlobalDefWriter* definitions_ = nullptr;
    std::map<std::uint64_t, Location> locations_;  // by track
    std::map<std::string, Region> regions_;
    std::map<std::string, OTF2_StringRef> texts_;
    std::uint64_t first_ns_ = std::numeric_limits<std::uint64_t>::max(), last_ns_ = 0;
};

}  // namespace

void write_trace_otf2(const std::vector<std::string>& traces, const std::string& output) {
    const HeldSignal too_large(SIGXFSZ);
    const CleanEnd end(output);
    OTF2_Error_RegisterCallback(note_failure, nullptr);
    Archive archive(output);
    archive.finish(read_traces(traces, [&](const ReadTracks& known, const ReadEvent& event) {
        CleanEnd::check();
        archive.add(known, event);
    }));
}

}  // namespace gimbal::tool
