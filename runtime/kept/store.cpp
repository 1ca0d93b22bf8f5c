// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kept/store.hpp"

#include <sys/auxv.h>

#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/held_signal.hpp"
#include "base/process_state.hpp"
#include "base/warnings.hpp"
#include "config/load.hpp"
#include "gimbal/hash.hpp"
#include "gimbal/options.hpp"
#include "kept/build.hpp"
#include "kept/folder.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kMaxTeamSizes = 4;
// Of what learners write: to be raised where their bytes change. tests/unit/kept/layout_test.cpp fails where there are
// more or fewer of them.
constexpr std::uint64_t kLayout = 3;

/// The file of one team size, as it was when it was read.
struct TeamFile {
    std::uint32_t workers = 0;
    std::string name;
    std::string text;
    std::optional<KeptLoops> loops;  // into text; nullopt: nothing that can be used
};

/// All that this process knows of earlier runs.
struct Store {
    std::mutex mutex;  // guards what follows while loops run
    KeptFolder folder;
    std::uint64_t run = 0;  // program, machine, version
    std::array<TeamFile, kMaxTeamSizes> files;
    std::size_t count = 0;
};

// Never destroyed: loops may run while the process ends.
Store& store() {
    static Store* const made = new Store;
    return *made;
}

enum class State : std::uint8_t { unasked, off, on };
std::atomic<State> state = State::unasked;
std::atomic<bool> unwritable = false;

/// Settings that make a run another one than the user's usual one, or are to make it repeatable.
bool is_asked_for() {
    const Options& asked = options();
    return !asked.kept_out && asked.select.name == "auto" && asked.select.replay.empty() &&
           asked.origin("GIMBAL_SEED") == "default";
}

std::uint64_t run_id() noexcept {
    const std::uint64_t program = build_of_program();
    return program == 0 ? 0 : hash_with(hash_with(hash_of(GIMBAL_VERSION, program), machine_kind()), kLayout);
}

State decide() {
    if (!is_asked_for() || getauxval(AT_SECURE) != 0) return State::off;
    Store& all = store();
    const Environment& environment = process_environment();
    all.folder = kept_folder(options().cache, environment.cache_home, environment.home);
    if (all.folder.path.empty()) return State::off;
    all.folder.path = from_start(all.folder.path);
    all.run = run_id();
    return all.run == 0 ? State::off : State::on;
}

/// @return nullptr: there are too many team sizes
TeamFile* file_of(Store& all, std::uint32_t workers) {
    for (std::size_t k = 0; k < all.count; ++k)
        if (all.files[k].workers == workers) return &all.files[k];
    if (all.count == all.files.size()) return nullptr;
    const HeldSignals held;
    TeamFile& file = all.files[all.count];
    file.workers = workers;
    file.name = kept_name(all.run, workers);
    file.text = read_kept(all.folder, file.name, kLargestKept);
    file.loops = KeptLoops::read(all.run, file.text);
    ++all.count;
    return &file;
}

}  // namespace

bool keeps_knowledge() noexcept {
    const State known = state.load(std::memory_order_acquire);  // partner: the release below
    if (known != State::unasked) return known == State::on;
    const HeldSignals held;  // reading files takes the C library's heap
    try {
        const std::lock_guard lock(store().mutex);
        if (state.load(std::memory_order_relaxed) == State::unasked) state.store(decide(), std::memory_order_release);
    } catch (const std::exception&) {
        state.store(State::off, std::memory_order_release);
    }
    return state.load(std::memory_order_relaxed) == State::on;
}

std::string_view kept_about(std::uint64_t loop, std::uint32_t workers) noexcept {
    if (!keeps_knowledge()) return {};
    try {
        Store& all = store();
        const std::lock_guard lock(all.mutex);
        const TeamFile* const file = file_of(all, workers);
        return file && file->loops ? file->loops->find(loop) : std::string_view{};
    } catch (const std::exception&) {
        return {};  // no memory for it: as if nothing were known
    }
}

void keep_knowledge(std::uint32_t workers, std::span<const KeptLoop> loops) {
    if (!keeps_knowledge() || process_environment().rank != 0 || loops.empty()) return;
    Store& all = store();
    const std::unique_lock lock(all.mutex, std::try_to_lock);
    if (!lock.owns_lock()) return;
    const TeamFile* const file = file_of(all, workers);
    if (!file) return;
    std::vector<KeptLoop> kept(loops.begin(), loops.end());
    std::unordered_set<std::uint64_t> fresh;
    for (const KeptLoop& loop : loops) fresh.insert(loop.id);
    for (std::size_t k = 0; file->loops && k < file->loops->size(); ++k) {
        const KeptLoop known = file->loops->at(k);
        if (!fresh.contains(known.id)) kept.push_back(known);
    }
    const std::string text = format_kept(all.run, kept);
    if (text == file->text || write_kept(all.folder, file->name, text)) return;
    unwritable.store(true);
    if (all.folder.named) warn_once([&] { return "GIMBAL_CACHE: nothing can be kept in \"" + all.folder.path + "\""; });
}

std::string_view kept_word() noexcept {
    const State known = state.load(std::memory_order_acquire);
    if (known == State::unasked) return "unused";
    if (known == State::off) return "off";
    if (unwritable.load()) return "unwritable";
    const Store& all = store();
    if (all.count == 0) return "unused";
    std::string_view word = "new";
    for (std::size_t k = 0; k < all.count; ++k) {
        if (all.files[k].loops) return "known";
        if (!all.files[k].text.empty()) word = "refused";
    }
    return word;
}

void keep_nothing_in_child() noexcept {
    state.store(State::off, std::memory_order_release);
}

}  // namespace gimbal
