// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/process.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/process_state.hpp"
#include "base/warnings.hpp"
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

std::string first_file;  // of the process that the library was loaded into

/// A name that no other process of the run has. @param parents  which is taken
std::string apart(std::string file, const std::string& parents, int pid) {
    if (file != parents) return file;
    const std::size_t name = file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1;
    const std::size_t dot = file.rfind('.');
    return file.insert(dot == std::string::npos || dot <= name ? file.size() : dot, "-" + std::to_string(pid));
}

void begin(const Options& asked) {
    const RunRecord self = describe_process();
    const std::string file = apart(from_start(expand_pattern(asked.trace, self)), first_file, self.pid);
    TraceFileHeader header;
    header.rank = self.rank;
    header.ranks = self.ranks;
    header.every = asked.trace_every;
    put(self.host, header.host);
    put(self.program, header.program);
    put(file, header.target);
    if (first_file.empty()) first_file = file;
    start_trace(file, asked.trace_limit, header);
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
    if (records.empty()) return;
    if (ending_in_handler()) {
        warn_once(
            "exit() was called in a signal handler: the trace is still to be made of its records. `gimbal run` "
            "does so; else: gimbal report --trace perfetto " +
            records);
        return;
    }
    const std::string lost = lost_text(write_trace(records));
    if (!lost.empty()) warn_once(lost);
}

}  // namespace gimbal
