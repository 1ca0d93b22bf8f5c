// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "technique/planned_technique.hpp"

/// Every technique object; each is defined in the file of its name. registry.cpp puts them in order.
namespace gimbal::technique {

extern const Immortal kStatic;
extern const Immortal kSs;
extern const Immortal kGss;
extern const Immortal kGuided;
extern const Immortal kFsc;
extern const Immortal kMfsc;
extern const Immortal kTss;
extern const Immortal kTfss;
extern const Immortal kFac;
extern const Immortal kFac2;
extern const Immortal kWf2;
extern const Immortal kTap;
extern const Immortal kFiss;
extern const Immortal kViss;
extern const Immortal kRnd;
extern const Immortal kPls;
extern const Immortal kGolden;
extern const Immortal kAwf;
extern const Immortal kStaticSteal;
extern const Immortal kIch;
extern const Immortal kLws;
extern const Immortal kLwsTuned;
extern const Immortal kLwsStages;
extern const Immortal kLwsWeighted;
extern const Immortal kLwsStaggered;
extern const Immortal kLwsConstrained;
extern const Immortal kLwsSteal;
extern const Immortal kLwsNoise;
extern const Immortal kLwsImbalance;
extern const Immortal kUsched;
extern const Immortal kVsched;
extern const Immortal kBinlpt;
extern const Immortal kFeedback;

}  // namespace gimbal::technique
