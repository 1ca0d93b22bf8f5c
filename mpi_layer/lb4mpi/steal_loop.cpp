// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributed data behind DLS_StartChunk: a StealLoop calls its callbacks, a program of LB4MPI asks for chunks; so the
// loop runs as a coroutine that pauses inside the callbacks.
#include "gimbal/mpi/steal_loop.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"
#include "gimbal/rank_loop.h"
#include "lb4mpi/coroutine.hpp"
#include "lb4mpi/open_loop.hpp"

namespace gimbal::lb4mpi {

namespace {

/// The seed's variable StealRatio, in percent, and its agent; GIMBAL_MPI_STEAL_RATIO beats both.
mpi::StealOptions steal_options() {
    mpi::StealOptions options;
    gimbal_rank_settings settings;
    gimbal_rank_settings_get(&settings);
    if (settings.ratio_given) return options;
    if (settings.agent == GIMBAL_RANK_AGENT_STEALS) options.ratio = -1;
    if (const char* const text = std::getenv("StealRatio")) {
        const std::optional<double> percent = whole_number_text(text);
        if (!percent || !(*percent >= 1 && *percent <= 100)) {
            throw Error(ErrorCode::invalid_option,
                        "StealRatio: \"" + std::string(text) + "\" is not a number in [1, 100]");
        }
        options.ratio = *percent / 100;
    }
    return options;
}

class StealingLoop final : public OpenLoop {
public:
    StealingLoop(MPI_Comm comm, const std::string& name, const Items& items)
        : items_(items), loop_(comm, name, items.count, work(), steal_options()), run_([this] { loop_.run(); }) {}

    mpi::Chunk next() override {
        chunk_ = {};
        run_.resume();
        return chunk_;
    }

    void leave() override {
        if (run_.ended()) return;
        throw Error(ErrorCode::wrong_use, "a loop over distributed data must go on until DLS_Terminated says so",
                    "the others cannot know that this rank's items will not be run");
    }

    bool serves() const noexcept override { return false; }  // chunks are short enough

private:
    [[nodiscard]] std::byte* item(std::int64_t number) const {
        return items_.data + static_cast<std::size_t>(number) * items_.bytes;
    }
    [[nodiscard]] std::size_t bytes_of(std::int64_t count) const {
        return static_cast<std::size_t>(count) * items_.bytes;
    }

    /// Inside the coroutine: have the program run items [first, first + count) of its array.
    void run_by_program(std::int64_t first, std::int64_t count) {
        chunk_ = {first, first + count};
        run_.pause();
    }

    /// Stolen items change places with the first own ones while the program runs them.
    void run_stolen(std::span<const std::byte> stolen, std::int64_t count, std::vector<std::byte>& results) {
        const std::int64_t room = std::max<std::int64_t>(1, items_.count);
        for (std::int64_t done = 0; done < count;) {
            const std::int64_t part = std::min(room, count - done);
            const std::size_t bytes = bytes_of(part);
            own_.assign(items_.data, items_.data + bytes);
            std::memcpy(items_.data, stolen.data() + bytes_of(done), bytes);
            run_by_program(0, part);
            if (items_.write_back) results.insert(results.end(), items_.data, items_.data + bytes);
            std::memcpy(items_.data, own_.data(), bytes);
            done += part;
        }
    }

    mpi::StealWork work() {
        mpi::StealWork work;
        work.run = [this](auto first, auto count) { run_by_program(first, count); };
        work.pack = [this](auto first, auto count, auto& bytes) {
            bytes.insert(bytes.end(), item(first), item(first + count));
        };
        work.run_stolen = [this](int, auto, auto count, auto stolen, auto& results) {
            run_stolen(stolen, count, results);
        };
        if (items_.write_back) {
            work.accept = [this](auto first, auto, auto results) {
                if (!results.empty()) std::memcpy(item(first), results.data(), results.size());
            };
        }
        return work;
    }

    Items items_;
    mpi::Chunk chunk_;
    std::vector<std::byte> own_;  ///< own items that stolen ones have pushed aside
    mpi::StealLoop loop_;
    Coroutine run_;
};

}  // namespace

std::unique_ptr<OpenLoop> open_steal_loop(MPI_Comm comm, const std::string& name, const Items& items) {
    return std::make_unique<StealingLoop>(comm, name, items);
}

}  // namespace gimbal::lb4mpi
