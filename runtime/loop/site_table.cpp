// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/site_table.hpp"

#include <time.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/early_memory.hpp"
#include "base/held_signal.hpp"
#include "base/own_state.hpp"
#include "base/process_state.hpp"
#include "gimbal/options.hpp"
#include "gimbal/per_rank.hpp"
#include "kept/build.hpp"
#include "lending/elastic_regions.hpp"
#include "lending/wait_policy.hpp"
#include "loop/current_site.hpp"
#include "loop/known_loops.hpp"
#include "loop/left_loop.hpp"
#include "loop/modules.hpp"
#include "loop/named_loops.hpp"
#include "loop/schedules.hpp"
#include "measure/loop_stats.hpp"

namespace gimbal {

void (*at_new_site)() noexcept = nullptr;

namespace {

// Where a loop at one address with one team size leads. Never freed: learning outlives every execution.
struct Node {
    Node(const void* where, std::uint32_t team, Node* others) noexcept : code(where), workers(team), next(others) {}

    const void* code;
    std::uint32_t workers;
    std::atomic<LoopSite*> site = nullptr;  // nullptr: the library that had it is gone
    Node* next;
};

constexpr int kBucketBits = 12;
constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
constexpr int kForkPatience_ms = 500;

// A site in the order of first execution.
struct Link {
    std::unique_ptr<LoopSite> site;
    std::atomic<Link*> next = nullptr;
};

struct Table {
    std::array<std::atomic<Node*>, kBuckets> buckets{};
    std::mutex mutex;                    // guards insertion, `by_identity` and `names`
    std::atomic<Link*> first = nullptr;  // of all sites; can be read without the lock
    Link* last = nullptr;
    std::unordered_multimap<std::size_t, LoopSite*> by_identity;  // those that have one, by its hash
    SeenModules modules;
    NamedLoops names;
};

// Acquire what the inserting thread wrote; partner: the release stores in add_site().
const Link* first_of(const Table& all) noexcept {
    return all.first.load(std::memory_order_acquire);
}

const Link* next_of(const Link& link) noexcept {
    return link.next.load(std::memory_order_acquire);
}

struct Tables {
    Table first;
    Table* now = &first;  // in a forked child another one
};

// There from the start, before the constructors of the program and of other libraries, which may run loops: a table
// that the first loop makes is one that a signal can find half made.
__attribute__((init_priority(101))) PerRank<Tables> tables;

Table& table() {
    return *tables.here().now;
}

// Whether the thread that forks has the lock. It has not if a signal handler forks that interrupted this very thread as
// it added a site; then the child knows nothing of what is asked for by name.
__thread bool table_held __attribute__((tls_model("initial-exec"))) = false;

// For loops without debug information the address is all there is; for all others it is what differs soonest.
const void* address_of(const gimbal_loop_desc& desc) noexcept {
    return desc.code ? desc.code : desc.source;
}

std::size_t bucket_of(const void* code, std::uint32_t workers) noexcept {
    std::uint64_t hash = reinterpret_cast<std::uintptr_t>(code) + (static_cast<std::uint64_t>(workers) << 48U);
    hash *= 0x9E3779B97F4A7C15U;
    return hash >> (64 - kBucketBits);
}

std::uint16_t known_code(const void* code) noexcept {
    gimbal_loop_desc desc{};
    desc.code = code;
    return gimbal_known_code(&desc);
}

Node* find(Node* node, const void* code, std::uint32_t workers) noexcept {
    while (node && (node->code != code || node->workers != workers)) node = node->next;
    return node;
}

// Acquire what the thread wrote that made the site; partner: the release stores in insert_site().
LoopSite* site_of(const Node* node) noexcept {
    return node ? node->site.load(std::memory_order_acquire) : nullptr;
}

// ";file;function;line;column;;" to "file:line function"; "" if the compiler did not say. A file's name may hold
// semicolons, so fields are taken from the end.
std::string source_name(const char* source) {
    const std::string_view text = source ? source : "";
    if (!text.starts_with(';') || !text.ends_with(";;")) return {};
    std::string_view rest = text.substr(1, text.size() - 2);
    std::array<std::string_view, 3> fields;  // column, line, function
    for (std::string_view& field : fields) {
        if (rest.empty()) return {};
        rest.remove_suffix(1);
        const std::size_t semicolon = rest.rfind(';');
        if (semicolon == std::string_view::npos) return {};
        field = rest.substr(semicolon + 1);
        rest = rest.substr(0, semicolon + 1);
    }
    const std::string_view file = rest.substr(0, rest.size() - 1);
    if (file == "unknown" || file.empty() || fields[1] == "0") return {};
    return std::string(file) + ":" + std::string(fields[1]) + " " + std::string(fields[2]);
}

bool has_identity(const SiteIdentity& identity) noexcept {
    return !identity.name.empty() || !identity.module.empty();
}

std::size_t hash_of_identity(const SiteIdentity& identity) noexcept {
    if (!identity.name.empty()) return std::hash<std::string>{}(identity.name);
    return std::hash<std::string>{}(identity.module) ^ std::hash<std::uint64_t>{}(identity.offset);
}

bool is_same_loop(const SiteIdentity& one, const SiteIdentity& other) noexcept {
    if (one.over_ranks != other.over_ranks || one.name != other.name) return false;
    const bool same_object = one.build == other.build && one.module == other.module;
    if (one.name.empty()) return one.offset == other.offset && same_object;
    // Where nobody says where functions begin the name has to do.
    return one.function == 0 || other.function == 0 || (one.function == other.function && same_object);
}

// With the table's lock held, like the three that follow.
LoopSite* known_site(const Table& all, const SiteIdentity& identity, std::uint32_t workers) {
    if (!has_identity(identity)) return nullptr;
    const auto [begin, end] = all.by_identity.equal_range(hash_of_identity(identity));
    for (auto one = begin; one != end; ++one)
        if (one->second->workers() == workers && is_same_loop(one->second->identity(), identity)) return one->second;
    return nullptr;
}

// Whether loops of that name were known in another function, and none in this one under the name alone.
bool is_namesake(const Table& all, const SiteIdentity& identity) {
    if (identity.name.empty() || identity.function == 0) return false;
    const auto [begin, end] = all.by_identity.equal_range(hash_of_identity(identity));
    bool found = false;
    for (auto one = begin; one != end; ++one) {
        const SiteIdentity& other = one->second->identity();
        if (other.over_ranks || other.name != identity.name) continue;
        if (is_same_loop(other, identity)) return other.namesake;
        found = true;
    }
    return found;
}

LoopSite* add_site(Table& all, std::unique_ptr<LoopSite> made) {
    if (at_new_site) at_new_site();
    auto link = std::make_unique<Link>();
    link->site = std::move(made);
    LoopSite* const site = link->site.get();
    if (const auto known = stored_statistics(site->identity().key(), site->workers())) site->set_statistics(*known);
    // Without memory it was never here.
    const auto place = has_identity(site->identity())
                           ? all.by_identity.emplace(hash_of_identity(site->identity()), site)
                           : all.by_identity.end();
    try {
        all.names.add(*site);
    } catch (...) {
        if (place != all.by_identity.end()) all.by_identity.erase(place);
        throw;
    }
    (all.last ? all.last->next : all.first).store(link.get(), std::memory_order_release);
    all.last = link.release();
    return site;
}

// `names` look loops up in libdw, which those who ask by name have loaded before; a loop must not wait for the loader.
// Where there is no libdw dladdr() takes the loader's lock: a loop that a library's constructor starts while rules or
// fractions by name are given can still wait for its own dlopen() there.
LoopSite* add_site_for(Table& all, SiteIdentity identity, std::uint32_t workers, const LoopClock& clock = {}) {
    identity.namesake = is_namesake(all, identity);
    if (!identity.over_ranks) note_team(workers);
    return add_site(all, std::make_unique<LoopSite>(std::move(identity), workers, clock));
}

// Unless another thread was quicker. Apart from what finds a loop that is known.
[[gnu::noinline]] LoopSite* insert_site(Table& all, std::atomic<Node*>& head, const gimbal_loop_desc& desc) {
    const void* const code = address_of(desc);
    const OwnState own;      // gimbal_loop_named() has none
    const HeldSignals held;  // looking up a place takes the loader, and a handler may run a loop, or fork
    const EarlyAllocations early;
    std::unique_lock lock(all.mutex);
    Node* const first = head.load(std::memory_order_relaxed);
    Node* const node = find(first, code, desc.workers);
    if (LoopSite* const site = site_of(node)) return site;
    SiteIdentity identity = identify(desc);
    // What can fail comes before the site is made: one that nothing leads to would be made again and again.
    all.modules.add(module_at(code));
    auto fresh = node ? nullptr : std::make_unique<Node>(code, desc.workers, first);
    LoopSite* site = known_site(all, identity, desc.workers);
    if (!site) site = add_site_for(all, std::move(identity), desc.workers);
    (node ? node : fresh.get())->site.store(site, std::memory_order_release);
    if (fresh) head.store(fresh.release(), std::memory_order_release);
    lock.unlock();
    if (after_new_loop) after_new_loop();
    return site;
}

// Of a loop that goes by its identity alone. With signals held: a handler may run a loop, or fork.
LoopSite* find_or_add(Table& all, SiteIdentity identity, std::uint32_t workers, const LoopClock& clock = {}) {
    std::unique_lock lock(all.mutex);
    if (LoopSite* const site = known_site(all, identity, workers)) return site;
    LoopSite* const site = add_site_for(all, std::move(identity), workers, clock);
    lock.unlock();
    if (after_new_loop) after_new_loop();
    return site;
}

// A host that has a text for the loop and no address: the text may lie elsewhere in each execution, and another one in
// its place. @return nullptr: the text names nothing
[[gnu::noinline]] LoopSite* site_by_name(Table& all, const gimbal_loop_desc& desc) {
    const OwnState own;
    const HeldSignals held;
    SiteIdentity identity = identify(desc);
    if (identity.name.empty()) return nullptr;
    return find_or_add(all, std::move(identity), desc.workers);
}

}  // namespace

SiteIdentity identify(const gimbal_loop_desc& desc) {
    SiteIdentity identity;
    identity.name = source_name(desc.source);
    if (!desc.code) return identity;
    const Module module = module_at(desc.code);
    if (!module.path) return identity;
    identity.module = module.path;
    // Now, while it certainly is loaded: a plug-in may be gone when somebody asks what an earlier run knew of its
    // loops.
    identity.build = build_of(reinterpret_cast<const void*>(module.begin), module.path);
    identity.offset = reinterpret_cast<std::uintptr_t>(desc.code) - module.moved_by;
    if (!identity.name.empty())
        if (const std::uintptr_t function = function_around(desc.code)) identity.function = function - module.moved_by;
    return identity;
}

LoopSite* find_site(const gimbal_loop_desc& desc) noexcept {
    Table& all = table();
    const void* const code = address_of(desc);
    std::atomic<Node*>& head = all.buckets[bucket_of(code, desc.workers)];
    try {
        if (!desc.code && desc.source) [[unlikely]]
            if (LoopSite* const site = site_by_name(all, desc)) return site;
        // Acquire what the inserting thread wrote; partner: the release stores in insert_site().
        if (LoopSite* const site = site_of(find(head.load(std::memory_order_acquire), code, desc.workers))) return site;
        return memory_is_short() ? nullptr : insert_site(all, head, desc);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

// Without the table's lock, which a thread may have that waits for the loader. Nobody adds a loop of a library that is
// gone.
void forget_unloaded_loops() noexcept {
    Table& all = table();
    if (all.modules.empty()) return;
    const std::unique_ptr<KnownCodes> codes(new (std::nothrow) KnownCodes);  // not in there: malloc() has locks, too
    all.modules.look([&](const Module& gone, bool place_is_empty) {
        for (const std::atomic<Node*>& head : all.buckets) {
            for (Node* node = head.load(std::memory_order_acquire); node; node = node->next) {
                if (!gone.holds(node->code)) continue;
                node->site.store(nullptr, std::memory_order_relaxed);
                if (codes) codes->set(known_code(node->code));
            }
        }
        forget_regions(gone.begin, gone.end);
        if (place_is_empty) free_places(gone.begin, gone.end);
        if (codes) give_up_places(*codes);
    });
}

LoopSite* find_rank_site(std::string_view name, std::uint32_t ranks, const LoopClock& clock) {
    const HeldSignals held;
    SiteIdentity identity;
    identity.name = name;
    identity.over_ranks = true;
    return find_or_add(table(), std::move(identity), ranks, clock);
}

std::vector<LoopSite*> all_sites() {
    std::vector<LoopSite*> sites;
    for (const Link* link = first_of(table()); link; link = next_of(*link)) sites.push_back(link->site.get());
    return sites;
}

void set_named_fraction(std::string_view pattern, double fraction) {
    Table& all = table();
    (void)ObjectSymbols::available();  // loads libdw: with the table's lock nobody may wait for the loader
    const HeldSignals held;            // names may be looked up, and a handler may run a loop, or fork
    const std::lock_guard lock(all.mutex);
    all.names.set_fraction(pattern, fraction);
}

std::optional<double> named_fraction(std::string_view pattern) {
    Table& all = table();
    (void)ObjectSymbols::available();  // loads libdw: with the table's lock nobody may wait for the loader
    const HeldSignals held;
    const std::lock_guard lock(all.mutex);
    return all.names.fraction(pattern);
}

std::vector<std::string> unmatched_rules() {
    Table& all = table();
    const auto lock = lock_or_give_up(all.mutex);
    if (lock.owns_lock()) return all.names.complaints();
    if (!options().loops.empty()) note_missing("rules of GIMBAL_LOOPS that matched no loop");
    return {};
}

void hold_table() noexcept {
    for (int tries = 0; tries < kForkPatience_ms && !(table_held = table().mutex.try_lock()); ++tries) {
        const timespec moment = {0, 1'000'000};
        nanosleep(&moment, nullptr);
    }
}

void release_table() noexcept {
    if (table_held) table().mutex.unlock();
}

void restart_in_child() noexcept {
    // Loops that the forking thread is in will still be closed at their old sites.
    for (const Link* link = first_of(table()); link; link = next_of(*link)) link->site->restart_lock();
    // Without memory in the place of the old one, and without what was said by name.
    auto* fresh = new (std::nothrow) Table;
    const bool in_place = !fresh;
    if (in_place) fresh = new (&table()) Table;
    try {
        if (table_held && !in_place) fresh->names = table().names.in_child();
    } catch (const std::bad_alloc&) {
        fresh->names = {};
    }
    tables.here().now = fresh;
    // It belongs to the parent's table, which no later loop will ask.
    current_site = nullptr;
    forget_left_loops();
    restart_schedules_lock();
}

}  // namespace gimbal
