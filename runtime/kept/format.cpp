// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kept/format.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "gimbal/hash.hpp"

namespace gimbal {

namespace {

// A number, so that a machine with the other order of bytes does not know its own file.
constexpr std::uint64_t kMagic = 0x31'54'50'4b'42'4d'49'47;  // "GIMBKPT1"

struct Header {
    std::uint64_t magic = kMagic;
    std::uint64_t run = 0;
    std::uint32_t count = 0;
    std::uint32_t size = 0;      // of the whole file [bytes]
    std::uint64_t checksum = 0;  // of all that is not this
};
static_assert(sizeof(Header) == 32, "another kMagic, then the new size");

struct Place {
    std::uint64_t id = 0;
    std::uint32_t at = 0;  // from the beginning of the file [bytes]
    std::uint32_t size = 0;
};
static_assert(sizeof(Place) == 16, "another kMagic, then the new size");

template <class Plain>
std::string_view bytes_of(const Plain& plain) noexcept {
    return {reinterpret_cast<const char*>(&plain), sizeof plain};
}

template <class Plain>
Plain plain_at(std::string_view text, std::size_t at) noexcept {
    Plain plain;
    std::memcpy(&plain, text.data() + at, sizeof plain);
    return plain;
}

Place place_at(std::string_view text, std::size_t number) noexcept {
    return plain_at<Place>(text, sizeof(Header) + number * sizeof(Place));
}

std::uint64_t checksum_of(std::string_view text) noexcept {
    constexpr std::size_t kBefore = sizeof(Header) - sizeof(std::uint64_t);
    return hash_of(text.substr(sizeof(Header)), hash_of(text.substr(0, kBefore)));
}

}  // namespace

std::string format_kept(std::uint64_t run, std::span<const KeptLoop> loops) {
    std::vector<KeptLoop> kept;
    std::size_t size = sizeof(Header);
    for (const KeptLoop& loop : loops) {
        const std::size_t more = sizeof(Place) + loop.bytes.size();
        if (loop.bytes.empty() || size + more > kLargestKept) continue;
        size += more;
        kept.push_back(loop);
    }
    const auto less = [](const KeptLoop& a, const KeptLoop& b) { return a.id < b.id; };
    std::stable_sort(kept.begin(), kept.end(), less);
    const auto same = [](const KeptLoop& a, const KeptLoop& b) { return a.id == b.id; };
    kept.erase(std::unique(kept.begin(), kept.end(), same), kept.end());
    std::string index, all;
    const std::size_t first = sizeof(Header) + kept.size() * sizeof(Place);
    for (const KeptLoop& loop : kept) {
        const Place place{loop.id, static_cast<std::uint32_t>(first + all.size()),
                          static_cast<std::uint32_t>(loop.bytes.size())};
        index.append(bytes_of(place));
        all.append(loop.bytes);
    }
    Header header{.run = run, .count = static_cast<std::uint32_t>(kept.size())};
    header.size = static_cast<std::uint32_t>(first + all.size());
    std::string text(bytes_of(header));
    text.append(index).append(all);
    header.checksum = checksum_of(text);
    text.replace(0, sizeof header, bytes_of(header));
    return text;
}

std::optional<KeptLoops> KeptLoops::read(std::uint64_t run, std::string_view text) noexcept {
    if (text.size() < sizeof(Header) || text.size() > kLargestKept) return std::nullopt;
    const auto header = plain_at<Header>(text, 0);
    if (header.magic != kMagic || header.run != run || header.size != text.size()) return std::nullopt;
    if (header.count > (text.size() - sizeof(Header)) / sizeof(Place)) return std::nullopt;
    if (header.checksum != checksum_of(text)) return std::nullopt;
    for (std::size_t k = 0; k < header.count; ++k) {
        const Place place = place_at(text, k);
        if (place.at > text.size() || place.size > text.size() - place.at) return std::nullopt;
        if (k > 0 && place.id <= place_at(text, k - 1).id) return std::nullopt;
    }
    return KeptLoops(text, header.count);
}

KeptLoop KeptLoops::at(std::size_t number) const noexcept {
    const Place place = place_at(text_, number);
    return {place.id, text_.substr(place.at, place.size)};
}

std::string_view KeptLoops::find(std::uint64_t id) const noexcept {
    std::size_t low = 0, high = count_;
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        const Place place = place_at(text_, middle);
        if (place.id == id) return text_.substr(place.at, place.size);
        (place.id < id ? low : high) = place.id < id ? middle + 1 : middle;
    }
    return {};
}

}  // namespace gimbal
