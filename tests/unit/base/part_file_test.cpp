// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/part_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "gimbal/error.hpp"

namespace {

TEST(PartFile, APipeGetsMoreThanItHoldsAtOnce) {
    std::string folder = (std::filesystem::temp_directory_path() / "gimbal-pipe-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/pipe";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    const std::string text(1 << 20, 'x');
    std::size_t read_bytes = 0;
    gimbal::PartFile file(path);
    ASSERT_EQ(fcntl(reader, F_SETFL, 0), 0);  // there is a writer now: wait for it
    std::thread reading([&] {
        std::array<char, 4096> piece{};
        for (ssize_t got = 0; (got = read(reader, piece.data(), piece.size())) > 0;)
            read_bytes += static_cast<std::size_t>(got);
    });
    EXPECT_NO_THROW(file.append(text));
    EXPECT_NO_THROW(file.finish());
    reading.join();
    close(reader);
    EXPECT_EQ(read_bytes, text.size());
    std::filesystem::remove_all(folder);
}

// A program that was started without standard streams, or a daemon that has closed them, prints all the same.
TEST(PartFile, NeverHasTheNumberOfAStandardStream) {
    std::string folder = (std::filesystem::temp_directory_path() / "gimbal-part-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const pid_t child = fork();
    if (child == 0) {
        for (const int number : {0, 1, 2}) close(number);
        gimbal::PartFile file(folder + "/steps.csv");
        file.append("begin\n");
        for (const int number : {0, 1, 2})
            if (write(number, "printed", 7) >= 0) _exit(1 + number);
        for (int number = 3; number < 64; ++number) close(number);  // it is opened again
        file.append("end\n");
        for (const int number : {0, 1, 2})
            if (write(number, "printed", 7) >= 0) _exit(4 + number);
        file.finish();
        _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(gimbal::read_file(folder + "/steps.csv", 100), "begin\nend\n");
    std::filesystem::remove_all(folder);
}

// The program closes all descriptors and has files of its own under the numbers that were free.
TEST(PartFile, IsOpenedAgainWhereTheProgramClosedIt) {
    std::string folder = (std::filesystem::temp_directory_path() / "gimbal-part-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const auto own_files = [&] {
        std::vector<int> own;
        for (int number = 3; number < 64; ++number) close(number);
        for (int i = 0; i < 8; ++i)
            own.push_back(open((folder + "/own" + std::to_string(i)).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600));
        return own;
    };
    const auto expect_untouched = [](const std::vector<int>& own) {
        for (const int number : own) {
            struct stat info {};
            EXPECT_EQ(fstat(number, &info), 0) << "closed";
            EXPECT_EQ(info.st_size, 0);
        }
    };
    {
        gimbal::PartFile file(folder + "/whole");
        file.append("first ");
        const std::vector<int> own = own_files();
        file.append("second");
        file.finish(gimbal::Durable::no);
        expect_untouched(own);
        EXPECT_EQ(gimbal::read_file(folder + "/whole", 100), "first second");
    }
    {
        gimbal::PartFile file(folder + "/gone");
        const std::vector<int> own = own_files();
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.path().string().find("gone") != std::string::npos) std::filesystem::remove(entry.path());
        EXPECT_THROW(file.append("text"), gimbal::Error);
        expect_untouched(own);
        EXPECT_FALSE(std::filesystem::exists(folder + "/gone"));
    }
    std::filesystem::remove_all(folder);
}

// What a forked child disowns stays its parent's.
TEST(PartFile, WhatIsDisownedIsNotRemoved) {
    std::string folder = (std::filesystem::temp_directory_path() / "gimbal-part-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    {
        gimbal::PartFile file(folder + "/whole");
        file.append("text");
        file.disown();
    }
    std::size_t parts = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++parts;
    EXPECT_EQ(parts, 1U);
    std::filesystem::remove_all(folder);
}

}  // namespace
