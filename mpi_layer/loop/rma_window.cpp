// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations have requests (MPI_Rget_accumulate instead of MPI_Fetch_and_op and a flush, which waits inside of MPI):
// then a rank that waits can yield. A result that is back says that the operation is done at rank 0.
#include "loop/rma_window.hpp"

#include <cstring>

#include "loop/wait.hpp"
#include "team/check.hpp"

namespace gimbal::mpi {

namespace {

void await(int count, MPI_Request* requests) {
    std::array<MPI_Status, 8> statuses;
    for (Wait wait;; wait.pause()) {
        int done = 0;
        check(MPI_Testall(count, requests, &done, statuses.data()), "MPI_Testall");
        if (done) return;
    }
}

}  // namespace

RmaWindow::RmaWindow(MPI_Comm comm, std::size_t bytes, const Zeroed& zeroed, std::span<const First> first) {
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    void* base = nullptr;
    const MPI_Aint own = rank == 0 ? static_cast<MPI_Aint>(bytes) : 0;
    check(MPI_Win_allocate(own, 1, MPI_INFO_NULL, comm, &base, &window_), "MPI_Win_allocate");
    check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
    if (rank == 0) {
        for (std::size_t at = 0; at < bytes; at += zeroed.every)
            std::memset(static_cast<std::byte*>(base) + at, 0, zeroed.bytes);
        for (const First& word : first)
            std::memcpy(static_cast<std::byte*>(base) + word.at, &word.value, sizeof word.value);
        int* model = nullptr;
        int found = 0;
        check(MPI_Win_get_attr(window_, MPI_WIN_MODEL, static_cast<void*>(&model), &found), "MPI_Win_get_attr");
        if (found && *model == MPI_WIN_UNIFIED) own_ = static_cast<const volatile std::uint64_t*>(base);
    }
    check(MPI_Win_lock_all(0, window_), "MPI_Win_lock_all");
    check(MPI_Win_sync(window_), "MPI_Win_sync");
    MPI_Request all_here = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(comm, &all_here), "MPI_Ibarrier");
    await(1, &all_here);
}

RmaWindow::~RmaWindow() {
    if (window_ == MPI_WIN_NULL) return;
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
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
    check(MPI_Put(from, count, MPI_BYTE, 0, static_cast<MPI_Aint>(at), count, MPI_BYTE, window_), "MPI_Put");
    check(MPI_Win_flush(0, window_), "MPI_Win_flush");
}

void RmaWindow::get(std::size_t at, void* to, std::size_t bytes) {
    const auto count = static_cast<int>(bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Rget(to, count, MPI_BYTE, 0, static_cast<MPI_Aint>(at), count, MPI_BYTE, window_, &request), "MPI_Rget");
    await(1, &request);
}

void RmaWindow::Batch::begin(std::size_t at, std::uint64_t operand, MPI_Op op, std::uint64_t* result) {
    if (count_ == kMost) wait();
    operands_[count_] = operand;
    std::uint64_t* const to = result ? result : &unwanted_[count_];
    check(MPI_Rget_accumulate(&operands_[count_], 1, MPI_UINT64_T, to, 1, MPI_UINT64_T, 0, static_cast<MPI_Aint>(at), 1,
                              MPI_UINT64_T, op, window_.window_, &requests_[count_]),
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
