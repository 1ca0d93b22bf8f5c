// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Method numbers, their names, and the techniques that they are.
#include "lb4mpi/setup.hpp"

#include <array>
#include <string>
#include <string_view>

#include "gimbal/rank_loop.h"

int DLS_MethodCount = 15;

namespace {

char kStatic[] = "STATIC", kSs[] = "SS", kFsc[] = "FSC", kMfsc[] = "mFSC", kGss[] = "GSS", kTss[] = "TSS",
     kFac[] = "FAC", kWf[] = "WF", kAwf[] = "AWF", kAwfB[] = "AWF-B", kAwfC[] = "AWF-C", kAwfD[] = "AWF-D",
     kAwfE[] = "AWF-E", kAf[] = "AF", kSimAs[] = "SimAS";
char kLongStatic[] = "static chunking", kLongSs[] = "self-scheduling", kLongFsc[] = "fixed-size chunking",
     kLongMfsc[] = "modified fixed-size chunking", kLongGss[] = "guided self-scheduling",
     kLongTss[] = "trapezoid self-scheduling", kLongFac[] = "factoring (FAC2)", kLongWf[] = "weighted factoring",
     kLongAwf[] = "adaptive weighted factoring", kLongAwfB[] = "AWF by batches", kLongAwfC[] = "AWF by chunks",
     kLongAwfD[] = "AWF by batches, with overhead", kLongAwfE[] = "AWF by chunks, with overhead",
     kLongAf[] = "adaptive factoring", kLongSimAs[] = "selection by simulation";

}  // namespace

// Programs declare them as char* and index them; nothing stops them from writing, either.
char* DLS_ShortName[] = {kStatic, kSs,   kFsc,  kMfsc, kGss,  kTss, kFac,  kWf,
                         kAwf,    kAwfB, kAwfC, kAwfD, kAwfE, kAf,  kSimAs};
char* DLS_LongName[] = {kLongStatic, kLongSs,   kLongFsc,  kLongMfsc, kLongGss,  kLongTss, kLongFac,  kLongWf,
                        kLongAwf,    kLongAwfB, kLongAwfC, kLongAwfD, kLongAwfE, kLongAf,  kLongSimAs};

char* get_DLS_ShortName(int method) {
    return DLS_ShortName[gimbal::lb4mpi::known_method(method)];
}

namespace gimbal::lb4mpi {

namespace {

struct Method {
    std::string_view schedule;
    bool least_chunk;  ///< a least chunk means something to it
};

constexpr std::array<Method, 15> kMethods = {{{"static", false},
                                              {"ss", true},
                                              {"fsc", false},
                                              {"mfsc", false},
                                              {"gss", true},
                                              {"tss", true},
                                              {"fac2", true},
                                              {"wf2", true},
                                              {"awf", true},
                                              {"awf-b", true},
                                              {"awf-c", true},
                                              {"awf-d", true},
                                              {"awf-e", true},
                                              {"af", true},
                                              {"simulate", true}}};

}  // namespace

int known_method(int method) noexcept {
    return method >= 0 && method < static_cast<int>(kMethods.size()) ? method : 0;
}

mpi::LoopOptions options_of(const infoDLS& info) {
    mpi::LoopOptions options;
    if (info.weights) options.weights.assign(info.weights, info.weights + info.commSize);
    if (info.h_overhead > 0) options.overhead_s = info.h_overhead;
    if (info.sigma > 0) options.sigma_s = info.sigma;
    gimbal_rank_settings settings;
    gimbal_rank_settings_get(&settings);
    if (settings.schedule_given) return options;
    if (settings.agent == GIMBAL_RANK_AGENT_CHOOSES) {
        options.schedule = "runtime";
        return options;
    }
    const Method& method = kMethods[static_cast<std::size_t>(known_method(info.method))];
    options.schedule = method.schedule;
    if (method.least_chunk && info.minChunk > 0) options.schedule.append(",").append(std::to_string(info.minChunk));
    return options;
}

}  // namespace gimbal::lb4mpi
