// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations have requests (MPI_Rget_accumulate instead of MPI_Fetch_and_op and a flush, which waits inside of MPI):
// then a rank that waits can yield. A result that is back says that the operation is done at rank 0.
#include "loop/rma_window.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "team/errors.hpp"
#include "team/meeting.hpp"
#include "team/wait.hpp"

namespace gimbal::mpi {

namespace {

/// Memory of rank 0 in few windows, each larger than the one before: MPI takes long to make one. Open MPI takes the
/// memory, too, whether or not it is used.
class RmaMemory : public Member {
public:
    struct Part {
        MPI_Win window = MPI_WIN_NULL;
        std::size_t at = 0;           ///< where it begins there [bytes]
        std::byte* memory = nullptr;  ///< rank 0: the same as an address
        bool unified = false;         ///< rank 0 sees there what others write
    };

    static RmaMemory& of(Team& team) {
        if (Member* const made = team.find("rma", "memory")) return static_cast<RmaMemory&>(*made);
        return static_cast<RmaMemory&>(team.make_member("rma", "memory", "memory for one-sided operations",
                                                        [&] { return std::make_unique<RmaMemory>(team); }));
    }

    explicit RmaMemory(Team& team) : team_(team) {}
    ~RmaMemory() override {
        for (Window& window : windows_) {
            MPI_Win_unlock_all(window.whole.window);
            MPI_Win_free(&window.whole.window);
        }
    }

    /// Collective: all ranks take the same in the same order. @errors gimbal::Error(mpi)
    [[nodiscard]] Part take(std::size_t bytes) {
        bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
        if (windows_.empty() || windows_.back().left < bytes) add(bytes);
        Window& window = windows_.back();
        Part part = window.whole;
        part.at = window.used;
        if (part.memory) part.memory += window.used;
        window.used += bytes;
        window.left -= bytes;
        return part;
    }

private:
    static constexpr std::size_t kAlignment = 128;
    static constexpr std::size_t kFirstWindow = std::size_t{4} << 20U;
    static constexpr std::size_t kLargestWindow = std::size_t{32} << 20U;

    struct Window {
        Part whole;
        std::size_t used = 0;
        std::size_t left = 0;
    };

    // Where MPI keeps two copies of a window, rank 0 must not write to a part while others use another one.
    void add(std::size_t bytes) {
        const bool root = team_.rank() == 0;
        const std::size_t size = std::max(bytes, std::min(kFirstWindow << windows_.size(), kLargestWindow));
        void* base = nullptr;
        Window made;
        check(MPI_Win_allocate(root ? static_cast<MPI_Aint>(size) : 0, 1, MPI_INFO_NULL, team_.comm(), &base,
                               &made.whole.window),
              "MPI_Win_allocate");
        check(MPI_Win_set_errhandler(made.whole.window, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
        int* model = nullptr;
        int found = 0;
        check(MPI_Win_get_attr(made.whole.window, MPI_WIN_MODEL, static_cast<void*>(&model), &found),
              "MPI_Win_get_attr");
        made.whole.unified = found && *model == MPI_WIN_UNIFIED;
        if (root) made.whole.memory = static_cast<std::byte*>(base);
        made.left = made.whole.unified ? size : bytes;
        check(MPI_Win_lock_all(0, made.whole.window), "MPI_Win_lock_all");
        windows_.push_back(made);
    }

    Team& team_;
    std::vector<Window> windows_;
};

void await(int count, MPI_Request* requests) {
    std::array<MPI_Status, 8> statuses;
    for (Wait wait;; wait.pause()) {
        int done = 0;
        check(MPI_Testall(count, requests, &done, statuses.data()), "MPI_Testall");
        if (done) return;
    }
}

}  // namespace

RmaWindow::RmaWindow(Team& team, std::size_t bytes, const Zeroed& zeroed, std::span<const First> first) {
    const RmaMemory::Part part = RmaMemory::of(team).take(bytes);
    window_ = part.window;
    base_ = part.at;
    if (team.rank() == 0) {
        for (std::size_t at = 0; at < bytes; at += zeroed.every) std::memset(part.memory + at, 0, zeroed.bytes);
        for (const First& word : first) std::memcpy(part.memory + word.at, &word.value, sizeof word.value);
        if (part.unified) own_ = reinterpret_cast<const volatile std::uint64_t*>(part.memory);
    }
    check(MPI_Win_sync(window_), "MPI_Win_sync");
    await_all(team.comm());
}

std::uint64_t RmaWindow::add(std::size_t at, std::uint64_t value) {
    std::uint64_t before = 0;
    Batch batch(*this);
    batch.add(at, value, &before);
    batch.wait();
    return before;
}

std::uint64_t RmaWindow::read(std::size_t at) {
    std::uint64_t value = 0;
    Batch batch(*this);
    batch.read(at, &value);
    batch.wait();
    return value;
}

void RmaWindow::put(std::size_t at, const void* from, std::size_t bytes) {
    const auto count = static_cast<int>(bytes);
    check(MPI_Put(from, count, MPI_BYTE, 0, static_cast<MPI_Aint>(base_ + at), count, MPI_BYTE, window_), "MPI_Put");
    check(MPI_Win_flush(0, window_), "MPI_Win_flush");
}

void RmaWindow::get(std::size_t at, void* to, std::size_t bytes) {
    const auto count = static_cast<int>(bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Rget(to, count, MPI_BYTE, 0, static_cast<MPI_Aint>(base_ + at), count, MPI_BYTE, window_, &request),
          "MPI_Rget");
    await(1, &request);
}

void RmaWindow::Batch::begin(std::size_t at, std::uint64_t operand, MPI_Op op, std::uint64_t* result) {
    if (count_ == kMax) wait();
    operands_[count_] = operand;
    std::uint64_t* const to = result ? result : &unwanted_[count_];
    check(MPI_Rget_accumulate(&operands_[count_], 1, MPI_UINT64_T, to, 1, MPI_UINT64_T, 0,
                              static_cast<MPI_Aint>(window_.base_ + at), 1, MPI_UINT64_T, op, window_.window_,
                              &requests_[count_]),
          "MPI_Rget_accumulate");
    ++count_;
}

void RmaWindow::Batch::add(std::size_t at, std::uint64_t value, std::uint64_t* before) {
    begin(at, value, MPI_SUM, before);
}

void RmaWindow::Batch::read(std::size_t at, std::uint64_t* value) {
    begin(at, 0, MPI_NO_OP, value);
}

void RmaWindow::Batch::store(std::size_t at, std::uint64_t value) {
    begin(at, value, MPI_REPLACE, nullptr);
}

void RmaWindow::Batch::wait() {
    await(static_cast<int>(count_), requests_.data());
    count_ = 0;
}

}  // namespace gimbal::mpi
