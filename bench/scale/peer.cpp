// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scale_peer [name=value ...]: the synthetic loop (synthetic.hpp) run by one master and its workers, the single-level
// protocol of DLS4LB, with plain MPI and without Gimbal. Written from its description:
//   Rank 0, the foreman, sends everybody a first chunk. A worker asks for the next one when 15 % of its chunk are left
//   (two numbers each way, one message each way a chunk). The foreman works too: it looks for questions between its own
//   iterations, one by one, which is as often as that protocol can, answers all that are there, and waits for one when
//   it has nothing left to run. Chunks are factoring's (FAC2): P equal ones of half of what remains.
// DLS4LB loses iterations when loops follow each other without a barrier; here a barrier stands between them.
#include "synthetic.hpp"

namespace {

constexpr int kTagWork = 1;
constexpr int kTagRequest = 2;
constexpr double kAskWhenLeft = 0.15;  // of a chunk

struct Chunk {
    std::int64_t first = 0;
    std::int64_t size = 0;  ///< 0: nothing is left
};

/// Factoring: batches of P equal chunks.
class Factoring {
public:
    Factoring(std::int64_t iterations, int ranks) : left_(iterations), ranks_(ranks) {}

    Chunk next() {
        if (in_batch_ == 0) {
            size_ = std::max<std::int64_t>(1, (left_ + 2 * ranks_ - 1) / (2 * ranks_));
            in_batch_ = ranks_;
        }
        --in_batch_;
        const Chunk chunk{.first = first_, .size = std::min(size_, left_)};
        first_ += chunk.size;
        left_ -= chunk.size;
        return chunk;
    }

private:
    std::int64_t first_ = 0;
    std::int64_t left_;
    std::int64_t ranks_;
    std::int64_t size_ = 0;
    std::int64_t in_batch_ = 0;
};

class Foreman {
public:
    Foreman(const scale::Setting& setting, const scale::Costs& costs)
        : setting_(setting), costs_(costs), chunks_(setting.iterations(), setting.ranks) {}

    void run(int execution, scale::Done& done) {
        Chunk own = chunks_.next();
        for (int rank = 1; rank < setting_.ranks; ++rank) send(rank, chunks_.next());
        while (own.size > 0 || working_ > 0) {
            serve(own.size == 0);
            if (own.size == 0) continue;
            scale::run(setting_, costs_, own.first, own.first + 1, execution, done);
            ++own.first;
            if (--own.size == 0) own = chunks_.next();
        }
    }

private:
    void send(int rank, const Chunk& chunk) {
        const std::array<std::int64_t, 2> text{chunk.first, chunk.size};
        if (chunk.size > 0) {
            if (!is_working(rank)) ++working_;
            is_working(rank) = 1;
        } else {
            if (is_working(rank)) --working_;
            is_working(rank) = 0;
        }
        MPI_Send(text.data(), 2, MPI_INT64_T, rank, kTagWork, MPI_COMM_WORLD);
    }

    // All questions that are there. @param wait  for the first one
    void serve(bool wait) {
        for (;;) {
            MPI_Status status;
            std::array<double, 2> times{};
            if (wait && working_ > 0) {
                // Not by MPI_Probe: looks that take no time would wait for ever in virtual time.
                MPI_Recv(times.data(), 2, MPI_DOUBLE, MPI_ANY_SOURCE, kTagRequest, MPI_COMM_WORLD, &status);
            } else {
                int there = 0;
                MPI_Iprobe(MPI_ANY_SOURCE, kTagRequest, MPI_COMM_WORLD, &there, &status);
                if (!there) return;
                MPI_Recv(times.data(), 2, MPI_DOUBLE, status.MPI_SOURCE, kTagRequest, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            }
            wait = false;
            send(status.MPI_SOURCE, chunks_.next());
        }
    }

    char& is_working(int rank) { return working_ranks_[static_cast<std::size_t>(rank)]; }

    const scale::Setting& setting_;
    const scale::Costs& costs_;
    Factoring chunks_;
    int working_ = 0;
    std::vector<char> working_ranks_ = std::vector<char>(static_cast<std::size_t>(setting_.ranks));
};

void work(const scale::Setting& setting, const scale::Costs& costs, int execution, scale::Done& done) {
    for (;;) {
        std::array<std::int64_t, 2> text{};
        MPI_Recv(text.data(), 2, MPI_INT64_T, 0, kTagWork, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const Chunk chunk{.first = text[0], .size = text[1]};
        if (chunk.size == 0) return;
        const auto ahead = static_cast<std::int64_t>(kAskWhenLeft * static_cast<double>(chunk.size));
        const std::int64_t ask_at = chunk.first + chunk.size - ahead;
        const double took_s = scale::run(setting, costs, chunk.first, ask_at, execution, done);
        const std::array<double, 2> times{took_s, 0};
        MPI_Send(times.data(), 2, MPI_DOUBLE, 0, kTagRequest, MPI_COMM_WORLD);
        if (ahead > 0) scale::run(setting, costs, ask_at, chunk.first + chunk.size, execution, done);
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    scale::Setting setting;
    if (!scale::read(setting, argc, argv)) MPI_Abort(MPI_COMM_WORLD, 2);
    const scale::Costs costs(setting);
    const std::uint64_t before = scale::messages();
    const auto executions = scale::run_all(setting, [&](int e, scale::Done& done) {
        if (setting.rank == 0) {
            Foreman(setting, costs).run(e, done);
        } else {
            work(setting, costs, e, done);
        }
    });
    const bool once = scale::print(setting, costs, executions, scale::messages() - before, 0, "master-worker");
    MPI_Finalize();
    return once ? 0 : 1;
}
