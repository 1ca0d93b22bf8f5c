// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scale_loop [name=value ...]: the synthetic loop (synthetic.hpp) run by Gimbal, several executions in a row, and one
// line of JSON. Native, or simulated under smpirun: the same program.
//   schedule=static-blocks      equal blocks, without Gimbal
//   schedule=steal-nearest      StealLoop over equal blocks; steal-seed
//   schedule=fac2, auto, ...    Loop with that schedule; GIMBAL_MPI_TRANSPORT names a transport
#include "synthetic.hpp"

#include "gimbal/mpi/loop.hpp"
#include "gimbal/mpi/steal_loop.hpp"

namespace {

constexpr std::size_t kItemBytes = 64;   // of a stolen item
constexpr std::size_t kResultBytes = 8;  // of its result

/// The blocks that ranks own.
struct Block {
    std::int64_t first;
    std::int64_t end;
};

Block block_of(const scale::Setting& setting, int rank) {
    return {.first = setting.per_rank * rank, .end = setting.per_rank * (rank + 1)};
}

class Runner {
public:
    Runner(const scale::Setting& setting, const scale::Costs& costs) : setting_(setting), costs_(costs) {}

    void run(int execution, scale::Done& done) {
        if (setting_.schedule == "static-blocks") {
            const Block own = block_of(setting_, setting_.rank);
            scale::run(setting_, costs_, own.first, own.end, execution, done);
        } else if (setting_.schedule.starts_with("steal-")) {
            steal(execution, done);
        } else {
            gimbal::mpi::Loop loop(MPI_COMM_WORLD, "synthetic", setting_.iterations(),
                                   {.schedule = setting_.schedule});
            ran_by_ = loop.transport();
            while (const auto chunk = loop.next())
                scale::run(setting_, costs_, chunk.first, chunk.end, execution, done);
        }
    }

    /// The first use is collective: without iterations it is that alone.
    void set_up() {
        if (setting_.schedule == "static-blocks") return;
        if (setting_.schedule.starts_with("steal-")) {
            scale::Done none;
            steal_items(0, 0, none);
        } else {
            gimbal::mpi::Loop loop(MPI_COMM_WORLD, "synthetic", 0, {.schedule = setting_.schedule});
            while (loop.next()) {
            }
        }
    }

    [[nodiscard]] std::string ran_by() const { return ran_by_; }

private:
    void steal(int execution, scale::Done& done) { steal_items(execution, setting_.per_rank, done); }

    void steal_items(int execution, std::int64_t owned, scale::Done& done) {
        const auto run_items = [&](int owner, std::int64_t first, std::int64_t count) {
            const std::int64_t begin = block_of(setting_, owner).first + first;
            scale::run(setting_, costs_, begin, begin + count, execution, done);
        };
        gimbal::mpi::StealWork work;
        work.run = [&](std::int64_t first, std::int64_t count) { run_items(setting_.rank, first, count); };
        work.pack = [](std::int64_t, std::int64_t count, std::vector<std::byte>& items) {
            items.resize(items.size() + static_cast<std::size_t>(count) * kItemBytes);
        };
        work.run_stolen = [&](int owner, std::int64_t first, std::int64_t count, std::span<const std::byte>,
                              std::vector<std::byte>& results) {
            run_items(owner, first, count);
            results.resize(results.size() + static_cast<std::size_t>(count) * kResultBytes);
        };
        work.accept = [](std::int64_t, std::int64_t, std::span<const std::byte>) {};
        gimbal::mpi::StealOptions options;
        options.rule = setting_.schedule == "steal-seed" ? gimbal::mpi::StealOptions::Rule::seed
                                                         : gimbal::mpi::StealOptions::Rule::nearest;
        gimbal::mpi::StealLoop loop(MPI_COMM_WORLD, "synthetic", owned, std::move(work), options);
        static_cast<void>(loop.run());
        ran_by_ = "steal";
    }

    const scale::Setting& setting_;
    const scale::Costs& costs_;
    std::string ran_by_ = "blocks";
};

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    scale::Setting setting;
    if (!scale::read(setting, argc, argv)) MPI_Abort(MPI_COMM_WORLD, 2);
    bool once = true;
    try {
        const scale::Costs costs(setting);
        Runner runner(setting, costs);
        MPI_Barrier(MPI_COMM_WORLD);
        const double before_s = MPI_Wtime();
        runner.set_up();
        MPI_Barrier(MPI_COMM_WORLD);
        const double setup_s = MPI_Wtime() - before_s;
        const std::uint64_t before = scale::messages();
        const auto executions = scale::run_all(setting, [&](int e, scale::Done& done) { runner.run(e, done); });
        once = scale::print(setting, costs, executions, scale::messages() - before, setup_s, runner.ran_by());
    } catch (const gimbal::Error& error) {
        std::fprintf(stderr, "scale_loop: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Finalize();
    return once ? 0 : 1;
}
