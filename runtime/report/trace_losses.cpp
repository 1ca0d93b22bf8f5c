// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a trace lacks, in words.
#include "report/trace_conversion.hpp"

namespace gimbal {

std::string damage_text(const std::string& records, const WrittenTrace& trace) {
    if (trace.damaged == 0 && !trace.cut) return {};
    std::string what;
    if (trace.damaged > 0)
        what = std::to_string(trace.damaged) + (trace.damaged == 1 ? " damaged block" : " damaged blocks") +
               (trace.cut ? " and " : "");
    if (trace.cut) what += "the end, which is cut off";
    return "\"" + records + "\" is damaged: the trace lacks " + what;
}

std::string lost_text(const WrittenTrace& trace) {
    if (trace.dropped == 0 && trace.without == 0) return {};
    std::string text = "the trace lacks ";
    if (trace.dropped > 0) text += std::to_string(trace.dropped) + " records";
    if (trace.without > 0)
        text +=
            (trace.dropped > 0 ? " and " : "") + std::string("all of ") + std::to_string(trace.without) + " threads";
    return text +
           ", for which there was no room: raise GIMBAL_TRACE_LIMIT, record fewer chunks (GIMBAL_TRACE_EVERY), "
           "or make room on the device";
}

}  // namespace gimbal
