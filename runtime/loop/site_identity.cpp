// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What names a loop, in any run, and what earlier runs knew of it.
#include <array>
#include <charconv>

#include "base/process_state.hpp"
#include "gimbal/hash.hpp"
#include "kept/store.hpp"
#include "loop/site.hpp"

namespace gimbal {

namespace {

std::string hexadecimal(std::uint64_t number) {
    std::array<char, 16> digits{};
    return {digits.data(), std::to_chars(digits.begin(), digits.end(), number, 16).ptr};
}

}  // namespace

std::string SiteIdentity::key() const {
    if (!name.empty()) return namesake ? name + "+0x" + hexadecimal(function) : name;
    return module.substr(module.rfind('/') + 1) + "+0x" + hexadecimal(offset);
}

std::uint64_t SiteIdentity::id_in_any_run() const {
    if (build == 0 || over_ranks) return 0;
    return hash_with(name.empty() ? hash_with(hash_of(""), offset) : hash_with(hash_of(name), function), build);
}

// Once, and only for a loop that Gimbal chooses for: what does not use Gimbal shall not touch a file of its.
void LoopSite::ask_earlier_run() {
    asked_earlier_run_ = true;
    if (workers_ == 1 || !keeps_knowledge()) return;
    kept_id_ = identity_.id_in_any_run();
    if (kept_id_ == 0) return;
    if (const std::string_view known = kept_about(kept_id_, workers_); !known.empty()) learning_.restore(known);
}

std::string LoopSite::to_keep() {
    const auto lock = lock_or_give_up(mutex_);
    if (lock.owns_lock()) take_back_ready();
    return lock.owns_lock() && kept_id_ != 0 ? learning_.save() : std::string();
}

}  // namespace gimbal
