// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/load.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace gimbal {
namespace {

Environment environment(std::vector<Setting> settings) {
    for (Setting& setting : settings) setting.origin = "environment";
    Environment found;
    found.settings = std::move(settings);
    return found;
}

/// A settings file that lives as long as the test.
class SettingsFile {
public:
    explicit SettingsFile(const std::string& text)
        : path_(std::filesystem::path(testing::TempDir()) /
                ("gimbal-" + std::to_string(getpid()) + "-" + std::to_string(++count_) + ".toml")) {
        std::ofstream(path_) << text;
    }
    ~SettingsFile() { std::filesystem::remove(path_); }
    [[nodiscard]] std::string path() const { return path_; }

private:
    static inline int count_ = 0;
    std::filesystem::path path_;
};

std::string first_problem(const LoadedOptions& loaded) {
    return loaded.problems.empty() ? "" : message_text(loaded.problems.front(), "error");
}

TEST(Load, WithNothingSetEverythingIsAtItsDefault) {
    const LoadedOptions loaded = load_options({});
    EXPECT_TRUE(loaded.problems.empty());
    EXPECT_EQ(loaded.options.schedule.technique, nullptr);
    EXPECT_EQ(loaded.options.report, ReportLevel::summary);
    EXPECT_EQ(loaded.options.seed, 42U);
    EXPECT_TRUE(loaded.options.strict);
    EXPECT_FALSE(loaded.options.display);
    EXPECT_EQ(loaded.options.origin("GIMBAL_SEED"), "default");
}

TEST(Load, OfTwoSettingsThatNameOneFileTheLaterOneIsRefused) {
    const LoadedOptions loaded =
        load_options(environment({{"GIMBAL_RECORD", "x-%r", ""}, {"GIMBAL_OUTPUT", "./x-%r", ""}}));
    EXPECT_EQ(first_problem(loaded),
              "gimbal: error: GIMBAL_RECORD: \"x-%r\" is also the file of GIMBAL_OUTPUT (from the environment).\n"
              "        each needs a file of its own\n");
    EXPECT_EQ(loaded.options.output, "./x-%r");
    EXPECT_EQ(loaded.options.select.record, "");
    EXPECT_EQ(loaded.options.origin("GIMBAL_RECORD"), "default");
    EXPECT_EQ(
        load_options(environment({{"GIMBAL_RECORD", "x", ""}, {"GIMBAL_OUTPUT", "x", ""}, {"GIMBAL_TRACE", "x", ""}}))
            .problems.size(),
        2U);
    for (const char* const path : {"/dev/null", "/dev/stdout"})
        EXPECT_EQ(first_problem(load_options(environment({{"GIMBAL_RECORD", path, ""}, {"GIMBAL_OUTPUT", path, ""}}))),
                  "");
    EXPECT_EQ(first_problem(load_options(environment({{"GIMBAL_RECORD", "x-%r", ""}, {"GIMBAL_OUTPUT", "x-%p", ""}}))),
              "");
}

TEST(Load, AnAgentThatChoosesChunksIsRefusedWhereItWouldChooseTechniques) {
    for (const char* const agent : {"chunk", "15"}) {
        const LoadedOptions loaded =
            load_options(environment({{"GIMBAL_SELECT", "levels", ""}, {"GIMBAL_RL_AGENT", agent, ""}}));
        EXPECT_EQ(first_problem(loaded),
                  "gimbal: error: GIMBAL_RL_AGENT: \"" + std::string(agent) +
                      "\" chooses chunks, and GIMBAL_SELECT=levels techniques (from the environment).\n"
                      "        with levels take another agent, q or sarsa for instance; chunks alone: "
                      "GIMBAL_SELECT=chunk      more: gimbal info selectors\n");
        EXPECT_EQ(loaded.problems.size(), 1U);
        EXPECT_EQ(loaded.options.select.agent, "q");
        EXPECT_EQ(loaded.options.select_ranks.agent, "q");
    }
    for (const char* const selector : {"rl", "chunk", "auto"})
        EXPECT_EQ(first_problem(
                      load_options(environment({{"GIMBAL_SELECT", selector, ""}, {"GIMBAL_RL_AGENT", "chunk", ""}}))),
                  "");
    EXPECT_EQ(
        first_problem(load_options(environment({{"GIMBAL_SELECT", "levels", ""}, {"GIMBAL_RL_AGENT", "sarsa", ""}}))),
        "");
}

TEST(Load, PrecedenceIsApiThenEnvironmentThenFile) {
    const SettingsFile file("seed = 1\nreport = \"full\"\nschedule = \"gss\"\n");
    const Environment all =
        environment({{"GIMBAL_CONFIG", file.path(), ""}, {"GIMBAL_SEED", "2", ""}, {"GIMBAL_REPORT", "off", ""}});
    const Setting api[] = {{"seed", "3", "API"}};
    const LoadedOptions loaded = load_options(all, api);
    EXPECT_EQ(first_problem(loaded), "");
    EXPECT_EQ(loaded.options.seed, 3U);
    EXPECT_EQ(loaded.options.origin("GIMBAL_SEED"), "API");
    EXPECT_EQ(loaded.options.report, ReportLevel::off);
    EXPECT_EQ(loaded.options.origin("GIMBAL_REPORT"), "environment");
    EXPECT_EQ(to_string(loaded.options.schedule), "gss");
    EXPECT_EQ(loaded.options.origin("GIMBAL_SCHEDULE"), "file " + file.path());
}

TEST(Load, MessageNamesVariableValueOriginSuggestionAndWhatIsAllowed) {
    const std::string text = first_problem(load_options(environment({{"GIMBAL_SCHEDULE", "fac22", ""}})));
    EXPECT_TRUE(
        text.starts_with("gimbal: error: GIMBAL_SCHEDULE: unknown technique \"fac22\" (from the environment). "
                         "Did you mean \"fac2\"?\n        allowed: static ss "))
        << text;
    EXPECT_TRUE(text.ends_with(" runtime      more: gimbal info techniques\n")) << text;
}

TEST(Load, UnknownVariablesAndKeysAreErrorsWithTheNearestName) {
    const std::string variable = first_problem(load_options(environment({{"GIMBAL_SHEDULE", "ss", ""}})));
    EXPECT_NE(variable.find("Did you mean \"GIMBAL_SCHEDULE\"?"), std::string::npos) << variable;
    EXPECT_EQ(variable.find("GIMBAL_RUN_DIR"), std::string::npos) << "hidden options are not advertised";
    const SettingsFile file("shedule = \"ss\"\n");
    const std::string key = first_problem(load_options(environment({{"GIMBAL_CONFIG", file.path(), ""}})));
    EXPECT_NE(key.find("(from the file " + file.path() + "). Did you mean \"schedule\"?"), std::string::npos) << key;
}

TEST(Load, ASettingsFileCannotNameAnother) {
    const SettingsFile other("seed = 8\n");
    for (const std::string key : {"config", "GIMBAL_CONFIG"}) {
        const SettingsFile file("seed = 7\n" + key + " = \"" + other.path() + "\"\n");
        const LoadedOptions loaded = load_options(environment({{"GIMBAL_CONFIG", file.path(), ""}}));
        EXPECT_NE(first_problem(loaded).find(key + ": a settings file cannot name another one"), std::string::npos);
        EXPECT_EQ(loaded.options.seed, 7U);
        EXPECT_EQ(loaded.options.config, file.path());
    }
}

TEST(Load, AWrongValueLeavesTheDefault) {
    const LoadedOptions loaded = load_options(environment({{"GIMBAL_SEED", "x", ""}, {"GIMBAL_STRICT", "0", ""}}));
    EXPECT_EQ(loaded.problems.size(), 1U);
    EXPECT_EQ(loaded.options.seed, 42U);
    EXPECT_EQ(loaded.options.origin("GIMBAL_SEED"), "default");
    EXPECT_FALSE(loaded.options.strict);
}

TEST(Load, ValidateThrowsTheFirstProblem) {
    EXPECT_NO_THROW(validate(load_options({})));
    EXPECT_THROW(validate(load_options(environment({{"GIMBAL_SEED", "x", ""}}))), Error);
}

TEST(Load, FileTakesEveryTypeOfValue) {
    const SettingsFile file(
        "# comment\nweights = [1, 2.5]\ndisplay = true\nstrict = false\nseed = 9\noutput = \"r-%r.json\"\n");
    const LoadedOptions loaded = load_options(environment({{"GIMBAL_CONFIG", file.path(), ""}}));
    EXPECT_EQ(first_problem(loaded), "");
    EXPECT_EQ(loaded.options.weights, (std::vector<double>{1, 2.5}));
    EXPECT_TRUE(loaded.options.display);
    EXPECT_FALSE(loaded.options.strict);
    EXPECT_EQ(loaded.options.seed, 9U);
    EXPECT_EQ(loaded.options.output, "r-%r.json");
}

TEST(Load, BrokenFilesAreNamedWithTheirLine) {
    const SettingsFile file("seed = 1\nreport = = 2\n");
    const std::string broken = first_problem(load_options(environment({{"GIMBAL_CONFIG", file.path(), ""}})));
    EXPECT_NE(broken.find("GIMBAL_CONFIG: line 2 of \"" + file.path() + "\""), std::string::npos) << broken;
    const std::string missing = first_problem(load_options(environment({{"GIMBAL_CONFIG", "/no/such/file", ""}})));
    EXPECT_NE(missing.find("cannot read \"/no/such/file\": No such file"), std::string::npos) << missing;
    const SettingsFile table("[thread]\nschedule = \"ss\"\n");
    EXPECT_NE(first_problem(load_options(environment({{"GIMBAL_CONFIG", table.path(), ""}}))), "");
}

TEST(Load, RulesInAFileAreTextArrayOrTableInTheUsersOrder) {
    for (const char* text :
         {"loops = \"z=ss;a.c:1=none\"\n", "loops = [\"z=ss\", \"a.c:1=none\"]\n",
          "[loops]\nz = \"ss\"\n\"a.c:1\" = \"none\"\n", "loops = { z = \"ss\", \"a.c:1\" = \"none\" }\n"}) {
        const SettingsFile file(text);
        const LoadedOptions loaded = load_options(environment({{"GIMBAL_CONFIG", file.path(), ""}}));
        ASSERT_TRUE(loaded.problems.empty()) << text << loaded.problems[0].what();
        ASSERT_EQ(loaded.options.loops.size(), 2U) << text;
        EXPECT_EQ(loaded.options.loops[0].pattern, "z") << text;
        EXPECT_EQ(loaded.options.loops[1].pattern, "a.c:1") << text;
        EXPECT_TRUE(loaded.options.loops[1].none) << text;
    }
}

TEST(Load, OmpScheduleIsJudgedOnlyIfOpenMPDoesNotKnowIt) {
    const auto with = [](const char* value) {
        Environment found;
        found.omp_schedule = value;
        return load_options(found);
    };
    EXPECT_TRUE(with("dynamic,-4").problems.empty());
    EXPECT_FALSE(with("dynamic,-4").options.omp_schedule_is_gimbals);
    EXPECT_TRUE(with("fac2,16").options.omp_schedule_is_gimbals);
    EXPECT_TRUE(with("runtime").options.omp_schedule_is_gimbals);
    for (const char* wrong : {"", "  ", "fac22", "fac2,0"}) {
        EXPECT_EQ(with(wrong).problems.size(), 1U) << wrong;
        EXPECT_FALSE(with(wrong).options.omp_schedule_is_gimbals) << wrong;
    }
    EXPECT_NE(first_problem(with("fac22")).find("OMP_SCHEDULE: unknown technique"), std::string::npos);
    EXPECT_LT(first_problem(with(std::string(10000, 'x').c_str())).size(), 700U);
}

TEST(Load, SettingsTextShowsValueAndOriginButNothingInternal) {
    const std::string text = settings_text(load_options(environment({{"GIMBAL_SEED", "5", ""}})).options);
    EXPECT_NE(text.find("GIMBAL_SEED=5"), std::string::npos);
    EXPECT_NE(text.find("environment"), std::string::npos);
    EXPECT_EQ(text.find("GIMBAL_RUN_DIR"), std::string::npos);
}

}  // namespace
}  // namespace gimbal
