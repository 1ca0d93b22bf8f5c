// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/part_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <thread>

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

}  // namespace
