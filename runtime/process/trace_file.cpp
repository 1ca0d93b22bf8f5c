// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/process.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/process_state.hpp"
#include "base/warnings.hpp"
#include "config/load.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "report/files.hpp"
#include "report/run_record.hpp"
#include "report/trace_conversion.hpp"
#include "trace/recorder.hpp"

namespace gimbal {

namespace {

/// As much as there is room for, and zeros.
void put(std::string_view text, auto& characters) {
    std::copy_n(text.begin(), std::min(text.size(), characters.size() - 1), characters.begin());
}

void begin(const Options& asked) {
    const RunRecord self = describe_process();
    TraceFileHeader header;
    header.rank = self.rank;
    header.ranks = self.ranks;
    header.every = asked.trace_every;
    put(self.host, header.host);
    put(self.program, header.program);
    start_trace(from_start(expand_pattern(asked.trace, self)), asked.trace_limit, header, own_path);
}

/// The trace is not what was asked for: in the report, and where there is none, here.
void complain(const std::string& text) {
    if (text.empty()) return;
    warn_once(text);
    if (options().report == ReportLevel::off && stderr_is_the_same()) write_stderr("gimbal: warning: " + text + "\n");
}

}  // namespace

void begin_trace() {
    const Options& asked = options();
    if (!asked.trace.empty() && !asked.kept_out) begin(asked);
}

void begin_trace_in_child() {
    if (!tracing()) return;
    forget_trace_in_child();
    begin(options());
}

void write_trace_at_end() {
    const std::string records = finish_trace();
    if (records.empty()) return complain(trace_refusal());
    if (ending_in_handler()) {
        warn_once(
            "exit() was called in a signal handler: the trace is still to be made of its records. `gimbal run` "
            "does so; else: gimbal report --trace perfetto " +
            records);
        return;
    }
    try {
        const std::string lost = lost_text(write_trace(records));
        unlink(records.c_str());
        complain(lost);
    } catch (const Error& error) {
        if (stderr_is_the_same()) note_refusal_said();
        throw Error(
            error.code(), error.what(),
            "what was recorded is in " + records + ": gimbal report --trace perfetto " + records + " --to FILE");
    }
}

}  // namespace gimbal
