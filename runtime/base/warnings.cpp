// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/warnings.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/process_state.hpp"

namespace gimbal {

namespace {

struct Store {
    std::mutex mutex;
    std::vector<std::string> texts;
};

// Never destroyed: used until the very end of the process.
Store& store() {
    static Store* const the_store = new Store;
    return *the_store;
}

}  // namespace

bool warn_once(std::string text) noexcept {
    Store& all = store();
    const auto lock = lock_or_give_up(all.mutex);
    if (!lock.owns_lock()) return false;
    if (std::find(all.texts.begin(), all.texts.end(), text) != all.texts.end()) return false;
    all.texts.push_back(std::move(text));
    return true;
}

void note(std::string about, const std::string& text) noexcept {
    about.insert(0, kNote).append(": ");
    Store& all = store();
    const auto lock = lock_or_give_up(all.mutex);
    if (!lock.owns_lock()) return;
    const auto same = [&](const std::string& one) { return one.starts_with(about); };
    std::erase_if(all.texts, same);
    all.texts.push_back(about + text);
}

void restart_warnings_in_child() noexcept {
    new (&store().mutex) std::mutex;
}

std::vector<std::string> warnings() {
    Store& all = store();
    const auto lock = lock_or_give_up(all.mutex);
    if (lock.owns_lock()) return all.texts;
    note_missing("warnings");
    return {};
}

}  // namespace gimbal
