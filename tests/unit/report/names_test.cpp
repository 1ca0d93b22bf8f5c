// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/names.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>

#include "sample_record.hpp"

namespace gimbal {
namespace {

using testing::HasSubstr;

/// A record with one loop at an address of this process.
RunRecord loop_at(const void* address, const std::string& module) {
    Dl_info info{};
    EXPECT_NE(dladdr(address, &info), 0);
    RunRecord record = sample_record();
    record.loops[0].name.clear();
    record.loops[0].module = module.empty() ? info.dli_fname : module;
    record.loops[0].offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    return record;
}

[[gnu::noinline]] const void* here() {
    return __builtin_return_address(0);
}

TEST(ReadableFunction, LosesParametersAndWhatCompilersAdd) {
    EXPECT_EQ(readable_function("main"), "main");
    EXPECT_EQ(readable_function("main._omp_fn.0"), "main");
    EXPECT_EQ(readable_function("_ZN3sph7densityEiPKd._omp_fn.12"), "sph::density");
    EXPECT_EQ(readable_function("main.omp_outlined"), "main");
    EXPECT_EQ(readable_function(".omp_outlined."), ".omp_outlined.");
    EXPECT_EQ(readable_function("_ZNK3FooclEi"), "Foo::operator()");
    EXPECT_EQ(readable_function("_Znot_a_name"), "_Znot_a_name");
}

TEST(ResolveNames, ReturnAddressBecomesFileLineAndFunction) {
    if (!ObjectSymbols::available()) GTEST_SKIP() << "libdw is not installed";
    const void* const address = here();
    const int line = __LINE__ - 1;
    RunRecord record = loop_at(address, std::filesystem::read_symlink("/proc/self/exe"));
    resolve_names(record);
    EXPECT_THAT(record.loops[0].name, testing::StartsWith("names_test.cpp:" + std::to_string(line) + " gimbal::"));
    EXPECT_TRUE(record.loops[0].module.empty()) << "a name is resolved once";
}

TEST(ResolveNames, WithoutDebugInformationSymbolAndOffsetRemain) {
    if (!ObjectSymbols::available()) GTEST_SKIP() << "libdw is not installed";
    const auto* const inside = reinterpret_cast<const char*>(&dlopen) + 5;
    RunRecord record = loop_at(inside, "");
    resolve_names(record);
    EXPECT_THAT(record.loops[0].name, HasSubstr("dlopen"));
}

TEST(ResolveNames, AnObjectThatIsGoneLeavesModuleAndAddress) {
    RunRecord record = sample_record();
    record.loops[0].module = "/no/such/libsolver.so";
    record.loops[0].offset = 0x1234;
    resolve_names(record);
    EXPECT_EQ(record.loops[0].name, "libsolver.so+0x1234");
}

TEST(LoopName, APythonExtensionIsNamedWithoutItsInterpreterAndMachine) {
    EXPECT_EQ(loop_name("/usr/lib/graph.cpython-311-x86_64-linux-gnu.so", 0x12, {}), "graph.so+0x12");
    EXPECT_EQ(loop_name("/usr/lib/graph.so.1", 0x12, {}), "graph.so.1+0x12");
}

TEST(ResolveNames, FinalNamesAreNotTouched) {
    RunRecord record = sample_record();
    resolve_names(record);
    EXPECT_EQ(record.loops[0].name, "sph.cpp:210 density");
}

}  // namespace
}  // namespace gimbal
