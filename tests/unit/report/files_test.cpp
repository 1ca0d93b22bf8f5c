// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "sample_record.hpp"

namespace gimbal {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string content(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(folder_ / name).rdbuf();
        return text.str();
    }
    [[nodiscard]] std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }

    const fs::path folder_ = fs::path(testing::TempDir()) / ("gimbal-files-" + std::to_string(getpid()));
};

TEST(Pattern, EveryPlaceholderHasItsMeaning) {
    EXPECT_EQ(expand_pattern("run-%j-%r-%p-%h-100%%.json", sample_record(3, 4)), "run-81234-3-1003-node7-100%.json");
    EXPECT_EQ(expand_pattern("plain.json", sample_record()), "plain.json");
    EXPECT_EQ(expand_pattern("odd%x%", sample_record()), "odd%x%");
}

TEST(Pattern, NoRankOverwritesAnothersFile) {
    EXPECT_EQ(expand_pattern("run.json", sample_record(3, 4)), "run-3.json");
    EXPECT_EQ(expand_pattern("a.b/run", sample_record(3, 4)), "a.b/run-3");
    EXPECT_EQ(expand_pattern(".hidden", sample_record(3, 4)), ".hidden-3");
    EXPECT_EQ(expand_pattern("run-%p.json", sample_record(3, 4)), "run-1003.json");
    EXPECT_EQ(expand_pattern("/dev/shm/run", sample_record(3, 4)), "/dev/shm/run-3");
}

TEST(Pattern, AForkedChildLeavesTheNameToItsParent) {
    RunRecord child = sample_record();
    child.forked = true;
    EXPECT_EQ(expand_pattern("run.json", child), "run-1000.json");
    EXPECT_EQ(expand_pattern("run-%p.json", child), "run-1000.json");
    EXPECT_EQ(expand_pattern("/dev/stdout", child), "/dev/stdout");
    child.job = "1000";  // without a batch system each process makes one up
    EXPECT_EQ(expand_pattern("run-%j.json", child), "run-1000.json");
    RunRecord of_rank = sample_record(3, 4);
    of_rank.forked = true;
    EXPECT_EQ(expand_pattern("run.json", of_rank), "run-3-1003.json");
    EXPECT_EQ(expand_pattern("run-%r.json", of_rank), "run-3-1003.json");
}

TEST(Pattern, ADeviceIsTheSameForAllRanks) {
    EXPECT_EQ(expand_pattern("/dev/null", sample_record(3, 4)), "/dev/null");
    EXPECT_EQ(expand_pattern("/dev/stdout", sample_record(3, 4)), "/dev/stdout");
}

TEST(Pattern, NamesCannotLeadIntoOtherFolders) {
    RunRecord record = sample_record();
    record.job = "../../etc/x";
    EXPECT_EQ(expand_pattern("%j.json", record), ".._.._etc_x.json");
}

TEST(Pattern, RecordsAreNamedByRankAndProcess) {
    EXPECT_EQ(record_file_name(sample_record(2, 4)), "record-2-1002.json");
}

// exec() puts another program in the place of a process's first one.
TEST(Pattern, RecordsOfProgramsOfOneProcessAreNamedByTheirStart) {
    RunRecord record = sample_record();
    record.started_s = 1767268800.25;
    EXPECT_EQ(record_file_name(record), "record-0-1000-1767268800250000.json");
    record.started_s += 1e-6;
    EXPECT_EQ(record_file_name(record), "record-0-1000-1767268800250001.json");
}

TEST(Pattern, EveryProgramOfAProcessHasANameOfItsOwn) {
    std::set<std::string> taken;
    const auto own = [&](const std::string& path) {
        return unlike_others(path, 7, [&](const std::string& wanted) { return taken.insert(wanted).second; });
    };
    EXPECT_EQ(own("a.b/run.json"), "a.b/run.json");
    EXPECT_EQ(own("a.b/run.json"), "a.b/run-7.json");
    EXPECT_EQ(own("a.b/run.json"), "a.b/run-7-2.json");
    EXPECT_EQ(own("a.b/run.json"), "a.b/run-7-3.json");
}

TEST_F(Files, WritingReplacesTheOldFileAndLeavesNothingElse) {
    write_file_aside(folder_ / "a.json", "old");
    write_file_aside(folder_ / "a.json", "new");
    EXPECT_EQ(content("a.json"), "new");
    EXPECT_EQ(entries(), 1U);
}

// The case: a folder that all can write to, and in it a link that somebody else has put in the place of the report.
TEST_F(Files, ASymbolicLinkIsReplacedAndWhatItLeadsToStays) {
    fs::permissions(folder_, fs::perms::all | fs::perms::sticky_bit);
    for (const bool exists : {true, false}) {
        if (exists) write_file_aside(folder_ / "precious", "old");
        fs::create_symlink(exists ? "precious" : "nowhere", folder_ / "link.json");
        constexpr uid_t kNobody = 65534;
        const bool someone_elses = geteuid() == 0;
        ASSERT_EQ(someone_elses ? lchown((folder_ / "link.json").c_str(), kNobody, kNobody) : 0, 0);
        write_file_aside(folder_ / "link.json", "new");
        EXPECT_FALSE(fs::is_symlink(folder_ / "link.json"));
        EXPECT_EQ(content("link.json"), "new");
        EXPECT_EQ(content("precious"), "old");
        EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
        fs::remove(folder_ / "link.json");
    }
}

TEST_F(Files, AHardLinkIsReplacedAndTheOtherNameKeepsItsContent) {
    write_file_aside(folder_ / "precious", "old");
    fs::create_hard_link(folder_ / "precious", folder_ / "a.json");
    write_file_aside(folder_ / "a.json", "new");
    EXPECT_EQ(content("precious"), "old");
    EXPECT_EQ(content("a.json"), "new");
}

TEST_F(Files, ALinkInThePlaceOfThePartIsNotFollowed) {
    write_file_aside(folder_ / "precious", "old");
    fs::create_symlink("precious", folder_ / ("a.json.part-" + std::to_string(getpid())));
    write_file_aside(folder_ / "a.json", "new");
    EXPECT_EQ(content("precious"), "old");
    EXPECT_EQ(content("a.json"), "new");
    EXPECT_EQ(entries(), 2U);
}

TEST_F(Files, AFolderMayBeALink) {
    fs::create_directory(folder_ / "real");
    fs::create_directory_symlink("real", folder_ / "results");
    write_file_aside(folder_ / "results" / "a.json", "new");
    EXPECT_TRUE(fs::is_symlink(folder_ / "results"));
    EXPECT_EQ(content("real/a.json"), "new");
}

TEST_F(Files, ALinkToAFolderOrADeviceIsRefusedAndStays) {
    for (const char* const target : {"/dev/null", "/tmp"}) {
        fs::create_symlink(target, folder_ / "link.json");
        try {
            write_file_aside(folder_ / "link.json", "new");
            ADD_FAILURE() << target;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("links are not followed"), std::string::npos) << error.what();
        }
        EXPECT_TRUE(fs::is_symlink(folder_ / "link.json"));
        fs::remove(folder_ / "link.json");
    }
    write_file_aside("/dev/null", "a device");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// The logic: a child's standard output is a file that holds something already; opened by its name it would be replaced.
TEST_F(Files, StandardOutputIsWrittenToAndNotReplaced) {
    const pid_t child = fork();
    if (child == 0) {
        const int file = open((folder_ / "out").c_str(), O_WRONLY | O_CREAT, 0600);
        dup2(file, STDOUT_FILENO);
        int status = write(STDOUT_FILENO, "first ", 6) == 6 ? 0 : 1;
        try {
            write_file_aside("/dev/stdout", "second ");
            write_file_aside("/proc/self/fd/" + std::to_string(file), "third");
        } catch (const Error&) {
            status = 2;
        }
        _exit(status);
    }
    int state = 0;
    waitpid(child, &state, 0);
    EXPECT_EQ(state, 0);
    EXPECT_EQ(content("out"), "first second third");
    EXPECT_EQ(entries(), 1U);
    EXPECT_THROW(write_file_aside("/dev/fd/1234567", "closed"), Error);
}

TEST_F(Files, APipeIsWrittenToAndStaysOne) {
    const fs::path pipe = folder_ / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    write_file_aside(pipe, "through");
    std::array<char, 16> text{};
    EXPECT_EQ(read(reader, text.data(), text.size()), 7);
    EXPECT_STREQ(text.data(), "through");
    close(reader);
    EXPECT_TRUE(fs::is_fifo(pipe));
    EXPECT_THROW(write_file_aside(pipe, "nobody reads"), Error);
}

TEST(Stderr, AClosedPipeDoesNotEndTheProcess) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        write_stderr("nobody reads this");
        _exit(7);
    }
    close(ends[0]);
    close(ends[1]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(Files, AMissingFolderIsNamed) {
    try {
        write_file_aside("/no/such/folder/a.json", "text");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::file);
        EXPECT_STREQ(error.what(), "cannot write \"/no/such/folder/a.json\": No such file or directory");
    }
}

TEST_F(Files, AFolderInPlaceOfTheFileIsAnErrorAndStays) {
    fs::create_directories(folder_ / "a.json" / "inside");
    EXPECT_THROW(write_file_aside(folder_ / "a.json", "text"), Error);
    EXPECT_TRUE(fs::is_directory(folder_ / "a.json"));
    EXPECT_EQ(entries(), 1U);
}

// The logic: root may write everywhere, so the child becomes nobody first; its exit status is its verdict.
TEST_F(Files, AnUnwritableFolderIsAnError) {
    fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
    const pid_t child = fork();
    if (child == 0) {
        constexpr uid_t kNobody = 65534;
        if (geteuid() == 0 && seteuid(kNobody) != 0) _exit(3);
        int status = 1;
        try {
            write_file_aside(folder_ / "a.json", "text");
        } catch (const Error& error) {
            status = std::string(error.what()).ends_with("Permission denied") ? 0 : 2;
        }
        _exit(status);
    }
    int state = 0;
    waitpid(child, &state, 0);
    fs::permissions(folder_, fs::perms::owner_all);
    ASSERT_TRUE(WIFEXITED(state));
    EXPECT_EQ(WEXITSTATUS(state), 0);
    EXPECT_EQ(entries(), 0U);
}

// The logic: the child may write 1000 bytes; it must survive the signal, see the error, and leave the old file whole.
TEST_F(Files, AFileThatGetsTooLargeIsAnErrorNotADeath) {
    write_file_aside(folder_ / "a.json", "old");
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit = {1000, 1000};
        setrlimit(RLIMIT_FSIZE, &limit);
        int status = 1;
        try {
            write_file_aside(folder_ / "a.json", std::string(5000, 'x'));
        } catch (const Error& error) {
            status = std::string(error.what()).ends_with("File too large") ? 0 : 2;
        }
        _exit(status);
    }
    int state = 0;
    waitpid(child, &state, 0);
    ASSERT_TRUE(WIFEXITED(state)) << "ended by signal " << WTERMSIG(state);
    EXPECT_EQ(WEXITSTATUS(state), 0);
    EXPECT_EQ(content("a.json"), "old");
    EXPECT_EQ(entries(), 1U);
}

}  // namespace
}  // namespace gimbal
