// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kept/format.hpp"

namespace gimbal {

/// Whether this run begins with what earlier ones learnt, and leaves what it learns: the default chooses, nobody asked
/// for anything that a run of before would change (GIMBAL_SELECT, GIMBAL_SCHEDULE, GIMBAL_REPLAY, GIMBAL_SEED), and
/// there is a place for it. @threads any  @cost one load after the first call
[[nodiscard]] bool keeps_knowledge() noexcept;

/// What an earlier run of this program on such a machine learnt about a loop, in the learner's words.
/// @param loop     its id
/// @param workers  P of its team [count]
/// @return empty: nothing; stays valid until the process ends
/// @errors none  @threads any  @cost a search; for the first loop of a team size a file is read, some ten microseconds.
/// Files of four team sizes are looked at
[[nodiscard]] std::string_view kept_about(std::uint64_t loop, std::uint32_t workers) noexcept;

/// Leave what this run learnt for the next one: what earlier runs knew of other loops stays. Of the ranks of a job
/// only the first writes: all run the same program, and thousands of files at once would help nobody.
/// @param loops  the most important first  @errors std::bad_alloc; a file that cannot be written is noted
/// @threads the one that ends the process
void keep_knowledge(std::uint32_t workers, std::span<const KeptLoop> loops);

/// How it went, in one word for the record: "off" (by GIMBAL_CACHE or another setting), "unused" (no loop asked),
/// "new" (nothing was known), "known", "refused" (there was a file, and it was damaged or somebody else's),
/// "unwritable". @threads the one that ends the process
[[nodiscard]] std::string_view kept_word() noexcept;

/// A child of fork() neither reads nor writes. @threads the only one of a new child
void keep_nothing_in_child() noexcept;

}  // namespace gimbal
