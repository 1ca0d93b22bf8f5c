// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gimbal {

/// What was learnt about one loop, in the learner's own words.
struct KeptLoop {
    std::uint64_t id = 0;    ///< of the loop, the same in every run
    std::string_view bytes;  ///< not empty
};

/// Largest file that is written or read [bytes].
inline constexpr std::size_t kLargestKept = std::size_t{256} * 1024;

/// The text of a file: header, index by id, what was learnt. A loop that does not fit any more is left out.
/// @param run    what the file is about: program, machine, version. Another one cannot be read with it
/// @param loops  the most important first; of those with the same id the first counts
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::string format_kept(std::uint64_t run, std::span<const KeptLoop> loops);

/// A file that has been read. It points into the text.
/// @threads any, once made  @source derived; test: tests/unit/kept/format_test.cpp
class KeptLoops {
public:
    /// @return nullopt: damaged, cut off, of another format or about another run: no part of it is to be used
    /// @errors none  @cost one pass over the text
    [[nodiscard]] static std::optional<KeptLoops> read(std::uint64_t run, std::string_view text) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    /// @pre place < size()
    [[nodiscard]] KeptLoop at(std::size_t place) const noexcept;
    /// What is known of a loop; empty: nothing. @cost O(log loops)
    [[nodiscard]] std::string_view find(std::uint64_t id) const noexcept;

private:
    explicit KeptLoops(std::string_view text, std::size_t count) noexcept : text_(text), count_(count) {}

    std::string_view text_;
    std::size_t count_;
};

}  // namespace gimbal
