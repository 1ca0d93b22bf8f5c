// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ended_inside run|pack|run_stolen|accept finalize|free: a callback of a loop over distributed data ends MPI, or frees
// the communicator, and returns. The others go on to the end, and run() of that rank says what happened. Rank 0 owns
// all items.
#include <mpi.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "gimbal/mpi/steal_loop.hpp"

namespace {

enum class Ending { finalize, free };

class Program {
public:
    Program(std::string_view where, Ending ending) : where_(where), ending_(ending) {
        int rank = 0, size = 0;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
        MPI_Comm_rank(comm_, &rank);
        MPI_Comm_size(comm_, &size);
        owned_ = rank == 0 ? 600 : 0;
        ends_ = rank == (where == "run_stolen" ? size - 1 : 0);
    }

    /// @return whether all went as it should
    bool run() {
        bool good = !ends_;
        try {
            gimbal::mpi::StealLoop(comm_, "ended inside", owned_, work(), {.run_at_once = 1}).run();
        } catch (const gimbal::Error& error) {
            const std::string_view said = error.what();
            const std::string call = ending_ == Ending::finalize ? "MPI_Finalize" : "MPI_Comm_free";
            if (ends_) std::printf("run() said: %s\n", error.what());
            good = said.find(ends_ ? "a callback called " + call : "before the end of the loop") != said.npos;
        }
        end();
        return good;
    }

private:
    void end() {
        if (over_) return;
        over_ = true;
        if (ending_ == Ending::free) MPI_Comm_free(&comm_);
        if (ending_ == Ending::finalize) MPI_Finalize();
    }
    void at(std::string_view here) {
        if (ends_ && here == where_ && ++calls_ == 3) end();
    }

    gimbal::mpi::StealWork work() {
        gimbal::mpi::StealWork work;
        work.run = [this](auto, auto count) {
            usleep(static_cast<useconds_t>(500 * count));
            at("run");
        };
        work.pack = [this](auto, auto count, auto& items) {
            at("pack");
            items.resize(items.size() + static_cast<std::size_t>(count), std::byte{7});
        };
        work.run_stolen = [this](auto, auto, auto count, auto items, auto& results) {
            usleep(static_cast<useconds_t>(500 * count));
            at("run_stolen");
            results.insert(results.end(), items.begin(), items.end());
        };
        work.accept = [this](auto, auto, auto results) {
            at("accept");
            for (const std::byte one : results)
                if (one != std::byte{7}) std::printf("FAILED: a result is wrong\n");
        };
        return work;
    }

    std::string_view where_;
    Ending ending_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::int64_t owned_ = 0;
    bool ends_ = false;
    bool over_ = false;
    int calls_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc != 3) return 2;
    const Ending ending = std::string_view(argv[2]) == "free" ? Ending::free : Ending::finalize;
    const bool good = Program(argv[1], ending).run();
    if (ending == Ending::free) MPI_Finalize();
    return good ? 0 : 1;
}
