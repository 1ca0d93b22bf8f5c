// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "gimbal/error.hpp"
#include "manager/candidates.hpp"
#include "manager/pin_config.hpp"
#include "manager/tasks.hpp"
#include "manager/trace.hpp"
#include "share/status_page.hpp"

namespace gimbal::pin {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

struct Folder {
    Folder() { path = mkdtemp(name); }
    ~Folder() { std::filesystem::remove_all(path); }
    char name[32] = "/tmp/pin_rooms_XXXXXX";
    std::string path;
};

TEST(Helpers, AreKnownByTheLibraryInWhichTheyBegin) {
    for (const char* file : {"/usr/lib/x86_64-linux-gnu/libmpich.so.12", "libmpi.so.40", "libmpi_gnu_91.so.12",
                             "libucs.so.0", "/opt/ucx/lib/ucx/libuct_ib.so.0", "libopen-pal.so.40", "libgimbal.so.0",
                             "mca_btl_tcp.so", "libnvidia-ml.so.1"})
        EXPECT_TRUE(is_helper_library(file)) << file;
    for (const char* file : {"/home/me/mpi_farm", "./gimbal", "cuda_solver", "libmpi_farm.so", "libmpi/libwork.so",
                             "libgomp.so.1", "libomp.so.5", "libstdc++.so.6", "libopenblas.so.0", "", ".so"})
        EXPECT_FALSE(is_helper_library(file)) << file;
}

TEST(Helpers, OfGimbalItselfAreLeftAloneAndNotListed) {
    Registry registry;
    std::vector<LeftAlone> listed;
    Candidates candidates(0.02, listed);
    const RecordPointer record =
        registry.add_self(false, false, reinterpret_cast<const void*>(&gimbal_pin_settings_get));
    candidates.add(record, 0);
    EXPECT_TRUE(candidates.take_ripe(1000, 0).empty());
    EXPECT_TRUE(listed.empty());
    registry.end(*record);
}

TEST(Helpers, AThreadOfTheProgramIsNone) {
    EXPECT_EQ(helper_library(reinterpret_cast<const void*>(&bound_by)), "");
    EXPECT_EQ(helper_library(nullptr), "");
    EXPECT_THAT(helper_library(reinterpret_cast<const void*>(&gimbal_pin_settings_get)), HasSubstr("libgimbal.so"));
}

TEST(BoundBy, AMaskThatHoldsAWholeNodeIsFree) {
    Inventory machine;
    for (int i = 0; i < 4; ++i) machine.pus.push_back({.os = i, .logical = i, .memory_node = i / 2});
    EXPECT_EQ(bound_by(machine, {0, 1, 2, 3}, {}), "");
    EXPECT_EQ(bound_by(machine, {2, 3}, {}), "");
    EXPECT_THAT(bound_by(machine, {1, 2}, {}), HasSubstr("less than a node"));
    EXPECT_EQ(bound_by(machine, {1, 2}, {1, 2}), "") << "its control group has no more";
}

TEST(BoundBy, VariablesByWhichOpenMPBindsThreads) {
    const auto bound = [](const char* name, const char* value, const char* other = nullptr) {
        for (const char* each : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) unsetenv(each);
        if (other) setenv("OMP_PROC_BIND", other, 1);
        setenv(name, value, 1);
        const std::string by = bound_by_variable();
        unsetenv(name);
        unsetenv("OMP_PROC_BIND");
        return by;
    };
    EXPECT_EQ(bound("OMP_PLACES", "cores"), "OMP_PLACES=cores");
    EXPECT_EQ(bound("OMP_PLACES", "cores", "false"), "");
    EXPECT_EQ(bound("OMP_PLACES", "cores", "close"), "OMP_PROC_BIND=close");
    EXPECT_EQ(bound("GOMP_CPU_AFFINITY", "0-3"), "GOMP_CPU_AFFINITY=0-3");
    EXPECT_EQ(bound("KMP_AFFINITY", "granularity=fine,Compact"), "KMP_AFFINITY=granularity=fine,Compact");
    EXPECT_EQ(bound("KMP_AFFINITY", "proclist=[0,1]"), "KMP_AFFINITY=proclist=[0,1]");
    for (const char* nobody : {"verbose", "granularity=core,norespect", "none", "disabled", ""})
        EXPECT_EQ(bound("KMP_AFFINITY", nobody), "") << nobody;
}

TEST(SharedStatusPage, OthersSeeWhereItsThreadsAreUntilItEnds) {
    const Folder folder;
    pid_t child = fork();
    if (child == 0) {
        SharedStatusPage notice(folder.path);
        if (!notice.page()) _exit(1);
        notice.begin();
        notice.page()->threads = 2;
        set_pus(notice.page()->thread[0], std::vector<int>{3});
        set_pus(notice.page()->thread[1], std::vector<int>{3, 4});
        notice.end();
        pause();
        _exit(0);
    }
    std::map<int, double> load;
    for (int i = 0; i < 1000 && load.empty(); ++i) {
        usleep(5000);
        load = load_of(other_pages("", folder.path));
    }
    EXPECT_THAT(load, ElementsAre(Pair(3, 1.5), Pair(4, 0.5)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_FALSE(std::filesystem::is_empty(folder.path)) << "it had no time to tidy up";
    EXPECT_TRUE(other_pages("", folder.path).empty());
    EXPECT_TRUE(std::filesystem::is_empty(folder.path)) << "the next one to look does";
}

TEST(SharedStatusPage, EveryProcessorOfALargeGroupCounts) {
    std::vector<int> cores_of_two(16);
    for (int i = 0; i < 16; ++i) cores_of_two[static_cast<std::size_t>(i)] = i < 8 ? i : 64 + i;
    std::vector<std::unique_ptr<StatusPage>> pages;
    pages.push_back(std::make_unique<StatusPage>());
    pages[0]->threads = 1;
    set_pus(pages[0]->thread[0], cores_of_two);
    const std::map<int, double> load = load_of(pages);
    EXPECT_EQ(load.size(), 16U);
    for (const int pu : cores_of_two) EXPECT_DOUBLE_EQ(load.at(pu), 1.0 / 16) << pu;
}

TEST(SharedStatusPage, NodesWhoseProcessorsAlternateAreSeenWhole) {
    std::vector<int> cores_of_two;
    for (int pu = 1; pu < 32; pu += 2) cores_of_two.push_back(pu);
    for (int pu = 64; pu < 96; pu += 2) cores_of_two.push_back(pu + 1);
    SharedThread thread;
    for (const std::vector<int>& pus :
         {std::vector<int>{}, {5}, {2, 5}, {0, 5, 6, 7}, {0, 1, 4, 5, 8, 9}, cores_of_two}) {
        set_pus(thread, pus);
        EXPECT_EQ(pus_of(thread), pus);
    }
}

TEST(SharedStatusPage, AThreadsLoadIsWholeAlsoWhereNotAllOfItsProcessorsAreSeen) {
    std::vector<std::unique_ptr<StatusPage>> pages;
    pages.push_back(std::make_unique<StatusPage>());
    pages[0]->threads = 1;
    set_pus(pages[0]->thread[0], std::vector<int>{0, 1, 4, 5, 8, 9, 12, 13, 16, 17});
    const std::map<int, double> load = load_of(pages);
    EXPECT_EQ(load.size(), 8U) << "four runs";
    for (const auto& [pu, part] : load) EXPECT_DOUBLE_EQ(part, 1.0 / 8) << pu;
}

TEST(SharedStatusPage, RunsThatNoProcessWroteEndAllTheSame) {
    constexpr int kLast = std::numeric_limits<std::int32_t>::max();
    SharedThread thread{.count = 3};
    thread.runs[0] = {.first = kLast - 1, .last = kLast, .step = 2};
    thread.runs[1] = {.first = 0, .last = kLast, .step = -7};
    EXPECT_THAT(pus_of(thread), ElementsAre(kLast - 1, 0, 1));
}

TEST(SharedStatusPage, WhatIsNoPageIsLeftAlone) {
    const Folder folder;
    std::ofstream(folder.path + "/something") << "else";
    EXPECT_TRUE(other_pages("", folder.path).empty());
    EXPECT_FALSE(std::filesystem::is_empty(folder.path));
}

TEST(StartupLock, IsOneProcessesAtATime) {
    const Folder folder;
    {
        const StartupLock first(folder.path);
        EXPECT_TRUE(first.mine());
        EXPECT_FALSE(StartupLock(folder.path).mine()) << "and does not wait for ever";
    }
    EXPECT_TRUE(StartupLock(folder.path).mine());
    EXPECT_TRUE(std::filesystem::is_empty(folder.path));
    EXPECT_FALSE(StartupLock(folder.path + "/not-there").mine());
}

TEST(Trace, WritesCsvOrJsonByName) {
    const Folder folder;
    const std::vector<int> pus = {2, 3};
    for (const char* name : {"/a.csv", "/a.jsonl"}) {
        Trace trace(folder.path + name);
        trace.add({.time_s = 1, .tick = 5, .event = "move", .thread = 7, .tid = 70, .pus = pus, .why = "learnt"});
        trace.flush();
        std::ifstream file(folder.path + name);
        std::string first, second;
        std::getline(file, first);
        std::getline(file, second);
        EXPECT_THAT(first + second, HasSubstr("2-3"));
        EXPECT_EQ(first.front(), name[3] == 'c' ? 't' : '{');
    }
}

}  // namespace

}  // namespace gimbal::pin
