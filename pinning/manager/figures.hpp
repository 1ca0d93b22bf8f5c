// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gimbal::pin {

/// What one thread showed, over its life.
struct ThreadFigures {
    std::uint64_t id = 0;
    int tid = 0;
    std::string name;
    double seconds = 0;        ///< of valid samples [s]
    double speed_seconds = 0;  ///< sum of speed times seconds
    double cpu_s = 0;          ///< on a processor in them [s]
    double wait_s = 0;         ///< ready, but without one [s]
    bool wait_known = false;
    std::uint64_t samples = 0;       ///< valid ones [count]
    std::uint64_t moves = 0;         ///< times it was given other processors [count]
    std::map<int, double> node_s;    ///< node -> time that it was there [s]
    int memory = -1;                 ///< memory that holds its pages; -1: nobody has looked
    std::uint64_t memory_moves = 0;  ///< times they were moved to another [count]
    std::vector<int> pus;            ///< that it was given last, or is bound to; empty: none, or released
    std::string left;                ///< why it was left alone, in words; empty: it was not

    [[nodiscard]] double speed() const noexcept { return seconds > 0 ? speed_seconds / seconds : 0; }
};

/// Threads that were never to be placed.
struct LeftAlone {
    std::string name;
    std::string why;  ///< in words
    std::size_t threads = 0;
};

/// What the manager has to say at the end.
struct Figures {
    std::string mode;
    std::string metric;
    std::string unit;
    std::vector<std::string> backends;  ///< a line per backend that was tried, and notes
    int processors = 0;
    int nodes = 0;
    double period_s = 0;   ///< between looks [s]
    double wall_s = 0;     ///< since the manager began [s]
    double manager_s = 0;  ///< its processor time for all periods [s]
    double start_s = 0;    ///< its processor time for reading the machine and choosing a metric, once [s]
    std::uint64_t ticks = 0;
    double objective = 0;
    std::size_t ignored = 0;             ///< threads that were never taken: helpers, or short or idle ones [count]
    std::vector<LeftAlone> left_alone;   ///< of the others: whom, and why
    std::vector<ThreadFigures> threads;  ///< the first kMaxFigures
    std::size_t more = 0;                ///< others [count]
    std::vector<std::string> guard;      ///< its decisions, a line each
    std::vector<std::string> notes;      ///< what the metric cannot see
    std::vector<std::string> warnings;   ///< what was said already
};

inline constexpr std::size_t kMaxFigures = 1024;

/// For people: at most `most` threads. @return lines with line feeds
[[nodiscard]] std::string figures_text(const Figures& figures, std::size_t most = 16);
/// The same as a JSON object, with all threads.
[[nodiscard]] std::string figures_json(const Figures& figures);

}  // namespace gimbal::pin
