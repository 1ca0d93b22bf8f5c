// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "particles.hpp"

namespace evrard {

Particles::Particles(std::size_t count)
    : position(count),
      velocity(count),
      energy(count),
      h(count),
      density(count),
      potential(count),
      gravity(count),
      acceleration(count),
      energy_rate(count),
      interactions(count),
      half_velocity(count),
      half_energy(count) {}

namespace {

template <class T>
void mix(std::uint64_t& hash, const std::vector<T>& values) {
    constexpr std::uint64_t kPrime = 0x100000001b3ULL;
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    for (std::size_t i = 0; i < values.size() * sizeof(T); ++i) hash = (hash ^ bytes[i]) * kPrime;
}

}  // namespace

std::uint64_t checksum(const Particles& particles) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    mix(hash, particles.position);
    mix(hash, particles.velocity);
    mix(hash, particles.energy);
    mix(hash, particles.h);
    return hash;
}

}  // namespace evrard
