// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace evrard {
namespace {

namespace fs = std::filesystem;

/// An empty folder for one test, removed with it.
class AtomicFile : public testing::Test {
protected:
    AtomicFile() {
        std::string name = testing::TempDir() + "evrard_atomic_XXXXXX";
        folder_ = ::mkdtemp(name.data());
    }
    ~AtomicFile() override { fs::remove_all(folder_); }

    std::string path(const char* name) const { return (folder_ / name).string(); }
    std::size_t entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }

    fs::path folder_;
};

std::vector<std::byte> bytes(std::size_t count) {
    return std::vector<std::byte>(count, std::byte{'x'});
}

std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(AtomicFile, ReplacesAnOlderFileAsAWhole) {
    write_file(path("a"), bytes(10));
    write_file(path("a"), bytes(3));
    EXPECT_EQ(content(path("a")), "xxx");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicFile, WriteThatFailsHalfwayLeavesTheOldFileAndNothingElse) {
    write_file(path("a"), bytes(10));
    // A limit on file sizes makes write() stop short and then fail, as a full file system does.
    rlimit old{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_THROW(write_file(path("a"), bytes(5000)), std::runtime_error);
    EXPECT_THROW(write_file(path("b"), bytes(5000)), std::runtime_error);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
    EXPECT_EQ(content(path("a")), std::string(10, 'x'));
    EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicFile, SaysWhichFileAndWhy) {
    try {
        write_file(path("missing") + "/a", bytes(1));
        FAIL() << "a missing folder was accepted";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("missing/a"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
    }
    fs::create_directory(path("taken"));
    EXPECT_THROW(write_file(path("taken"), bytes(1)), std::runtime_error);
    EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicFile, FolderIsMadeWithItsParentsButNotOverAFile) {
    make_folder(path("one/two"));
    EXPECT_TRUE(fs::is_directory(path("one/two")));
    EXPECT_NO_THROW(make_folder(path("one/two")));
    write_file(path("file"), bytes(1));
    EXPECT_THROW(make_folder(path("file")), std::runtime_error);
}

}  // namespace
}  // namespace evrard
