// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/trace_file.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/ending.hpp"
#include "base/start.hpp"
#include "base/warnings.hpp"
#include "gimbal/options.hpp"
#include "report/files.hpp"
#include "report/process_record.hpp"
#include "report/trace_conversion.hpp"
#include "trace/recorder.hpp"

namespace gimbal {

namespace {

/// As much as there is room for, and zeros.
void put(std::string_view text, auto& characters) {
    std::copy_n(text.begin(), std::min(text.size(), characters.size() - 1), characters.begin());
}

}  // namespace

void begin_trace() {
    const Options& asked = options();
    if (asked.trace.empty() || asked.kept_out) return;
    const RunRecord self = describe_process();
    TraceSettings settings{.file = from_start(expand_pattern(asked.trace, self)),
                           .every = asked.trace_every,
                           .limit = asked.trace_limit,
                           .header = {}};
    settings.header.rank = self.rank;
    settings.header.ranks = self.ranks;
    put(self.host, settings.header.host);
    put(self.program, settings.header.program);
    put(settings.file, settings.header.target);
    start_trace(std::move(settings));
}

void write_trace_at_end() {
    const std::string records = finish_trace();
    if (records.empty()) return;
    if (ending_in_handler()) {
        warn_once("exit() was called in a signal handler: the trace is still to be made of its records. `gimbal run` "
                  "does so; else: gimbal report --trace perfetto " + records);
        return;
    }
    const std::string lost = lost_text(write_trace(records));
    if (!lost.empty()) warn_once(lost);
}

}  // namespace gimbal
