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

// Never destroyed: used until the very end of the process. Nor made by who needs it first, which may have no memory.
union Immortal {
    constexpr Immortal() noexcept : store() {}
    constexpr ~Immortal() {}
    Store store;
};
constinit Immortal the_only;

Store& store() noexcept {
    return the_only.store;
}

}  // namespace

bool warn_once(std::string text) noexcept {
    try {
        Store& all = store();
        const auto lock = lock_or_give_up(all.mutex);
        if (!lock.owns_lock()) return false;
        if (std::find(all.texts.begin(), all.texts.end(), text) != all.texts.end()) return false;
        all.texts.push_back(std::move(text));
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

bool note(std::string about, const std::string& text) noexcept {
    try {
        about.insert(0, kNote).append(": ");
        std::string sentence = about + text;
        Store& all = store();
        const auto lock = lock_or_give_up(all.mutex);
        if (!lock.owns_lock()) return false;
        all.texts.push_back(std::move(sentence));
        const auto last = all.texts.end() - 1;
        const auto same = [&](const std::string& one) { return one.starts_with(about); };
        all.texts.erase(std::remove_if(all.texts.begin(), last, same), last);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
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
