// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <vector>

namespace gimbal::smpi {

/// What a collective call asks for. Barrier: reduces and broadcasts nothing.
struct CollectiveCall {
    const void* in = nullptr;
    void* out = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
    MPI_Op op = MPI_OP_NULL;
    int root = 0;
    bool reduces = false;     ///< to the root
    bool broadcasts = false;  ///< from the root
    MPI_Comm comm = MPI_COMM_NULL;
};

/// One collective call in progress, on one rank: a reduction up a binomial tree, a broadcast down it, or one after the
/// other. Ranks that others of the tree wait for must look (complete()), as with MPIs that make no progress by
/// themselves.
class Collective {
public:
    /// Local, but for the first on a communicator of the program.
    explicit Collective(const CollectiveCall& call);
    Collective(const Collective&) = delete;
    Collective& operator=(const Collective&) = delete;
    ~Collective() = default;

    /// Go on as far as possible. @return whether this rank is through
    [[nodiscard]] bool complete();

private:
    enum class Phase : unsigned char { reduce, broadcast, leave };
    [[nodiscard]] int actual(int relative) const noexcept;
    void send(int relative, int tag);
    [[nodiscard]] bool receive(int relative, int tag);
    [[nodiscard]] bool reduced();
    void begin_broadcast();
    [[nodiscard]] bool was_broadcast();
    [[nodiscard]] bool sent();

    CollectiveCall call_;
    MPI_Comm comm_;
    int rank_ = 0, size_ = 1, relative_ = 0;  // relative_: to the root
    int tag_ = 0;
    std::size_t bytes_ = 0;
    std::vector<std::byte> data_, incoming_;
    Phase phase_ = Phase::leave;
    int distance_ = 1;  // in the tree, to the rank that is looked at
    bool told_ = false;
    std::deque<MPI_Request> sends_;
};

/// This communicator is Gimbal's own: nobody else sends messages there.
void note_own(MPI_Comm comm);
/// It is about to be freed.
void forget(MPI_Comm comm);

}  // namespace gimbal::smpi
