// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/trace_conversion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "gimbal/error.hpp"
#include "gimbal/hash.hpp"
#include "gimbal/plain_text.hpp"
#include "report/names.hpp"
#include "report/perfetto_writer.hpp"
#include "trace/records_file.hpp"

namespace gimbal {

namespace {

/// How a loop ran, from a label of the records (trace/record.hpp).
struct Label {
    std::string loop, schedule, reason;
    bool exploring = false;
};

/// Texts of the records, with places of the program by name.
class Texts {
public:
    Texts(std::map<std::uint32_t, std::string> texts, bool look_up) : texts_(std::move(texts)), look_up_(look_up) {}

    const std::string& plain(std::uint64_t number) {
        const auto found = texts_.find(static_cast<std::uint32_t>(number));
        return found == texts_.end() ? unknown_ : found->second;
    }
    /// The loop that a text names.
    const std::string& place(std::uint64_t number) {
        std::string& name = places_[static_cast<std::uint32_t>(number)];
        if (name.empty()) name = named(plain(number));
        return name;
    }
    const Label& label(std::uint64_t number) {
        Label& label = labels_[static_cast<std::uint32_t>(number)];
        if (label.loop.empty()) label = split(plain(number));
        return label;
    }

private:
    std::string named(const std::string& place) {
        const std::size_t at = place.find(kPlaceSeparator);
        if (at == std::string::npos) return place.empty() ? unknown_ : place;
        const std::string module = place.substr(0, at);
        const char* const end = place.data() + place.size();
        std::uint64_t offset = 0, build = 0;
        const char* const rest = std::from_chars(place.data() + at + 1, end, offset).ptr;
        if (rest != end) std::from_chars(rest + 1, end, build);
        if (!look_up_) return loop_name(module, offset, {});
        std::unique_ptr<ObjectSymbols>& symbols = objects_[{module, build}];
        if (!symbols) symbols = std::make_unique<ObjectSymbols>(module, build);
        return loop_name(module, offset, symbols->find(offset));
    }
    Label split(const std::string& text) {
        std::array<std::string, 4> fields;
        std::size_t at = 0;
        for (std::string& field : fields) {
            const std::size_t end = std::min(text.find(kLabelSeparator, at), text.size());
            field = text.substr(std::min(at, text.size()), end - std::min(at, text.size()));
            at = end + 1;
        }
        return {.loop = named(fields[0]), .schedule = fields[1], .reason = fields[2], .exploring = !fields[3].empty()};
    }

    std::map<std::uint32_t, std::string> texts_;
    std::map<std::uint32_t, std::string> places_;
    std::map<std::uint32_t, Label> labels_;
    std::map<std::pair<std::string, std::uint64_t>, std::unique_ptr<ObjectSymbols>> objects_;  // by path and build
    std::string unknown_ = "unknown";
    bool look_up_;
};

/// From ticks to nanoseconds since 1970.
class Times {
public:
    explicit Times(const TraceFileHeader& header) : start_ticks_(header.start_ticks), start_ns_(header.start_ns) {
        const bool measured = header.last_ticks > header.start_ticks && header.last_steady_ns > header.start_steady_ns;
        // A process that died at once has measured nothing; the machine's ticks are the same for all.
        rate_ns_ = measured ? static_cast<double>(header.last_steady_ns - header.start_steady_ns) /
                                  static_cast<double>(header.last_ticks - header.start_ticks)
                            : seconds_per_tick() * 1e9;
    }
    [[nodiscard]] std::uint64_t of(const TraceRecord& record) const noexcept {
        return start_ns_ +
               static_cast<std::uint64_t>(static_cast<double>(ticks_since(record, start_ticks_)) * rate_ns_);
    }

private:
    std::uint64_t start_ticks_, start_ns_;
    double rate_ns_;
};

std::string_view text_of(const auto& characters) {
    const auto end = std::find(characters.begin(), characters.end(), '\0');
    return {characters.data(), static_cast<std::size_t>(end - characters.begin())};
}

/// Numbers by which viewers tell processes and threads apart, also of several runs. Ranks of several machines may have
/// the same process number: theirs is their rank and a hash, since a rank may be several processes.
struct Identity {
    explicit Identity(const TraceFileHeader& header)
        : uuid(hash_with(hash_with(hash_of(text_of(header.host)), static_cast<std::uint64_t>(header.pid)),
                         header.start_ns) |
               1U),
          of_job(header.ranks > 1),
          pid(of_job ? (header.rank % kRanks + 1) * kHashes + static_cast<int>(uuid >> 45U) : header.pid),
          first_sequence(static_cast<std::uint32_t>(uuid >> 33U)) {}

    [[nodiscard]] std::uint64_t thread(std::uint32_t number) const noexcept {
        return hash_with(uuid, number + 1U) | 1U;
    }
    [[nodiscard]] int tid(const RecordsFile::Thread& thread) const noexcept {
        return of_job ? pid + static_cast<int>(thread.number) + 1 : static_cast<int>(thread.system_id);
    }
    [[nodiscard]] std::uint32_t sequence(std::uint32_t thread) const noexcept { return first_sequence + thread + 1; }

    static constexpr int kRanks = 1 << 11, kHashes = 1 << 19;  // some 2^30: threads come on top
    std::uint64_t uuid;
    bool of_job;
    int pid;
    std::uint32_t first_sequence;
};

std::string process_name(const TraceFileHeader& header) {
    std::string name(text_of(header.program));
    if (header.ranks > 1)
        name = "rank " + std::to_string(header.rank) + ": " + name + " (" + std::string(text_of(header.host)) + ", " +
               std::to_string(header.pid) + ")";
    return name;
}

/// What the threads of one process share.
struct Process {
    RecordsFile& records;
    Texts& texts;
    Times times;
    Identity identity;
    PerfettoFile& file;
    std::map<std::string, std::uint64_t> counters;  // uuid by name
};

/// Turns one thread's records into events.
class ThreadEvents {
public:
    ThreadEvents(Process& process, const RecordsFile::Thread& thread)
        : process_(process),
          thread_(thread),
          out_(process.file, process.identity.sequence(thread.number), process.identity.thread(thread.number),
               process.records.header().start_ns),
          loop_(out_.category("loop")),
          chunk_(out_.category("chunk")),
          wait_(out_.category("wait")),
          cores_(out_.category("cores")),
          chunk_name_(out_.name("chunk")),
          first_(out_.argument_name("first")),
          iterations_(out_.argument_name("iterations")) {}

    void write(const std::function<void()>& now_and_then) {
        bool named = false;
        for (const std::uint64_t place : thread_.blocks) {
            if (now_and_then) now_and_then();
            const TraceBlock& block = process_.records.block(place);
            if (!named) declare(block);
            named = true;
            if (block.header.dropped > lost_ || block.header.sequence > next_block_) {
                if (last_ns_ == 0 && block.header.count > 0) last_ns_ = process_.times.of(block.records[0]);
                leave_gap(block.header.dropped);
            }
            next_block_ = block.header.sequence + 1;
            for (std::uint64_t i = 0; i < block.header.count; ++i) add(block.records[i]);
        }
        if (thread_.dropped > lost_) leave_gap(thread_.dropped);
    }

private:
    enum class Slice : std::uint8_t { loop, chunk, barrier, call, lend, join };

    void declare(const TraceBlock& block) {
        std::string name = "thread";
        for (std::uint64_t i = 0; i < block.header.count; ++i) {
            if (kind_of(block.records[i]) != TraceKind::loop_begin) continue;
            name += " " + std::to_string(block.records[i].payload & UINT32_MAX);
            break;
        }
        const Identity& identity = process_.identity;
        out_.declare({.type = TraceTrack::Type::process,
                      .uuid = identity.uuid,
                      .parent = 0,
                      .name = process_name(process_.records.header()),
                      .pid = identity.pid,
                      .tid = 0});
        out_.declare({.type = TraceTrack::Type::thread,
                      .uuid = identity.thread(thread_.number),
                      .parent = identity.uuid,
                      .name = name,
                      .pid = identity.pid,
                      .tid = identity.tid(thread_)});
    }

    /// Records are missing here: when what was open ended is not known; ends that follow may be of another begin.
    /// @param dropped  that the thread had lost by then [count]
    void leave_gap(std::uint64_t dropped) {
        for (; !open_.empty(); open_.pop_back()) out_.end(last_ns_);
        if (dropped > lost_)
            out_.instant(last_ns_, loop_, out_.name("records lost"),
                         std::array{TraceArgument{out_.argument_name("records"), dropped - lost_}});
        lost_ = std::max(dropped, lost_);
        loop_size_.reset();
        chunk_first_.reset();
    }

    void open(Slice slice, std::uint64_t category, std::uint64_t name, std::span<const TraceArgument> arguments = {}) {
        open_.push_back(slice);
        out_.begin(now_ns_, category, name, arguments);
    }
    /// The innermost slice of a kind ends, and with it those inside.
    void close(Slice slice) {
        if (std::find(open_.begin(), open_.end(), slice) == open_.end()) return;
        for (bool found = false; !found; open_.pop_back()) {
            found = open_.back() == slice;
            out_.end(now_ns_);
        }
    }
    void close_chunk() {
        if (!open_.empty() && open_.back() == Slice::chunk) close(Slice::chunk);
    }
    void begin_chunk(std::uint64_t first, std::uint64_t size) {
        close_chunk();
        open(Slice::chunk, chunk_, chunk_name_,
             std::array{TraceArgument{first_, first}, TraceArgument{iterations_, size}});
    }
    void begin_loop(std::uint64_t payload) {
        const Label& label = process_.texts.label(payload >> 32U);
        const std::array all = {TraceArgument{out_.argument_name("schedule"), label.schedule},
                                TraceArgument{out_.argument_name("reason"), label.reason},
                                TraceArgument{out_.argument_name("worker"), payload & UINT32_MAX},
                                TraceArgument{iterations_, loop_size_.value_or(0)}};
        open(Slice::loop, loop_, out_.name(label.loop), std::span(all).first(loop_size_ ? all.size() : all.size() - 1));
    }
    void end_loop() {
        close_chunk();  // of a loop whose begin was lost, too
        close(Slice::loop);
    }
    void decision(std::uint64_t payload) {
        const Label& label = process_.texts.label(payload);
        out_.instant(now_ns_, out_.category("decision"), out_.name("decision: " + label.schedule),
                     std::array{TraceArgument{out_.argument_name("loop"), label.loop},
                                TraceArgument{out_.argument_name("reason"), label.reason},
                                TraceArgument{out_.argument_name("exploring"), label.exploring ? "yes" : "no"}});
    }
    /// An arrow from the victim's track to the thief's.
    void steal(std::uint64_t payload) {
        const std::uint64_t victim = payload >> 32U;
        const std::uint64_t flow = hash_with(process_.identity.thread(thread_.number), now_ns_ * 64 + ++flows_ % 64);
        const std::uint64_t category = out_.category("steal");
        const bool known = victim != kNoTraceThread;
        if (known)
            out_.instant(now_ns_, category, out_.name("stolen from"), {}, {.id = flow},
                         process_.identity.thread(static_cast<std::uint32_t>(victim)));
        out_.instant(now_ns_, category, out_.name("steal"),
                     std::array{TraceArgument{iterations_, payload & UINT32_MAX}},
                     known ? TraceFlow{.id = flow, .ends = true} : TraceFlow{});
    }
    void counter(const std::string& name, double value) {
        std::uint64_t& uuid = process_.counters[name];
        if (uuid == 0) {
            uuid = hash_with(process_.identity.uuid, hash_of(name)) | 1U;
            out_.declare(
                {.type = TraceTrack::Type::counter, .uuid = uuid, .parent = process_.identity.uuid, .name = name});
        }
        out_.counter(now_ns_, uuid, value);
    }
    static double value_of(std::uint64_t payload) {
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(payload & UINT32_MAX)));
    }
    void core(Slice slice, const char* name, const char* what, std::uint64_t number) {
        open(slice, cores_, out_.name(name), std::array{TraceArgument{out_.argument_name(what), number}});
    }

    void add(const TraceRecord& record) {
        now_ns_ = last_ns_ = std::max(process_.times.of(record), last_ns_);
        const std::uint64_t payload = record.payload;
        switch (kind_of(record)) {
            case TraceKind::chunk:
                return begin_chunk(payload >> kChunkBits, payload & ((1U << kChunkBits) - 1));
            case TraceKind::chunk_first:
                chunk_first_ = payload;
                return;
            case TraceKind::chunk_size:
                return chunk_first_ ? begin_chunk(*chunk_first_, payload) : close_chunk();
            case TraceKind::chunk_end:
                return close_chunk();
            case TraceKind::loop_size:
                loop_size_ = payload;
                return;
            case TraceKind::loop_begin:
                return begin_loop(payload);
            case TraceKind::loop_end:
                return end_loop();
            case TraceKind::barrier_begin:
                return open(Slice::barrier, wait_, out_.name(payload == 1 ? "end of region" : "barrier"));
            case TraceKind::barrier_end:
                return close(Slice::barrier);
            default:
                return add_rare(record);
        }
    }
    void add_rare(const TraceRecord& record) {
        const std::uint64_t payload = record.payload;
        switch (kind_of(record)) {
            case TraceKind::decision:
                return decision(payload);
            case TraceKind::steal:
                return steal(payload);
            case TraceKind::call_begin:
                return open(Slice::call, out_.category("mpi"), out_.name(process_.texts.plain(payload)));
            case TraceKind::call_end:
                return end_call(payload);
            case TraceKind::lend_begin:
                return core(Slice::lend, "lends its core", "processor", payload);
            case TraceKind::lend_end:
                return close(Slice::lend);
            case TraceKind::join_begin:
                return core(Slice::join, "on another rank's core", "rank on the node", payload);
            case TraceKind::join_end:
                return close(Slice::join);
            case TraceKind::processor:
                return out_.instant(now_ns_, cores_, out_.name("migration"),
                                    std::array{TraceArgument{out_.argument_name("from"), payload >> 32U},
                                               TraceArgument{out_.argument_name("to"), payload & UINT32_MAX}});
            case TraceKind::placed:
                return out_.instant(
                    now_ns_, cores_, out_.name("placed"),
                    std::array{TraceArgument{out_.argument_name("why"), process_.texts.plain(payload)}});
            case TraceKind::imbalance:
                return counter("imbalance " + process_.texts.place(payload >> 32U), value_of(payload));
            case TraceKind::fraction:
                return counter("static fraction " + process_.texts.place(payload >> 32U), value_of(payload));
            case TraceKind::slack:
                return counter("expected slack [s]", value_of(payload));
            default:
                return;
        }
    }
    void end_call(std::uint64_t waiting_ns) {
        if (std::find(open_.begin(), open_.end(), Slice::call) == open_.end()) return;
        close(Slice::call);
        counter("waiting in MPI [s]", 1e-9 * static_cast<double>(waiting_ns));
    }

    Process& process_;
    const RecordsFile::Thread& thread_;
    PerfettoSequence out_;
    std::uint64_t loop_, chunk_, wait_, cores_, chunk_name_, first_, iterations_;
    std::vector<Slice> open_;
    std::uint64_t now_ns_ = 0, last_ns_ = 0;
    std::optional<std::uint64_t> loop_size_, chunk_first_;  // nothing: not known
    std::uint64_t flows_ = 0, lost_ = 0, next_block_ = 0;   // lost so far; number of the block that comes next
};

}  // namespace

WrittenTrace write_trace(const std::string& path, const std::string& target, bool look_up_names,
                         const std::function<void()>& now_and_then) {
    RecordsFile records(path);
    const bool any = std::any_of(records.threads().begin(), records.threads().end(),
                                 [](const RecordsFile::Thread& thread) { return thread.system_id != 0; });
    if (!any && (records.damaged() > 0 || records.cut()))
        throw Error(ErrorCode::file, "\"" + path + "\" is damaged: none of its records can be read",
                    "it may have been copied while there was no room");
    WrittenTrace written{.path = target.empty() ? std::string(text_of(records.header().target)) : target,
                         .bytes = 0,
                         .dropped = records.dropped(),
                         .without = records.header().blocks_dropped_for,
                         .damaged = records.damaged(),
                         .cut = records.cut()};
    Texts texts(records.texts(), look_up_names);
    PerfettoFile file(written.path);
    Process process{records, texts, Times(records.header()), Identity(records.header()), file, {}};
    for (const RecordsFile::Thread& thread : records.threads())
        if (thread.system_id != 0) ThreadEvents(process, thread).write(now_and_then);
    written.bytes = file.bytes();
    file.finish();
    return written;
}

}  // namespace gimbal
