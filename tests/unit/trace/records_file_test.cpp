// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is written to a file of records is read from it: while it grows, when it is full, damaged, or its process
// killed.
#include "trace/records_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "gimbal/error.hpp"
#include "trace/recorder.hpp"

namespace gimbal {
namespace {

constexpr std::uint64_t kRoomy = 64U << 20U;

class RecordsFileTest : public testing::Test {
protected:
    void SetUp() override { std::filesystem::create_directories(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    TraceFile& create(std::uint64_t limit = kRoomy) {
        TraceFileHeader header;
        header.magic = TraceFileHeader::kMagic;
        header.version = TraceFileHeader::kVersion;
        header.rank = 3;
        std::string refusal;
        TraceFile* const made = TraceFile::create(path_, header, limit, refusal);
        EXPECT_NE(made, nullptr) << refusal;
        files_.push_back(made);
        return *made;
    }

    /// Payloads of one thread's records, in their order.
    static std::vector<std::uint64_t> payloads(RecordsFile& file, const RecordsFile::Thread& thread) {
        std::vector<std::uint64_t> all;
        for (const std::uint64_t place : thread.blocks) {
            const TraceBlock& block = file.block(place);
            for (std::uint64_t i = 0; i < block.header.count; ++i) all.push_back(block.records[i].payload);
        }
        return all;
    }

    /// Of files of records, mapped in this process.
    static std::size_t parts_in_memory() {
        std::ifstream maps("/proc/self/maps");
        std::size_t parts = 0;
        for (std::string line; std::getline(maps, line);) parts += line.find(".records-") != std::string::npos ? 1 : 0;
        return parts;
    }

    static void expect_ascending_from_0(const std::vector<std::uint64_t>& all) {
        for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
    }

    std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("trace_test." + std::to_string(getpid()));
    std::string path_ = folder_ / "records";
    // As in a process they are never closed; here they would be leaks to a sanitizer.
    inline static auto& files_ = *new std::vector<TraceFile*>;
};

TEST_F(RecordsFileTest, HasEveryRecordOfEveryThreadInItsOrderWhileTheyAreWritten) {
    TraceFile& file = create();
    TraceRing first(file, file.map_block(0, 100)), second(file, file.map_block(1, 101));
    const std::uint64_t many = 3 * TraceBlock::kRecords + 5;
    for (std::uint64_t i = 0; i < many; ++i) {
        first.put(TraceKind::chunk, i);
        if (i % 2 == 0) second.put(TraceKind::steal, i / 2);
        if (i == 10 || i + 1 == many) {
            RecordsFile read(path_);
            EXPECT_EQ(read.header().rank, 3);
            ASSERT_EQ(read.threads().size(), 2U);
            EXPECT_EQ(read.threads()[1].system_id, 101U);
            const auto seen = payloads(read, read.threads()[0]);
            EXPECT_EQ(seen.size(), i + 1);
            expect_ascending_from_0(seen);
            expect_ascending_from_0(payloads(read, read.threads()[1]));
            EXPECT_EQ(read.dropped(), 0U);
        }
    }
}

TEST_F(RecordsFileTest, WhatHasNoRoomIsCountedAndWhatCameBeforeStays) {
    TraceFile& file = create(4 * TraceBlock::kBytes);  // the header, a block of each thread, a full one
    TraceRing ring(file, file.map_block(0, 100));
    EXPECT_NE(file.map_block(1, 101), nullptr);
    const std::uint64_t many = 5 * TraceBlock::kRecords + 7;
    for (std::uint64_t i = 0; i < many; ++i) ring.put(TraceKind::chunk, i);
    RecordsFile read(path_);
    const auto seen = payloads(read, read.threads()[0]);
    EXPECT_EQ(seen.size() + read.dropped(), many);
    EXPECT_GT(read.dropped(), 0U);
    for (std::uint64_t i = 0; i < TraceBlock::kRecords; ++i) ASSERT_EQ(seen[i], i);
    EXPECT_EQ(seen.back(), many - 1) << "the last ones are there, too";
    EXPECT_LE(std::filesystem::file_size(path_), 4 * TraceBlock::kBytes);
    EXPECT_EQ(file.map_block(2, 102), nullptr);
}

// As daemons and launchers do; then files of the program have the numbers that were free.
TEST_F(RecordsFileTest, AProgramThatClosesAllDescriptorsKeepsItsFilesAndItsTrace) {
    TraceFile& file = create();
    TraceRing ring(file, file.map_block(0, 100));
    const std::uint64_t each = 2 * TraceBlock::kRecords;
    std::uint64_t written = 0;
    for (const bool gone : {false, true}) {
        for (int number = 3; number < 64; ++number) close(number);
        std::vector<int> own;
        for (int i = 0; i < 20; ++i) {
            own.push_back(open((folder_ / std::to_string(i)).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600));
            ASSERT_EQ(write(own.back(), "own", 3), 3);
        }
        // A file of the trace's name that is another one is not the trace.
        if (gone) {
            std::filesystem::rename(path_, folder_ / "moved");
            std::ofstream(path_) << "other";
        }
        for (std::uint64_t i = 0; i < each; ++i) ring.put(TraceKind::chunk, written++);
        for (int i = 0; i < 20; ++i) EXPECT_EQ(std::filesystem::file_size(folder_ / std::to_string(i)), 3U);
        for (const int number : own) EXPECT_EQ(close(number), 0);
        RecordsFile read(gone ? folder_ / "moved" : std::filesystem::path(path_));
        const auto seen = payloads(read, read.threads()[0]);
        EXPECT_EQ(seen.size() + read.dropped(), written);
        EXPECT_EQ(read.dropped() > 0, gone);
        if (!gone) expect_ascending_from_0(seen);
    }
    EXPECT_EQ(std::filesystem::file_size(path_), 5U);
}

TEST_F(RecordsFileTest, ALargeChunkTakesTwoRecords) {
    TraceFile& file = create();
    TraceRing ring(file, file.map_block(0, 100));
    ring.put_chunk(1, 5, 6);
    ring.put_chunk(2, 1ULL << 50U, 3);
    RecordsFile read(path_);
    const TraceBlock& block = read.block(read.threads()[0].blocks[0]);
    ASSERT_EQ(block.header.count, 3U);
    EXPECT_EQ(kind_of(block.records[0]), TraceKind::chunk);
    EXPECT_EQ(block.records[0].payload, 5ULL << kChunkBits | 6U);
    EXPECT_EQ(kind_of(block.records[1]), TraceKind::chunk_first);
    EXPECT_EQ(block.records[1].payload, 1ULL << 50U);
    EXPECT_EQ(kind_of(block.records[2]), TraceKind::chunk_size);
    EXPECT_EQ(block.records[2].payload, 3U);
}

TEST_F(RecordsFileTest, OtherFilesAndOtherVersionsAreRefused) {
    EXPECT_THROW(RecordsFile{path_}, Error) << "there is none";
    std::ofstream(path_) << "gimbal records\n";
    EXPECT_THROW(RecordsFile{path_}, Error) << "too short";
    TraceFile& file = create();
    EXPECT_NO_THROW(RecordsFile{path_});
    file.header().version = TraceFileHeader::kVersion + 1;
    EXPECT_THROW(RecordsFile{path_}, Error);
}

TEST_F(RecordsFileTest, ADamagedBlockIsLeftOutAndTheOthersCount) {
    TraceFile& file = create();
    TraceBlock& first = *file.map_block(0, 100);
    TraceRing damaged(file, &first), whole(file, file.map_block(1, 101));
    damaged.put(TraceKind::chunk, 0);
    whole.put(TraceKind::chunk, 0);
    first.header.count = TraceBlock::kRecords + 1;
    std::filesystem::resize_file(path_, std::filesystem::file_size(path_) + 100);  // the beginning of a block
    RecordsFile read(path_);
    ASSERT_EQ(read.threads().size(), 1U);
    EXPECT_EQ(read.threads()[0].number, 1U);
    EXPECT_EQ(read.damaged(), 1U);
    EXPECT_TRUE(read.cut());
}

TEST_F(RecordsFileTest, RoomThatNobodyHasWrittenIntoIsNoDamage) {
    TraceFile& file = create();
    TraceRing whole(file, file.map_block(0, 100));
    whole.put(TraceKind::chunk, 0);
    std::filesystem::resize_file(path_, std::filesystem::file_size(path_) + TraceBlock::kBytes);
    const RecordsFile read(path_);
    EXPECT_EQ(read.threads().size(), 1U);
    EXPECT_EQ(read.damaged(), 0U);
    EXPECT_FALSE(read.cut());
}

TEST_F(RecordsFileTest, AKilledProcessLeavesItsRecordsUpToThere) {
    for (const int pause : {1, 20, 300}) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            TraceFile& file = create();
            TraceRing ring(file, file.map_block(0, 100));
            for (std::uint64_t i = 0;; ++i) ring.put(TraceKind::chunk, i);
        }
        const auto recorded = [&] {
            try {
                RecordsFile read(path_);
                return read.threads().empty() ? 0 : payloads(read, read.threads()[0]).size();
            } catch (const Error&) {
                return std::size_t{0};
            }
        };
        while (recorded() < static_cast<std::size_t>(pause)) sched_yield();
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        RecordsFile read(path_);
        ASSERT_EQ(read.threads().size(), 1U);
        const auto seen = payloads(read, read.threads()[0]);
        EXPECT_GE(seen.size(), static_cast<std::size_t>(pause));
        if (read.dropped() == 0) expect_ascending_from_0(seen);
        std::filesystem::remove(path_);
    }
}

TEST_F(RecordsFileTest, TextsHaveOneNumberEachAndAreWholeAlsoAtTheEndOfABlock) {
    start_trace(path_, kRoomy, {}, [](std::string path) { return path; });
    EXPECT_TRUE(tracing());
    std::map<std::uint32_t, std::string> told;
    for (int i = 0; i < 2000; ++i) {
        const std::string text = "loop " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 61), '.');
        const std::uint32_t number = trace_text(text);
        ASSERT_NE(number, 0U);
        told[number] = text;
        ASSERT_EQ(trace_text(text), number);
    }
    EXPECT_EQ(told.size(), 2000U);
    constexpr std::size_t kThreads = 100;
    for (std::size_t i = 0; i < kThreads; ++i) std::thread([] { trace(TraceKind::call_begin, 1); }).join();
    EXPECT_LE(parts_in_memory(), 3U) << "of threads that have ended";
    const std::string file = finish_trace();
    EXPECT_EQ(file, path_ + ".records-" + std::to_string(getpid()));
    EXPECT_FALSE(tracing());
    trace(TraceKind::call_end, 1);  // too late
    RecordsFile read(file);
    EXPECT_EQ(read.texts(), told);
    ASSERT_EQ(read.threads().size(), kThreads + 1);
    EXPECT_GT(read.header().last_ticks, read.header().start_ticks);
    for (const RecordsFile::Thread& thread : read.threads()) {
        if (thread.system_id != 0) {
            EXPECT_EQ(payloads(read, thread), std::vector<std::uint64_t>{1});
        }
    }
}

}  // namespace
}  // namespace gimbal
