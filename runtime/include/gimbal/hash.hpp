// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace gimbal {

/// FNV-1a: changes with any byte, and is the same on all machines. Not safe against those who want it not to change.
/// @param hash  of what comes before; as it is: nothing does
/// @return may be 0  @threads any  @cost a multiplication for each byte
/// @source Fowler, Noll, Vo; test: tests/unit/base/hash_test.cpp
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view bytes,
                                              std::uint64_t hash = 0xcbf29ce484222325U) noexcept {
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    return hash;
}

/// Of nothing: where the hash of a row of numbers begins.
inline constexpr std::uint64_t kHashOfNothing = hash_of({});

/// The same for a number that comes next: its eight bytes, the lowest first.
[[nodiscard]] constexpr std::uint64_t hash_with(std::uint64_t hash, std::uint64_t number) noexcept {
    for (int k = 0; k < 8; ++k) hash = (hash ^ (number >> (8 * k) & 0xffU)) * 0x100000001b3U;
    return hash;
}

}  // namespace gimbal
