// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `gimbal`: start programs under the patched OpenMP runtime, merge reports, and say what there is.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <span>

#include "base/nearest.hpp"
#include "base/spelling.hpp"
#include "commands.hpp"
#include "config/load.hpp"
#include "config/schedule_value.hpp"
#include "config/table.hpp"
#include "gimbal/error.hpp"
#include "help_format.hpp"
#include "info_command.hpp"
#include "paths.hpp"
#include "report/run_record.hpp"
#include "report/table.hpp"
#include "simulate_command.hpp"

extern "C" char** environ;

namespace gimbal::tool {

namespace {

constexpr int kWrongUse = 2;

constexpr const char* kRunExamples =
    "Examples:\n"
    "  gimbal run -- ./app input.txt                 loops with schedule(runtime), Gimbal chooses\n"
    "  gimbal run -t 8 --schedule gss -- ./app       8 threads, one technique for all of them\n"
    "  gimbal run --select sarsa --record a.csv -- ./app   an agent learns; its choices are kept\n"
    "  gimbal run -n 4 -t 2 --report full -- ./app   4 MPI ranks, one report for all\n"
    "  gimbal run -n 4 --mpiexec srun --output run-%j-%r.json -- ./app\n"
    "Exit status: the program's own; 128 + signal; 2: refused; 126, 127: cannot be started.";

constexpr const char* kExamples =
    "Examples:\n"
    "  gimbal run -n 4 -- ./app        run, and report which loops were unbalanced\n"
    "  gimbal check ./app              what it is linked to, and which of its loops Gimbal can take\n"
    "  gimbal report run-*.json        the same report from saved records, one for each run\n"
    "  gimbal run --pin -- ./app       place its threads, learning from their speeds\n"
    "  gimbal pin show                 the machine, and whom Gimbal has placed where\n"
    "  gimbal top                      loops, threads and ranks of what runs now\n"
    "  gimbal info techniques          what --schedule may name\n"
    "  gimbal info selectors           what --select may name\n"
    "  gimbal simulate --app triangular --select auto --workers 64     loops in virtual time\n"
    "  gimbal tune --runs 12 -- ./app  try ranks x threads x schedule, and say what is best\n"
    "  gimbal campaign --help          compare techniques and selectors, with statistics";

struct CommandLine {
    RunRequest run;
    SimulateRequest simulate;
    PinRequest pin;
    TopRequest top;
    std::vector<std::string> after_dashes;     ///< what follows the first "--" of `run`
    std::map<std::string, std::string> flags;  ///< values of the option table's flags
    ReportRequest report;
    std::string checked;  ///< program of `check`
    ManualRequest manual;
    bool json = false, markdown = false;  ///< of `check` and `info`
};

/// What an option of the table may be, for help. @return begins with a new line; empty: its sentence says it
std::string allowed_line(const OptionSpec& spec) {
    if (spec.type == OptionType::schedule) return "\nmore: gimbal info techniques";
    if (spec.flag == "--select") return "\nmore: gimbal info selectors";
    const bool words = spec.type == OptionType::choice || spec.type == OptionType::boolean;
    if (spec.flag == "--pin" || spec.flag == "--elastic" || !(words || spec.type == OptionType::integer)) return {};
    const std::string fallback(spec.fallback);
    return "\nallowed: " + (spec.type == OptionType::boolean ? std::string("on off") : allowed_values(spec)) +
           (fallback.empty() ? "" : "; default: " + fallback);
}

void add_run(CLI::App& app, CommandLine& line) {
    CLI::App* const run = app.add_subcommand("run", "Run a program under Gimbal and report at its end");
    run->footer(kRunExamples);
    run->prefix_command();
    run->add_option("-n,--ranks", line.run.ranks, "Start this many MPI ranks with mpiexec")
        ->check(CLI::Range(1, 1 << 24));
    run->add_option("-t,--threads", line.run.threads, "Threads per process (sets OMP_NUM_THREADS)")
        ->check(CLI::Range(1, kMaxThreads));
    run->add_option("--mpiexec", line.run.mpiexec,
                    "MPI launcher for -n, with its options\ndefault: mpiexec of the MPI that the program is linked to");
    for (const OptionSpec& spec : option_table()) {
        if (spec.flag.empty()) continue;
        std::string& value = line.flags[std::string(spec.flag)];
        const std::string help = std::string(spec.doc) + " (" + std::string(spec.name) + ")" + allowed_line(spec);
        // --pin alone means learn, so a word after it is the program's.
        if (spec.flag == "--pin")
            run->add_flag("--pin{learn}", value,
                          help + "\n--pin alone: learn; or --pin=observe, --pin=static, --pin=off");
        else if (spec.flag == "--elastic")
            run->add_flag("--elastic{on}", value, help + "\n--elastic alone: on; or --elastic=off");
        else
            run->add_option(std::string(spec.flag), value, help);
    }
}

void add_report(CLI::App& app, CommandLine& line) {
    CLI::App* const report = app.add_subcommand("report", "Print one report for each run that saved records are of");
    report->footer(
        "Examples:\n"
        "  gimbal report run-81234-*.json                              all ranks of one run\n"
        "  gimbal report --compare run-81234-*.json run-81235-*.json   two runs, loop by loop\n"
        "  gimbal report --trace otf2 run-*.pftrace                    a trace for Vampir\n"
        "  gimbal report --html run.html run-81234-*.json              a page with charts, for a browser");
    report->add_option("files", line.report.files, "JSON records written by --output or GIMBAL_OUTPUT")->required();
    report->add_option("--trace", line.report.trace,
                       "Write traces of --trace in another form: json (Chrome),\notf2 (Vampir, Scalasca); perfetto: of "
                       "what a killed\nprocess recorded");
    report->add_option("--to", line.report.output,
                       "With --trace: the file, or for otf2 the folder, to write\ndefault: the first trace's name with "
                       ".trace.json or .otf2");
    report->add_flag("--full", line.report.full, "Every setting and every thread as well")->excludes("--trace");
    report
        ->add_flag("--compare", line.report.compare,
                   "Runs side by side: times, imbalance, technique,\nand each one's time over the first one's")
        ->excludes("--trace")
        ->excludes("--full");
    report->add_option("--html", line.report.html, "Write a page with charts into this file")
        ->excludes("--trace")
        ->excludes("--full")
        ->excludes("--compare");
    report
        ->add_option(
            "--steps", line.report.steps,
            "File of --record, for charts over steps; one for each --steps\ndefault: those that the records name")
        ->allow_extra_args(false)
        ->needs("--html");
    report->add_flag("--json", line.report.json, "As JSON")
        ->excludes("--trace")
        ->excludes("--full")
        ->excludes("--compare")
        ->excludes("--html");
}

void add_check(CLI::App& app, CommandLine& line) {
    CLI::App* const check =
        app.add_subcommand("check", "Say which loops of a program Gimbal can take, without running it");
    check->footer(
        "Example:\n  gimbal check ./app\n"
        "Exit status: 0; 1: gimbal run would refuse the program.");
    check->add_option("program", line.checked, "Name or path of the program, or path of a library")->required();
    check->add_flag("--json", line.json, "As JSON");
}

void add_info(CLI::App& app, CommandLine& line) {
    CLI::App* const info =
        app.add_subcommand("info", "Say what there is: techniques, selectors, settings, machine, build");
    info->require_subcommand(1);
    info->footer("Examples:\n  gimbal info techniques\n  gimbal info config --markdown\n  gimbal info topology --json");
    const auto topic = [&](const char* name, const char* what) {
        CLI::App* const command = info->add_subcommand(name, what);
        command->add_flag("--json", line.json, "As JSON");
        command->footer(std::string("Example:\n  gimbal info ") + name + " --json");
        return command;
    };
    topic("techniques", "Self-scheduling techniques: names, parameters, sources");
    topic("selectors", "Who may choose the technique: selectors and agents that learn");
    topic("config", "Settings: value now, origin, what is allowed")
        ->add_flag("--markdown", line.markdown, "As a table for documentation");
    topic("topology", "Cores, NUMA nodes, and where this process may run");
    topic("build", "Versions, and the OpenMP runtime that `gimbal run` uses");
    topic("metrics", "The formulas of the report");
}

/// Say that an option does not exist, with the nearest one that does.
Error unknown_flag(const CLI::App& command, const std::string& path, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string suggestion = did_you_mean(nearest(word.substr(0, word.find('=')), views));
    return {ErrorCode::unknown_option,
            word + ": there is no such option" + (suggestion.empty() ? "." : ". " + suggestion),
            "see: " + path + " --help"};
}

/// What CLI11 says, where it does not speak as Gimbal does: "--html: 1 required TEXT missing".
std::string message_of(const CLI::ParseError& error) {
    const std::string text = error.what();
    const bool lacks_value = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch) &&
                             text.find(": 1 required ") != std::string::npos;
    return lacks_value ? text.substr(0, text.find(':')) + ": a value is missing" : text;
}

/// What is wrong with the words of a command: an option that there is none of before all else, with the nearest one.
Error wrong_words(const CLI::App& app, int argc, char** argv, const CLI::ParseError& error) {
    const CLI::App* command = &app;
    std::string path = "gimbal";
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::string flag = word.substr(0, word.find('='));
        if (word == "--") break;
        if (word.starts_with("--") && !command->get_prefix_command() && !command->get_option_no_throw(flag))
            return unknown_flag(*command, path, word);
        const auto below = command->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
        if (below.empty()) continue;
        command = below.front();
        path += " " + word;
    }
    return {ErrorCode::wrong_use, message_of(error), "see: " + path + " --help"};
}

/// `gimbal help run` is `gimbal run --help`.
std::vector<std::string> with_help_as_option(std::vector<std::string> words) {
    if (words.empty() || words.front() != "help") return words;
    words.erase(words.begin());
    words.emplace_back("--help");
    return words;
}

/// An error on a terminal goes on in the next line, from a blank on.
void print_error(const Error& error) {
    write_stderr(fitted(message_text(error, "error"), output_width(read_environment(environ).columns, STDERR_FILENO)));
}

/// Refuse empty values, which a script's variable that is not set leaves: they do not mean that nothing is given.
/// @param path  of the command, for example "gimbal report"
void check_values(const CLI::App& command, const std::string& path) {
    for (const CLI::Option* option : command.get_options())
        for (const std::string& value : option->results())
            if (value.empty())
                throw Error(ErrorCode::wrong_use, option->get_name() + ": the value is empty",
                            "see: " + path + " --help");
    for (const CLI::App* below : command.get_subcommands()) check_values(*below, path + " " + below->get_name());
}

/// Options of `run` that need no value, and what theirs may be.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kValueAfterSign = {
    {{"--pin", "learn observe static off"}, {"--elastic", "on off"}}};

/// Refuse `--pin observe -- ./app`, where the value is taken for the program, and `--pin=`.
void check_values_after_signs(const CLI::App& command, const std::vector<std::string>& words) {
    for (const auto& [flag, values] : kValueAfterSign) {
        if (command.count(std::string(flag)) == 0 || words.empty()) continue;
        const std::vector<std::string> allowed = words_of(std::string(values));
        if (std::find(allowed.begin(), allowed.end(), words.front()) != allowed.end() &&
            find_program(words.front()).path.empty())
            throw Error(ErrorCode::wrong_use,
                        words.front() + ": there is no such program. Did you mean \"" + std::string(flag) + "=" +
                            words.front() + "\"?",
                        "see: gimbal run --help");
    }
}

int do_run(const CLI::App& command, CommandLine& line) {
    std::vector<std::string>& words = line.run.command;
    words = command.remaining();
    check_values_after_signs(command, words);
    if (!words.empty() && words.front().starts_with("-")) throw unknown_flag(command, "gimbal run", words.front());
    // After the program's name "--" is the program's own.
    if (!words.empty() && !line.after_dashes.empty()) words.push_back("--");
    words.insert(words.end(), line.after_dashes.begin(), line.after_dashes.end());
    if (words.empty())
        throw Error(ErrorCode::wrong_use, "run: no program is given", "example: gimbal run -t 4 -- ./app");
    if (command.count("--mpiexec") > 0 && line.run.mpiexec.empty())
        throw Error(ErrorCode::wrong_use, "--mpiexec: the value is empty",
                    "example: gimbal run -n 4 --mpiexec srun -- ./app");
    if (command.count("--mpiexec") > 0 && line.run.ranks == 0)
        throw Error(ErrorCode::wrong_use, "--mpiexec: only -n starts ranks",
                    "example: gimbal run -n 4 --mpiexec srun -- ./app");
    for (const OptionSpec& spec : option_table())
        if (!spec.flag.empty() && command.count(std::string(spec.flag)) > 0)
            line.run.overrides.push_back({std::string(spec.flag), line.flags[std::string(spec.flag)], "command line"});
    return run(line.run);
}

int do_info(const CLI::App& info, const CommandLine& line) {
    const InfoForm form = line.json ? InfoForm::json : line.markdown ? InfoForm::markdown : InfoForm::text;
    const std::string topic = info.get_subcommands().front()->get_name();
    if (topic == "techniques") return info_techniques(form);
    if (topic == "selectors") return info_selectors(form);
    if (topic == "config") return info_config(form);
    if (topic == "topology") return info_topology(form);
    return topic == "build" ? info_build(form) : info_metrics(form);
}

int dispatch(CLI::App& app, CommandLine& line) {
    const CLI::App& command = *app.get_subcommands().front();
    // What the options of `run` may be, the option table says.
    if (command.get_name() == "run") return do_run(command, line);
    check_values(command, "gimbal " + command.get_name());
    if (command.get_name() == "report") return report_files(line.report);
    if (command.get_name() == "check") return check(line.checked, line.json);
    if (command.get_name() == "pin") return pin(command, line.pin);
    if (command.get_name() == "manual") return manual(app, line.manual);
    if (command.get_name() == "top") return top(command, line.top);
    if (command.get_name() == "simulate")
        return command.got_subcommand("selfish") ? simulate_selfish(line.simulate.selfish)
                                                 : simulate_application(line.simulate);
    return do_info(command, line);
}

/// CLI11 has no command that takes all the rest as it is, options included; so the rest never gets there.
std::vector<std::string> split_off_program(int argc, char** argv, CommandLine& line) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const auto dashes = std::find(words.begin(), words.end(), "--");
    if (words.empty() || words.front() != "run" || dashes == words.end()) return words;
    line.after_dashes.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
    return words;
}

/// Refuse a command that there is none of, here and below: `gimbal inof`, `gimbal info selctors`, `gimbal info`.
void check_command(const CLI::App& app, std::span<const std::string> words, const std::string& path) {
    if (!words.empty() && words.front().starts_with("-")) return;
    std::vector<std::string> names;
    std::string allowed;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
        if (!command->get_group().empty()) allowed += " " + names.back();
    }
    if (names.empty() || (words.empty() && app.get_name() == "simulate")) return;
    const std::string hint = "allowed:" + allowed + "      more: " + path + " --help";
    if (words.empty()) throw Error(ErrorCode::wrong_use, path + " needs a command.", hint);
    if (std::find(names.begin(), names.end(), words.front()) != names.end())
        return check_command(*app.get_subcommand(words.front()), words.subspan(1), path + " " + words.front());
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string suggestion = did_you_mean(nearest(words.front(), views));
    throw Error(ErrorCode::unknown_option,
                words.front() + ": there is no such command." + (suggestion.empty() ? "" : " ") + suggestion, hint);
}

/// What was printed may only now find no room; a script that goes by the status would take half a list for all of it.
/// @return the status; 1 if it was 0 and the output is not complete
int checked_output(int status) {
    errno = 0;
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
    const std::string reason = errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
    write_stderr("gimbal: error: cannot write to standard output" + reason + "\n");
    return status != 0 ? status : 1;
}

int run_command_line(int argc, char** argv) {
    CLI::App app("Gimbal removes load imbalance from MPI+OpenMP programs.", "gimbal");
    app.formatter(std::make_shared<HelpFormat>());
    app.set_version_flag("--version", "gimbal " + std::string(version()));
    app.footer(kExamples);
    app.require_subcommand(1);
    CommandLine line;
    add_run(app, line);
    add_report(app, line);
    add_info(app, line);
    add_pin(app, line.pin);
    add_top(app, line.top);
    add_manual(app, line.manual);
    add_simulate(app, line.simulate);
    app.add_subcommand("campaign", "Run and analyse experiments: applications x techniques or selectors x repetitions");
    add_check(app, line);
    app.add_subcommand("tune", "Find the best ranks, threads, schedule and arguments of a program in a few runs")
        ->prefix_command();
    try {
        // Their options are their own: see gimbal campaign --help.
        for (const PythonCommand& command : {kCampaign, kTune}) {
            if (argc == 3 && argv[1] == std::string_view("help") && argv[2] == std::string_view(command.name))
                return run_python(command, {"--help"});
            if (argc > 1 && argv[1] == std::string_view(command.name))
                return run_python(command, {argv + 2, argv + argc});
        }
        std::vector<std::string> words = with_help_as_option(split_off_program(argc, argv, line));
        check_command(app, words, "gimbal");
        // CLI11 takes `--pin=` for `--pin`.
        for (const auto& [flag, values] : kValueAfterSign)
            if (words.front() == "run" && std::find(words.begin(), words.end(), std::string(flag) + "=") != words.end())
                throw Error(ErrorCode::wrong_use, std::string(flag) + ": the value is empty",
                            "allowed: " + std::string(values));
        std::reverse(words.begin(), words.end());  // as CLI11 wants them
        app.parse(std::move(words));
        return dispatch(app, line);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        print_error(wrong_words(app, argc, argv, error));
    } catch (const Error& error) {
        print_error(error);
    } catch (const std::exception& error) {
        write_stderr(std::string("gimbal: error: ") + error.what() + "\n");
        return 1;
    }
    return kWrongUse;
}

}  // namespace

}  // namespace gimbal::tool

int main(int argc, char** argv) {
    return gimbal::tool::checked_output(gimbal::tool::run_command_line(argc, argv));
}
