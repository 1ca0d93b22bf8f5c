// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/tuning.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "lightweight/slack.hpp"

namespace {

using gimbal::LoopRecord;
using gimbal::LoopSetting;
using gimbal::Tuning;
using gimbal::WorkerRecord;

constexpr Tuning::Loop kLoop{.iterations = 10000, .workers = 2, .chunk = 4, .iteration_time = 100};

const gimbal::TechniqueInfo& technique(std::string_view name) {
    return gimbal::find_technique(name)->info();
}

/// What an execution of kLoop shows when the best static fraction is `best`.
struct Scripted {
    std::array<WorkerRecord, 2> workers;
    LoopRecord record;

    Scripted(double fraction, double best) {
        const double time = 500000 * (1 + std::abs(fraction - best));
        for (WorkerRecord& worker : workers) {
            worker.begin = 1;
            worker.end = 1 + static_cast<std::uint64_t>(time);
            worker.static_end = worker.end;
            worker.static_iterations = 5000;
            worker.iterations = 5000;
        }
        record.iterations = kLoop.iterations;
        record.loop_time = time;
        record.busy_max = record.busy_mean = time;
        record.chunks = 100;
        record.workers = workers;
    }
};

/// Executions until nothing is being tried; -1 if that takes more than 500.
int settle(Tuning& tuning, std::string_view name, double best) {
    for (int execution = 0; execution < 500; ++execution) {
        const LoopSetting setting = tuning.next(technique(name), -1, kLoop);
        if (setting.stage == "settled") return execution;
        tuning.learn(technique(name), setting, Scripted(setting.base, best).record);
    }
    return -1;
}

TEST(Tuning, TechniquesWithoutAStaticFractionGetNone) {
    Tuning tuning;
    EXPECT_LT(tuning.next(technique("fac2"), 0.5, kLoop).fraction, 0);
}

TEST(Tuning, WhatTheUserNamesIsNotTuned) {
    Tuning tuning;
    for (const std::string_view name : {"lws", "lws-tuned", "usched", "vsched", "feedback"}) {
        const LoopSetting setting = tuning.next(technique(name), 0.37, kLoop);
        EXPECT_DOUBLE_EQ(setting.fraction, 0.37) << name;
        EXPECT_TRUE(setting.stage.empty()) << name;
    }
}

TEST(Tuning, LwsTunedFindsTheBestFraction) {
    Tuning tuning;
    EXPECT_GT(settle(tuning, "lws-tuned", 0.63), 0);
    EXPECT_NEAR(tuning.next(technique("lws-tuned"), -1, kLoop).fraction, 0.63, 0.011);
}

TEST(Tuning, UschedTriesStaticThenDynamicThenWhatIsNear) {
    Tuning tuning;
    LoopSetting setting = tuning.next(technique("usched"), -1, kLoop);
    EXPECT_DOUBLE_EQ(setting.fraction, 1);
    const int executions = settle(tuning, "usched", 0.9);
    EXPECT_GT(executions, 5);
    EXPECT_LE(executions, 2 * (2 * 3 + 6 * 3 + 3 * 33 + 2 * 15));
    EXPECT_NEAR(tuning.next(technique("usched"), -1, kLoop).fraction, 0.9, 0.02);
}

// Formula 2, exact: (p - 1) delta / (N (t1 + q)), half of a tenth here.
TEST(Tuning, NoiseIsThatOfOneExecution) {
    Tuning::Loop loop = kLoop;
    loop.dequeue = []() noexcept { return 0.0; };
    loop.noise = []() noexcept { return 50000.0; };
    Tuning tuning;
    for (int execution = 0; execution < 20; ++execution) {
        const LoopSetting setting = tuning.next(technique("lws-noise"), -1, loop);
        if (setting.stage == "settled") break;
        tuning.learn(technique("lws-noise"), setting, Scripted(setting.base, setting.base).record);
    }
    const LoopSetting setting = tuning.next(technique("lws-noise"), -1, loop);
    EXPECT_EQ(setting.stage, "settled");
    EXPECT_NEAR(setting.fraction, 0.95, 1e-9);
}

// Every other execution is three times as dear, whatever the fraction: that must not decide.
TEST(Tuning, LoopsThatAlternateAreNotMistakenForBetterFractions) {
    for (const int dear : {0, 1}) {
        Tuning tuning;
        for (int execution = 0; execution < 400; ++execution) {
            const LoopSetting setting = tuning.next(technique("lws-tuned"), -1, kLoop);
            if (setting.stage == "settled") break;
            Scripted shown(setting.base, 0.63);
            if (execution % 2 == dear) shown.record.loop_time *= 3;
            tuning.learn(technique("lws-tuned"), setting, shown.record);
        }
        EXPECT_NEAR(tuning.next(technique("lws-tuned"), -1, kLoop).fraction, 0.63, 0.011) << dear;
    }
}

TEST(Tuning, VschedTunesAdmissionAfterTheFraction) {
    Tuning tuning;
    bool admission_tried = false;
    for (int execution = 0; execution < 500; ++execution) {
        const LoopSetting setting = tuning.next(technique("vsched"), -1, kLoop);
        if (setting.stage == "admission") admission_tried = true;
        if (!admission_tried) {
            EXPECT_DOUBLE_EQ(setting.admission, 1);
        }
        EXPECT_GT(setting.admission, 0);
        tuning.learn(technique("vsched"), setting, Scripted(setting.base, 0.9).record);
    }
    EXPECT_TRUE(admission_tried);
    EXPECT_EQ(tuning.next(technique("vsched"), -1, kLoop).stage, "settled");
    EXPECT_EQ(tuning.weights().size(), 2U);
}

TEST(Tuning, AnotherTechniqueStartsAnew) {
    Tuning tuning;
    settle(tuning, "lws-tuned", 0.63);
    EXPECT_EQ(tuning.next(technique("usched"), -1, kLoop).stage, "static trial");
}

class FakeSlack final : public gimbal::SlackProvider {
public:
    [[nodiscard]] std::optional<double> slack() noexcept override { return value; }
    std::optional<double> value;
};

TEST(Tuning, SlackRaisesTheStaticFractionOfThoseThatUseItAndNeverAccumulates) {
    Tuning tuning;
    FakeSlack provider;
    gimbal::set_slack_provider(&provider);
    for (int execution = 0; execution < 20; ++execution) {
        provider.value = std::nullopt;
        EXPECT_DOUBLE_EQ(tuning.next(technique("usched"), 0.5, kLoop).fraction, 0.5);
        provider.value = 0;
        EXPECT_DOUBLE_EQ(tuning.next(technique("usched"), 0.5, kLoop).fraction, 0.5);
        provider.value = 100000;  // a fifth of the ideal time, 500000
        const LoopSetting setting = tuning.next(technique("usched"), 0.5, kLoop);
        EXPECT_NEAR(setting.fraction, 0.7, 1e-9);
        EXPECT_DOUBLE_EQ(setting.base, 0.5);
        tuning.learn(technique("usched"), setting, Scripted(setting.fraction, 0.5).record);
        EXPECT_DOUBLE_EQ(tuning.next(technique("lws"), 0.5, kLoop).fraction, 0.5) << "lws does not know of slack";
    }
    gimbal::set_slack_provider(nullptr);
}

}  // namespace
