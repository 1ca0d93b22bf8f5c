// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/names.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>

#include "sample_record.hpp"

namespace gimbal {
namespace {

using namespace std::string_literals;
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

// A function of 32 bytes under two names, with another one of 8 bytes within it.
asm(R"(
    .pushsection .text
    .globl test_outer
    .type test_outer, @function
    .type test_other_name, @function
    .type test_inner, @function
test_outer:
test_other_name:
    .skip 8, 0x90
test_inner:
    .skip 8, 0x90
    .size test_inner, 8
    .skip 16, 0x90
    .size test_outer, 32
    .size test_other_name, 32
    .popsection
)");
extern "C" const char test_outer[];

/// The function at so many bytes behind test_outer, and how far into it.
std::pair<std::string, std::uint64_t> function_at(std::uint64_t distance) {
    Dl_info info{};
    EXPECT_NE(dladdr(test_outer, &info), 0);
    const auto offset = reinterpret_cast<std::uintptr_t>(test_outer) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    const CodePlace place = ObjectSymbols(std::filesystem::read_symlink("/proc/self/exe")).find(offset + distance);
    return {place.symbol, place.distance};
}

TEST(ObjectSymbols, TheInnermostFunctionNamesAnAddressByItsGlobalName) {
    if (!ObjectSymbols::available()) GTEST_SKIP() << "libdw is not installed";
    EXPECT_EQ(function_at(0), std::pair("test_outer"s, std::uint64_t{0}));
    EXPECT_EQ(function_at(7), std::pair("test_outer"s, std::uint64_t{7}));
    EXPECT_EQ(function_at(8), std::pair("test_inner"s, std::uint64_t{0}));
    EXPECT_EQ(function_at(15), std::pair("test_inner"s, std::uint64_t{7}));
    EXPECT_EQ(function_at(16), std::pair("test_outer"s, std::uint64_t{16})) << "behind the inner one";
    EXPECT_EQ(function_at(31), std::pair("test_outer"s, std::uint64_t{31}));
    EXPECT_NE(function_at(32).first, "test_outer");
}

TEST(ReadableFunction, LosesParametersAndWhatCompilersAdd) {
    EXPECT_EQ(readable_function("main"), "main");
    EXPECT_EQ(readable_function("main._omp_fn.0"), "main");
    EXPECT_EQ(readable_function("_ZN3sph7densityEiPKd._omp_fn.12"), "sph::density");
    EXPECT_EQ(readable_function("main.omp_outlined"), "main");
    EXPECT_EQ(readable_function(".omp_outlined."), ".omp_outlined.");
    EXPECT_EQ(readable_function("_ZNK3FooclEi"), "Foo::operator()");
    EXPECT_EQ(readable_function("_Znot_a_name"), "_Znot_a_name");
    EXPECT_EQ(readable_function("_ZN4grid5sweepIdEEvPT_._omp_fn.0"), "grid::sweep<double>") << "returns void";
    EXPECT_EQ(readable_function("_Z4madeISt4pairIciEESt6vectorIT_SaIS2_EES2_"), "made<std::pair<char, int> >");
    EXPECT_EQ(readable_function("_ZN4grid4NodecvT_IxEEv"), "grid::Node::operator long long<long long>");
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

TEST(ResolveNames, AFileOfAnotherBuildNamesNothing) {
    const auto* const inside = reinterpret_cast<const char*>(&dlopen) + 5;
    RunRecord record = loop_at(inside, "");
    const std::string module = record.loops[0].module;
    record.loops[0].build = 1;
    record.warnings.clear();
    resolve_names(record);
    EXPECT_THAT(record.loops[0].name, HasSubstr("+0x"));
    EXPECT_THAT(record.loops[0].name, Not(HasSubstr("dlopen")));
    ASSERT_FALSE(record.warnings.empty());
    EXPECT_THAT(record.warnings[0], testing::StartsWith(module + " was replaced by another build"));
}

TEST(ResolveNames, AnObjectThatIsGoneLeavesModuleAndAddress) {
    RunRecord record = sample_record();
    record.loops[0].module = "/no/such/libsolver.so";
    record.loops[0].offset = 0x1234;
    record.loops[0].name.clear();
    resolve_names(record);
    EXPECT_EQ(record.loops[0].name, "libsolver.so+0x1234");
}

TEST(ResolveNames, AnInstanceOfATemplateGetsItsFunctionFromTheSymbol) {
    const std::string name = "a b.cpp:7 grid::sweep";
    EXPECT_EQ(instance_name(name, 0x12, {.file = {}, .symbol = "_ZN4grid5sweepIdEEvPT_.omp_outlined"}),
              "a b.cpp:7 grid::sweep<double>");
    EXPECT_EQ(instance_name(name, 0x12, {.file = {}, .symbol = ".omp_outlined..3"}), name + ".omp_outlined..3")
        << "old clang";
    EXPECT_EQ(instance_name(name, 0x12, {}), name + "+0x12");
    EXPECT_EQ(function_in("C:\\a:12:7 operator()"), 10U);
    EXPECT_EQ(function_in("no place"), 0U);
}

TEST(ResolveNames, OneFunctionPerNameKeepsItAndSeveralDoNotWhicheverRankRanThem) {
    RunRecord one = sample_record();
    LoopSummary& loop = one.loops[0];
    loop.name = "a.cpp:7 sweep";
    loop.module = "/no/such/solver";
    loop.offset = 0x1210;
    loop.function = 0x1200;
    const RunRecord again = one;
    std::vector<RunRecord> ranks = {one, again};
    resolve_names(ranks);
    EXPECT_EQ(ranks[1].loops[0].name, "a.cpp:7 sweep");
    EXPECT_EQ(ranks[1].loops[0].name_in_steps, "a.cpp:7 sweep");

    RunRecord other = one;
    other.loops[0].offset = 0x1310;
    other.loops[0].function = 0x1300;
    other.loops[0].name_in_steps = "a.cpp:7 sweep+0x1300";
    other.warnings = {"loop a.cpp:7 sweep+0x1300 has other numbers"};
    ranks = {one, other};
    resolve_names(ranks);
    EXPECT_EQ(ranks[0].loops[0].name, "a.cpp:7 sweep+0x1210");
    EXPECT_EQ(ranks[0].loops[0].name_in_steps, "a.cpp:7 sweep");
    EXPECT_EQ(ranks[1].loops[0].name, "a.cpp:7 sweep+0x1310");
    EXPECT_EQ(ranks[1].loops[0].name_in_steps, "a.cpp:7 sweep+0x1300");
    EXPECT_EQ(ranks[1].warnings[0], "loop a.cpp:7 sweep+0x1310 has other numbers");
}

/// A rank's record, as its file holds it after it was read by itself: the loops of a template at these offsets.
RunRecord written_alone(const std::vector<std::uint64_t>& instances) {
    RunRecord record = sample_record();
    const LoopSummary pattern = record.loops[0];
    record.loops.clear();
    for (const std::uint64_t offset : instances) {
        LoopSummary& loop = record.loops.emplace_back(pattern);
        loop.name = "a.cpp:7 sweep";
        loop.module = "/no/such/solver";
        loop.build = 77;
        loop.offset = offset;
        loop.function = offset & ~std::uint64_t{0xff};
        loop.name_in_steps = record.loops.size() == 1 ? "" : "a.cpp:7 sweep+0x" + std::to_string(record.loops.size());
    }
    record.unfinished = {{.name = "a.cpp:7 sweep",
                          .template_name = {},
                          .module = "/no/such/solver",
                          .offset = instances.back(),
                          .function = instances.back() & ~std::uint64_t{0xff},
                          .build = 77,
                          .workers = 2}};
    resolve_names(record);
    return from_json(to_json(record));
}

std::vector<std::string> names_of(const RunRecord& record) {
    std::vector<std::string> names;
    for (const LoopSummary& loop : record.loops) names.push_back(loop.name);
    for (const UnfinishedLoop& loop : record.unfinished) names.push_back(loop.name);
    return names;
}

TEST(ResolveNames, RecordsThatWereReadApartNameInstancesAsIfTogether) {
    using testing::ElementsAre;
    const std::string x = "a.cpp:7 sweep+0x1210", y = "a.cpp:7 sweep+0x1310", z = "a.cpp:7 sweep+0x1410";
    std::vector<RunRecord> ranks = {written_alone({0x1210, 0x1310}), written_alone({0x1210}), written_alone({0x1410})};
    EXPECT_THAT(names_of(ranks[0]), ElementsAre(x, y, y));
    EXPECT_THAT(names_of(ranks[1]), ElementsAre("a.cpp:7 sweep", "a.cpp:7 sweep"));
    resolve_names(ranks);
    EXPECT_THAT(names_of(ranks[0]), ElementsAre(x, y, y));
    EXPECT_THAT(names_of(ranks[1]), ElementsAre(x, x));
    EXPECT_THAT(names_of(ranks[2]), ElementsAre(z, z));

    ranks = {written_alone({0x1210}), written_alone({0x1310})};
    resolve_names(ranks);
    EXPECT_THAT(names_of(ranks[0]), ElementsAre(x, x));
    EXPECT_THAT(names_of(ranks[1]), ElementsAre(y, y));
}

TEST(ResolveNames, WhoCouldReadTheProgramNamesInstancesForThoseWhoCannot) {
    std::vector<RunRecord> ranks = {written_alone({0x1210, 0x1310}), written_alone({0x1210})};
    ranks[0].loops[0].name = "a.cpp:7 sweep<double>";
    for (std::size_t first : {0U, 1U}) {
        std::vector<RunRecord> order = {ranks[first], ranks[1 - first]};
        resolve_names(order);
        EXPECT_EQ(order[0].loops[0].name, "a.cpp:7 sweep<double>");
        EXPECT_EQ(order[1].loops[0].name, "a.cpp:7 sweep<double>");
    }
}

TEST(ResolveNames, AFunctionOfAnotherBuildIsNoOtherInstance) {
    std::vector<RunRecord> records = {written_alone({0x1210}), written_alone({0x1310})};
    const std::vector<std::vector<std::size_t>> runs = {{0}, {1}};
    resolve_names(records, runs);
    EXPECT_EQ(records[0].loops[0].name, "a.cpp:7 sweep");
    EXPECT_EQ(records[1].loops[0].name, "a.cpp:7 sweep");
}

TEST(ResolveNames, WarningsNameTheLoopAsTheTableDoes) {
    if (!ObjectSymbols::available()) GTEST_SKIP() << "libdw is not installed";
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    RunRecord record = loop_at(here(), program);
    std::ostringstream key;
    key << std::filesystem::path(program).filename().string() << "+0x" << std::hex << record.loops[0].offset;
    record.warnings = {"GIMBAL_REPLAY: loop " + key.str() + " has other numbers", "loop " + key.str() + "0 has"};
    resolve_names(record);
    EXPECT_EQ(record.warnings[0], "GIMBAL_REPLAY: loop " + record.loops[0].name + " has other numbers");
    EXPECT_EQ(record.warnings[1], "loop " + key.str() + "0 has") << "another loop";
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
