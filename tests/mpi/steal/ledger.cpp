// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/ledger.hpp"

#include <array>
#include <cstring>

#include "support/yielding.hpp"

namespace gimbal::test {

namespace {

// What only this item of this rank in this loop has.
std::uint64_t mark(std::uint64_t salt, int owner, std::int64_t item, std::uint64_t use) {
    std::uint64_t bits = salt * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(owner + 1) * 0xD1B54A32D192ED03U +
                         static_cast<std::uint64_t>(item) * 0xBF58476D1CE4E5B9U + use;
    bits = (bits ^ bits >> 30U) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ bits >> 27U) * 0x94D049BB133111EBU;
    return bits ^ bits >> 31U;
}

constexpr std::uint64_t kItem = 1, kResult = 2;

// Every item is the same 8 bytes several times, 0 to 5 times; some items and results are empty.
std::size_t length(std::uint64_t bits) {
    return bits % 6;
}

void append(std::vector<std::byte>& bytes, std::uint64_t bits) {
    for (std::size_t i = 0; i < length(bits); ++i) {
        const std::size_t at = bytes.size();
        bytes.resize(at + sizeof bits);
        std::memcpy(bytes.data() + at, &bits, sizeof bits);
    }
}

bool read(std::span<const std::byte>& bytes, std::uint64_t bits) {
    for (std::size_t i = 0; i < length(bits); ++i) {
        if (bytes.size() < sizeof bits || std::memcmp(bytes.data(), &bits, sizeof bits) != 0) return false;
        bytes = bytes.subspan(sizeof bits);
    }
    return true;
}

}  // namespace

Ledger::Ledger(MPI_Comm comm, std::int64_t owned, std::uint64_t salt)
    : comm_(comm), salt_(salt), ran_here_(static_cast<std::size_t>(owned)), accepted_(static_cast<std::size_t>(owned)) {
    MPI_Comm_rank(comm, &rank_);
}

mpi::StealWork Ledger::work() {
    mpi::StealWork work;
    work.run = [this](auto first, auto count) { run_own(first, count); };
    work.pack = [this](auto first, auto count, auto& items) { pack(first, count, items); };
    work.run_stolen = [this](auto owner, auto first, auto count, auto items, auto& results) {
        run_stolen(owner, first, count, items, results);
    };
    work.accept = [this](auto first, auto count, auto results) { accept(first, count, results); };
    return work;
}

mpi::StealRecord Ledger::run(std::string_view name, const mpi::StealOptions& options) {
    return mpi::StealLoop(comm_, name, static_cast<std::int64_t>(ran_here_.size()), work(), options).run();
}

void Ledger::wrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
}

void Ledger::run_own(std::int64_t first, std::int64_t count) {
    if (count < 1 || first < 0 || first + count > static_cast<std::int64_t>(ran_here_.size()))
        return wrong("run of [" + std::to_string(first) + ", +" + std::to_string(count) + ")");
    for (auto i = first; i < first + count; ++i) {
        ++ran_here_[static_cast<std::size_t>(i)];
        if (on_item) on_item(rank_, i);
    }
}

void Ledger::pack(std::int64_t first, std::int64_t count, std::vector<std::byte>& items) const {
    for (auto i = first; i < first + count; ++i) append(items, mark(salt_, rank_, i, kItem));
}

void Ledger::run_stolen(int owner, std::int64_t first, std::int64_t count, std::span<const std::byte> items,
                        std::vector<std::byte>& results) {
    if (count < 1 || owner == rank_) wrong("stolen from rank " + std::to_string(owner) + ": " + std::to_string(count));
    for (auto i = first; i < first + count; ++i) {
        if (!read(items, mark(salt_, owner, i, kItem)))
            wrong("bytes of item " + std::to_string(i) + " of rank " + std::to_string(owner));
        append(results, mark(salt_, owner, i, kResult));
        if (on_item) on_item(owner, i);
    }
    if (!items.empty())
        wrong("bytes behind item " + std::to_string(first + count) + " of rank " + std::to_string(owner));
    stolen_ += count;
}

void Ledger::accept(std::int64_t first, std::int64_t count, std::span<const std::byte> results) {
    if (count < 1 || first < 0 || first + count > static_cast<std::int64_t>(accepted_.size()))
        return wrong("results of [" + std::to_string(first) + ", +" + std::to_string(count) + ")");
    for (auto i = first; i < first + count; ++i) {
        if (!read(results, mark(salt_, rank_, i, kResult))) wrong("results of item " + std::to_string(i));
        ++accepted_[static_cast<std::size_t>(i)];
    }
    if (!results.empty()) wrong("bytes behind the results of item " + std::to_string(first + count));
}

testing::AssertionResult Ledger::settled(const mpi::StealRecord& record) const {
    if (!wrong_.empty()) return testing::AssertionFailure() << "wrong " << wrong_;
    std::int64_t here = 0, elsewhere = 0;
    for (std::size_t i = 0; i < ran_here_.size(); ++i) {
        if (ran_here_[i] + accepted_[i] != 1)
            return testing::AssertionFailure() << "item " << i << " ran here " << int{ran_here_[i]}
                                               << " times, its results came " << int{accepted_[i]} << " times";
        here += ran_here_[i];
        elsewhere += accepted_[i];
    }
    if (record.own != here || record.given != elsewhere || record.stolen != stolen_)
        return testing::AssertionFailure()
               << "the record says own " << record.own << ", given " << record.given << ", stolen " << record.stolen
               << "; it was " << here << ", " << elsewhere << ", " << stolen_;
    if (record.successes > record.attempts || (record.stolen > 0) != (record.successes > 0))
        return testing::AssertionFailure()
               << record.stolen << " items stolen by " << record.successes << " of " << record.attempts << " attempts";
    return testing::AssertionSuccess();
}

testing::AssertionResult Ledger::exactly_once(const mpi::StealRecord& record) const {
    const testing::AssertionResult mine = settled(record);
    std::array<std::int64_t, 5> sums{mine ? 0 : 1, record.stolen, record.given, record.bytes_in, record.bytes_out};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, sums.data(), 5, MPI_INT64_T, MPI_SUM, comm_, &request);
    wait_yielding(request);
    if (!mine) return mine;
    if (sums[0] > 0) return testing::AssertionFailure() << sums[0] << " other ranks fail";
    if (sums[1] != sums[2] || sums[3] != sums[4])
        return testing::AssertionFailure() << sums[1] << " items stolen, " << sums[2] << " given; " << sums[3]
                                           << " bytes in, " << sums[4] << " out";
    return testing::AssertionSuccess();
}

}  // namespace gimbal::test
