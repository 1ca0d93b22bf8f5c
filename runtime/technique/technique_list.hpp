// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "technique/planned_technique.hpp"

/// Every technique object; each is defined in the file of its name. registry.cpp puts them in order.
namespace gimbal::technique {

extern const PlannedTechnique kStatic;
extern const PlannedTechnique kSs;
extern const PlannedTechnique kGss;
extern const PlannedTechnique kGuided;
extern const PlannedTechnique kFsc;
extern const PlannedTechnique kMfsc;
extern const PlannedTechnique kTss;
extern const PlannedTechnique kTfss;
extern const PlannedTechnique kFac;
extern const PlannedTechnique kFac2;
extern const PlannedTechnique kWf2;
extern const PlannedTechnique kTap;
extern const PlannedTechnique kFiss;
extern const PlannedTechnique kViss;
extern const PlannedTechnique kRnd;
extern const PlannedTechnique kPls;
extern const PlannedTechnique kGolden;
extern const PlannedTechnique kAwf;
extern const PlannedTechnique kStaticSteal;
extern const PlannedTechnique kIch;
extern const PlannedTechnique kLws;
extern const PlannedTechnique kLwsTuned;
extern const PlannedTechnique kLwsStages;
extern const PlannedTechnique kLwsWeighted;
extern const PlannedTechnique kLwsStaggered;
extern const PlannedTechnique kLwsConstrained;
extern const PlannedTechnique kLwsSteal;
extern const PlannedTechnique kLwsNoise;
extern const PlannedTechnique kLwsImbalance;
extern const PlannedTechnique kUsched;
extern const PlannedTechnique kVsched;
extern const PlannedTechnique kBinlpt;
extern const PlannedTechnique kFeedback;

}  // namespace gimbal::technique
