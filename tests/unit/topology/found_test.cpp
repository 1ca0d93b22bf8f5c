// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A provider lies where it must be found by itself. Each test has a process of its own, because a process asks once.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "topology/provider.hpp"
#include "topology/topology.hpp"

namespace {

using gimbal::topology;

/// Run `check` in a fresh copy of this process, on a made-up machine. @return what it returned
template <class Check>
int in_child(Check check) {
    const pid_t child = fork();
    if (child == 0) {
        setenv("HWLOC_SYNTHETIC", "pack:2 [numa] core:2 pu:2", 1);
        _exit(check());
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(FindTopology, BesideTheProgramInLib) {
    EXPECT_EQ(in_child([] { return topology().known() ? topology().cpus() : -1; }), 8);
    EXPECT_EQ(in_child([] { return static_cast<int>(10 * topology().distance(0, 1) + topology().distance(0, 4)); }), 5);
}

// As in a program: a thread that opens a loop must not wait for the loader.
TEST(FindTopology, IsFlatUntilAnotherThreadHasLoadedIt) {
    EXPECT_EQ(in_child([] {
                  static void (*job)() = nullptr;
                  static int asked = 0;
                  gimbal::load_topology_elsewhere = [](void (*load)()) noexcept {
                      job = load;
                      return ++asked > 0;
                  };
                  const bool early = topology().known() || topology().known();
                  std::thread(job).join();
                  return early || asked != 1 ? -1 : topology().cpus();
              }),
              8);
}

TEST(FindTopology, AChildWhoseParentHadAskedInVainAsksAgain) {
    EXPECT_EQ(in_child([] {
                  gimbal::load_topology_elsewhere = [](void (*)()) noexcept { return true; };
                  const bool early = topology().known();
                  return early ? -1 : in_child([] {
                      gimbal::load_topology_elsewhere = [](void (*load)()) noexcept {
                          load();
                          return true;
                      };
                      return static_cast<int>(topology().known()) + topology().cpus();
                  });
              }),
              8);
}

TEST(FindTopology, StaysFlatWithoutAThreadToLoadIt) {
    EXPECT_EQ(in_child([] {
                  gimbal::load_topology_elsewhere = [](void (*)()) noexcept { return false; };
                  (void)topology();
                  gimbal::load_topology_elsewhere = nullptr;
                  return topology().known() ? 1 : 0;
              }),
              0);
}

TEST(FindTopology, BesideTheLibraryThatHoldsTheCore) {
    // The library lies elsewhere than this program, and holds a core of its own, as libgimbal.so does.
    EXPECT_EQ(in_child([] {
                  void* const library = dlopen(GIMBAL_TEST_PROBE, RTLD_NOW | RTLD_LOCAL);
                  if (!library) return -1;
                  const auto probe = reinterpret_cast<unsigned (*)(int, int)>(dlsym(library, "probe_distance"));
                  return probe ? static_cast<int>(10 * probe(0, 1) + probe(0, 4)) : -2;
              }),
              5);
}

}  // namespace
