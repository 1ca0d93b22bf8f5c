// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank's threads say through the C interface, to the cores of this process.
#include "gimbal/rank_cores.h"

#include <cstdint>

#include "base/warnings.hpp"
#include "gimbal/options.hpp"
#include "lending/elastic_regions.hpp"
#include "lending/node_cores.hpp"

namespace gimbal {

namespace {
constinit NodeCores the_cores;
// What the calling thread has lent, to be taken back.
__thread std::uint32_t lent_here __attribute__((tls_model("initial-exec"))) = 0;
}  // namespace

NodeCores& node_cores() noexcept {
    return the_cores;
}

}  // namespace gimbal

extern "C" {

int gimbal_rank_cores_on(void) {
    const gimbal::Options& asked = gimbal::options();
    if (!asked.ranks.elastic || asked.kept_out) return 0;
    if (asked.rank_threads > 0) return 1;
    // Taken for one thread, a rank would be bound to one core with all that it starts.
    static const bool said = gimbal::warn_once([] {
        return GIMBAL_ELASTIC_HAS_NO_EFFECT
            "GIMBAL_RANK_THREADS, which says how many threads a rank has, is not set (gimbal run --elastic -t T sets "
            "both)";
    });
    static_cast<void>(said);
    return 0;
}

void gimbal_rank_cores_show(void* memory, unsigned long bytes, int slot, int slots) {
    if (gimbal_rank_cores_on()) gimbal::NodeCores::show(memory, bytes, slot, slots);
}

void gimbal_rank_cores_attach(void* memory, unsigned long bytes, int slot, int slots) {
    if (gimbal_rank_cores_on()) gimbal::node_cores().attach(memory, bytes, slot, slots, gimbal::options().rank_threads);
}

void gimbal_rank_cores_lend(void) {
    gimbal::lent_here = gimbal::team_in_flight() ? 1 : gimbal::options().rank_threads;
    gimbal::node_cores().lend(gimbal::lent_here);
}

int gimbal_rank_cores_wanted(void) {
    return gimbal::node_cores().wanted_by_others() ? 1 : 0;
}

void gimbal_rank_cores_take_back(void) {
    gimbal::node_cores().take_back(gimbal::lent_here);
}

int gimbal_rank_cores_step_out(void) {
    return gimbal::node_cores().step_out() ? 1 : 0;
}

void gimbal_rank_cores_step_in(void) {
    gimbal::node_cores().step_in();
}

void gimbal_rank_cores_note_set(int thread) {
    gimbal::node_cores().note_set(thread);
}

void gimbal_rank_cores_detach(void) {
    gimbal::node_cores().detach();
}

}  // extern "C"
