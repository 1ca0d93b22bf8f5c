// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order.hpp"

#include "morton.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace evrard {

namespace {

template <class Key>
std::vector<std::uint32_t> sorted_by(std::size_t count, const Key& key) {
    using Entry = std::pair<decltype(key(0)), std::uint32_t>;
    std::vector<Entry> entries(count);
    for (std::size_t i = 0; i < count; ++i) entries[i] = {key(i), static_cast<std::uint32_t>(i)};
    std::sort(entries.begin(), entries.end());  // pairs: ties go to the lower index
    std::vector<std::uint32_t> order(count);
    for (std::size_t k = 0; k < count; ++k) order[k] = entries[k].second;
    return order;
}

}  // namespace

std::vector<std::uint32_t> iteration_order(const std::vector<Vec3>& position, Order order) {
    const std::size_t n = position.size();
    if (order == Order::radial) {
        return sorted_by(n, [&position](std::size_t i) { return dot(position[i], position[i]); });
    }
    if (order == Order::morton) {
        const Cube cube = bounding_cube(position);
        return sorted_by(n, [&position, &cube](std::size_t i) { return morton_key(position[i], cube); });
    }
    std::vector<std::uint32_t> identity(n);
    std::iota(identity.begin(), identity.end(), std::uint32_t{0});
    return identity;
}

std::vector<std::size_t> block_starts(std::size_t count, int ranks) {
    const auto parts = static_cast<std::size_t>(ranks);
    std::vector<std::size_t> starts(parts + 1);
    for (std::size_t r = 0; r <= parts; ++r) starts[r] = count / parts * r + std::min(r, count % parts);
    return starts;
}

}  // namespace evrard
