// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kept/folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kept/format.hpp"

namespace {

using namespace gimbal;
namespace fs = std::filesystem;

constexpr std::size_t kMax = 1000;

class KeptFolderTest : public testing::Test {
protected:
    KeptFolderTest() {
        std::string made = fs::temp_directory_path() / "kept-XXXXXX";
        root_ = mkdtemp(made.data());
        folder_ = {root_ / "cache", true};
    }
    ~KeptFolderTest() override { fs::remove_all(root_); }

    [[nodiscard]] fs::path file() const { return fs::path(folder_.path) / name_; }

    fs::path root_;
    KeptFolder folder_;
    std::string name_ = kept_name(0xabc, 8);
};

TEST(KeptPlace, IsWhereUsersKeepCaches) {
    EXPECT_EQ(kept_folder("", "/caches", "/home/me").path, "/caches/gimbal");
    EXPECT_EQ(kept_folder("", "", "/home/me").path, "/home/me/.cache/gimbal");
    EXPECT_EQ(kept_folder("", "relative", "/home/me").path, "/home/me/.cache/gimbal");
    EXPECT_EQ(kept_folder("", "", "").path, "");
    EXPECT_EQ(kept_folder("", "", "home").path, "");
    EXPECT_FALSE(kept_folder("", "/caches", "").named);
}

TEST(KeptPlace, IsWhatTheUserSays) {
    EXPECT_EQ(kept_folder("/scratch/me", "/caches", "/home/me").path, "/scratch/me");
    EXPECT_TRUE(kept_folder("/scratch/me", "", "").named);
    EXPECT_EQ(kept_folder("off", "/caches", "/home/me").path, "");
    EXPECT_EQ(kept_folder("OFF", "/caches", "/home/me").path, "");
}

TEST(KeptPlace, IsOnFileSystemsThatAreKnownToBeLocal) {
    for (const std::uint32_t local : {0xEF53U, 0x58465342U, 0x9123683EU, 0x01021994U, 0x2FC12FC1U, 0x794C7630U})
        EXPECT_TRUE(is_local_file_system(local)) << std::hex << local;
    // NFS, CIFS, Lustre, GPFS, Ceph, FUSE; BeeGFS, PanFS, OrangeFS, 9P, GFS2, OCFS2; one that nobody has heard of.
    for (const std::uint32_t other :
         {0x6969U, 0xFF534D42U, 0x0BD00BD0U, 0x47504653U, 0x00C36400U, 0x65735546U, 0x19830326U, 0xAAD7AAEAU,
          0x20030528U, 0x01021997U, 0x01161970U, 0x7461636FU, 0x12345678U})
        EXPECT_FALSE(is_local_file_system(other)) << std::hex << other;
}

TEST(KeptPlace, NamesDifferByRunAndTeam) {
    EXPECT_EQ(kept_name(0xabc, 8), "0000000000000abc-8.kept");
    EXPECT_EQ(kept_name(UINT64_MAX, 1), "ffffffffffffffff-1.kept");
}

TEST_F(KeptFolderTest, AFileThatNobodyElseCanReadComesToBeWithItsFolders) {
    umask(0);
    ASSERT_TRUE(write_kept(folder_, name_, "what was learnt"));
    EXPECT_EQ(read_kept(folder_, name_, kMax), "what was learnt");
    struct stat found {};
    ASSERT_EQ(stat(file().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0600U);
    ASSERT_EQ(stat(folder_.path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0700U);
    ASSERT_TRUE(write_kept(folder_, name_, "more"));
    EXPECT_EQ(read_kept(folder_, name_, kMax), "more");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path), {}), 1) << "nothing else is left";
}

TEST_F(KeptFolderTest, AllFoldersAroundItComeToBeUnlessTheUserNamedIt) {
    umask(0);
    folder_ = {root_ / "of" / "each" / "job" / "gimbal", true};
    EXPECT_FALSE(write_kept(folder_, name_, "learnt")) << "the user's own name may be misspelt";
    EXPECT_TRUE(fs::is_empty(root_));
    folder_.named = false;
    struct statfs system {};
    if (statfs(root_.c_str(), &system) != 0 || !is_local_file_system(static_cast<std::uint32_t>(system.f_type)))
        GTEST_SKIP() << "the temporary folder is on no local file system";
    ASSERT_TRUE(write_kept(folder_, name_, "what was learnt"));
    EXPECT_EQ(read_kept(folder_, name_, kMax), "what was learnt");
    struct stat found {};
    for (fs::path made = folder_.path; made != root_; made = made.parent_path()) {
        ASSERT_EQ(stat(made.c_str(), &found), 0);
        EXPECT_EQ(found.st_mode & 07777U, 0700U) << made;
    }
}

TEST_F(KeptFolderTest, OnlyAPlainFileOfTheUsersOwnIsRead) {
    EXPECT_EQ(read_kept(folder_, name_, kMax), "");
    ASSERT_TRUE(write_kept(folder_, name_, "text"));
    EXPECT_EQ(read_kept(folder_, name_, 3), "") << "it is larger than that";
    chmod(file().c_str(), 0620);
    EXPECT_EQ(read_kept(folder_, name_, kMax), "") << "others can write to it";
    fs::remove(file());
    std::ofstream(root_ / "elsewhere") << "text";
    chmod((root_ / "elsewhere").c_str(), 0600);
    fs::create_symlink(root_ / "elsewhere", file());
    EXPECT_EQ(read_kept(folder_, name_, kMax), "") << "it is a link";
    fs::remove(file());
    ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
    EXPECT_EQ(read_kept(folder_, name_, kMax), "") << "it is a pipe, and nobody waits for it";
    fs::remove(file());
    fs::create_directory(file());
    EXPECT_EQ(read_kept(folder_, name_, kMax), "") << "it is a folder";
}

TEST_F(KeptFolderTest, ALinkIsReplacedAndWhatItLeadsToStays) {
    fs::create_directories(folder_.path);
    std::ofstream(root_ / "precious") << "text";
    fs::create_symlink(root_ / "precious", file());
    ASSERT_TRUE(write_kept(folder_, name_, "learnt"));
    EXPECT_FALSE(fs::is_symlink(file()));
    EXPECT_EQ(fs::file_size(root_ / "precious"), 4U);
}

TEST_F(KeptFolderTest, WhereNothingCanBeWrittenNothingIsLeft) {
    std::ofstream(root_ / "cache") << "no folder";
    EXPECT_FALSE(write_kept(folder_, name_, "learnt"));
    EXPECT_FALSE(write_kept({"/proc/gimbal", true}, name_, "learnt"));
    fs::remove(root_ / "cache");
    fs::create_directories(file());  // a folder where the file should be
    EXPECT_FALSE(write_kept(folder_, name_, "learnt"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path), {}), 1);
}

TEST_F(KeptFolderTest, TheOldestFilesGoWhenThereAreTooMany) {
    fs::create_directories(folder_.path);
    const std::string stranger = "README";
    std::ofstream(fs::path(folder_.path) / stranger) << "not Gimbal's";
    constexpr std::uint64_t kFiles = 4100;
    for (std::uint64_t run = 0; run < kFiles; ++run) {
        const fs::path made = fs::path(folder_.path) / kept_name(run, 2);
        std::ofstream(made) << run;
        chmod(made.c_str(), 0600);
        const timespec times[2] = {{1000, 0}, {1000 + static_cast<long>(run), 0}};
        utimensat(AT_FDCWD, made.c_str(), times, 0);
    }
    ASSERT_TRUE(write_kept(folder_, name_, "learnt"));
    EXPECT_EQ(read_kept(folder_, name_, kMax), "learnt");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path), {}), 4096 + 1);
    EXPECT_FALSE(fs::exists(fs::path(folder_.path) / kept_name(0, 2)));
    EXPECT_TRUE(fs::exists(fs::path(folder_.path) / kept_name(kFiles - 1, 2)));
    EXPECT_TRUE(fs::exists(fs::path(folder_.path) / stranger));
}

TEST_F(KeptFolderTest, WhatAKilledProcessLeftGoesAfterADay) {
    fs::create_directories(folder_.path);
    const auto make = [&](const std::string& name, long hours) {
        const fs::path made = fs::path(folder_.path) / name;
        std::ofstream(made) << "half";
        chmod(made.c_str(), 0600);
        const timespec then = {time(nullptr) - 3600 * hours, 0};
        const timespec times[2] = {then, then};
        utimensat(AT_FDCWD, made.c_str(), times, 0);
        return made;
    };
    const fs::path old = make(kept_name(1, 2) + ".part-4711-1700000000", 25);
    const fs::path fresh = make(kept_name(1, 2) + ".part-4712-1700000000", 23);  // somebody may be writing it
    const fs::path stranger = make("notes.part-4711-1700000000", 25);
    ASSERT_TRUE(write_kept(folder_, name_, "learnt"));
    EXPECT_FALSE(fs::exists(old));
    EXPECT_TRUE(fs::exists(fresh));
    EXPECT_TRUE(fs::exists(stranger));
    EXPECT_EQ(read_kept(folder_, name_, kMax), "learnt");
}

TEST_F(KeptFolderTest, ManyProcessesMakeItsFoldersAtOnce) {
    for (int round = 0; round < 50; ++round) {
        fs::remove_all(root_ / "cache");
        int gate[2];
        ASSERT_EQ(pipe(gate), 0);
        std::vector<pid_t> children;
        for (int process = 0; process < 4; ++process) {
            const pid_t child = fork();
            if (child == 0) {
                char end = 0;
                close(gate[1]);
                const bool opened = read(gate[0], &end, 1) == 0;  // all of them begin when the writing end is closed
                _exit(opened && write_kept(folder_, name_, "learnt") ? 0 : 1);
            }
            children.push_back(child);
        }
        close(gate[0]);
        close(gate[1]);
        for (const pid_t child : children) {
            int status = 1;
            ASSERT_EQ(waitpid(child, &status, 0), child);
            EXPECT_EQ(status, 0);
        }
    }
}

TEST_F(KeptFolderTest, ManyProcessesThatEndAtOnceLeaveOneWholeFile) {
    constexpr int kProcesses = 6, kTimes = 40;
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
        const pid_t child = fork();
        if (child == 0) {
            const std::string bytes(500 + 300 * static_cast<std::size_t>(process), static_cast<char>('a' + process));
            bool written = true;
            for (int k = 0; k < kTimes; ++k)
                written &= write_kept(folder_, name_, format_kept(1, std::vector<KeptLoop>{{5, bytes}}));
            _exit(written ? 0 : 1);
        }
        children.push_back(child);
    }
    // A reader meanwhile finds nothing or a whole file.
    for (int k = 0; k < 200; ++k) {
        const std::string text = read_kept(folder_, name_, kLargestKept);
        EXPECT_TRUE(text.empty() || KeptLoops::read(1, text));
    }
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    EXPECT_TRUE(KeptLoops::read(1, read_kept(folder_, name_, kLargestKept)));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path), {}), 1);
}

}  // namespace
