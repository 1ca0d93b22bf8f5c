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

}  // namespace gimbal::technique
