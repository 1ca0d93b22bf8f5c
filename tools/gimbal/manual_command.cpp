// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/selection.hpp"
#include "config/table.hpp"
#include "gimbal/error.hpp"
#include "gimbal/technique.hpp"
#include "help_format.hpp"
#include "info_command.hpp"
#include "report/run_record.hpp"

namespace gimbal::tool {

namespace {

/// As troff wants it: no command at the beginning of a line, hyphens that can be copied.
std::string roff(std::string_view text) {
    std::string escaped;
    bool line_begins = true;
    for (const char letter : text) {
        if (line_begins && (letter == '.' || letter == '\'')) escaped += "\\&";
        if (letter == '\\')
            escaped += "\\e";
        else if (letter == '-')
            escaped += "\\-";
        else
            escaped += letter;
        line_begins = letter == '\n';
    }
    return escaped;
}

std::string one_line(std::string text) {
    for (char& letter : text)
        if (letter == '\n') letter = ' ';
    return text;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

/// The names of an option as they are typed; the type of its value behind them.
std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

/// Not a flag, and not one that may have a value behind an equals sign.
bool takes_value(const CLI::Option& option) {
    return option.get_expected_min() > 0;
}

std::string options_roff(const CLI::App& command) {
    std::string text;
    for (const CLI::Option* option : command.get_options()) {
        std::string names;
        for (const std::string& name : names_of(*option))
            names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
        if (names.empty())
            names = "\\fI" + roff(option->get_name()) + "\\fR";
        else if (takes_value(*option))
            names += " \\fI" + (option->get_option_text().empty() ? "VALUE" : roff(option->get_option_text())) + "\\fR";
        text += ".TP\n" + names + "\n" + roff(one_line(option->get_description()));
        if (!option->get_default_str().empty()) text += " (default: " + roff(option->get_default_str()) + ")";
        text += "\n";
    }
    return text.empty() ? "" : ".SH OPTIONS\n" + text;
}

std::string environment_roff() {
    std::string text =
        ".SH ENVIRONMENT\nPrecedence: the program's own calls, the command line, the environment, the file that "
        "\\fBGIMBAL_CONFIG\\fR names, the default.\n";
    for (const OptionSpec& spec : option_table()) {
        if (spec.hidden) continue;
        text += ".TP\n\\fB" + roff(spec.name) + "\\fR\n" + roff(spec.doc) + "\nAllowed: " + roff(allowed_values(spec)) +
                ".";
        if (!spec.fallback.empty()) text += " Default: " + roff(spec.fallback) + ".";
        text += "\n";
    }
    return text;
}

std::string footer_roff(const CLI::App& command) {
    const std::string footer = command.get_footer();
    const bool of_parent = command.get_parent() && footer == command.get_parent()->get_footer();  // CLI11 hands it down
    return footer.empty() || of_parent ? "" : ".SH EXAMPLES\n.nf\n" + roff(footer) + "\n.fi\n";
}

std::string page(const CLI::App& app, const CLI::App& command) {
    const bool whole = &app == &command;
    const std::string name = whole ? "gimbal" : "gimbal-" + command.get_name();
    std::string text = ".TH " + roff(name) + " 1 \"\" \"gimbal " + std::string(version()) + "\" \"User Commands\"\n";
    text += ".SH NAME\n" + roff(name) + " \\- " + roff(one_line(command.get_description())) + "\n";
    text += ".SH SYNOPSIS\n\\fBgimbal\\fR ";
    text += whole ? "\\fICOMMAND\\fR" : "\\fB" + roff(command.get_name()) + "\\fR";
    if (!whole && command.get_require_subcommand_min() > 0) text += " \\fICOMMAND\\fR";
    text += " [\\fIOPTIONS\\fR]";
    for (const CLI::Option* option : command.get_options())
        if (names_of(*option).empty()) {
            const std::string word = "\\fI" + roff(option->get_name()) + "\\fR";
            text += option->get_required() ? " " + word : " [" + word + "]";
        }
    if (command.get_prefix_command()) text += " \\-\\- \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR]";
    text += "\n";
    if (!commands_of(command).empty()) text += ".SH COMMANDS\n";
    for (const CLI::App* one : commands_of(command))
        text += ".TP\n\\fB" + roff(one->get_name()) + "\\fR\n" + roff(one_line(one->get_description())) + "\n";
    text += options_roff(command);
    for (const CLI::App* one : whole ? std::vector<const CLI::App*>() : commands_of(command))
        if (std::string more = options_roff(*one); !more.empty())
            text += ".SH " + roff(command.get_name() + " " + one->get_name()) + "\n" + more.substr(more.find('\n') + 1);
    if (whole || command.get_name() == "run") text += environment_roff();
    text += footer_roff(command) + ".SH SEE ALSO\n";
    if (!whole) return text + "\\fBgimbal\\fR(1)\n";
    std::string others;
    for (const CLI::App* one : commands_of(app))
        others += (others.empty() ? "" : ",\n") + ("\\fBgimbal\\-" + roff(one->get_name())) + "\\fR(1)";
    return text + others + "\n";
}

/// What may stand behind an option of `gimbal run`, words with blanks between them; empty: anything.
std::string words_for(const OptionSpec& spec) {
    std::string words;
    const auto add = [&](std::string_view word) { words.append(words.empty() ? "" : " ").append(word); };
    if (spec.type == OptionType::schedule)
        for (const Technique* technique : techniques()) add(technique->info().name);
    if (spec.name == "GIMBAL_SELECT" || spec.type == OptionType::schedule)
        for (const SelectorInfo& selector : selectors()) add(selector.name);
    if (spec.type == OptionType::choice)
        for (const std::string_view word : spec.choices) add(word);
    if (spec.type == OptionType::boolean) words = "on off";
    return words;
}

/// An option of a command, for completion.
struct Completed {
    std::vector<std::string> names;
    std::string description, words;
    bool value = false;
};

std::vector<Completed> completed(const CLI::App& command) {
    std::vector<Completed> list;
    for (const CLI::Option* option : command.get_options()) {
        if (names_of(*option).empty()) continue;
        Completed& one = list.emplace_back(
            Completed{names_of(*option), one_line(option->get_description()), "", takes_value(*option)});
        for (const OptionSpec& spec : option_table())
            if (!spec.flag.empty() && command.get_prefix_command() && option->check_name(std::string(spec.flag)))
                one.words = words_for(spec);
    }
    return list;
}

/// One case of `case $command in` for a command or, as "info config", a command of a command.
std::string bash_case(const std::string& path, const CLI::App& command) {
    std::string options, values, takers;
    for (const CLI::App* below : commands_of(command)) options += (options.empty() ? "" : " ") + below->get_name();
    for (const Completed& one : completed(command)) {
        std::string names;
        for (const std::string& name : one.names) {
            options += (options.empty() ? "" : " ") + name;
            names += (names.empty() ? "" : "|") + name;
        }
        if (one.value && !one.words.empty()) values += "                " + names + ") words='" + one.words + "' ;;\n";
        if (one.value) takers += (takers.empty() ? "" : "|") + names;
    }
    std::string text = "        '" + path + "')\n            options='" + options + "'\n";
    if (!takers.empty()) text += "            case $previous in " + takers + ") options= ;; esac\n";
    if (!values.empty()) text += "            case $previous in\n" + values + "            esac\n";
    return text + "            ;;\n";
}

std::string bash(const CLI::App& app) {
    std::string cases, commands;
    for (const CLI::App* command : commands_of(app)) {
        commands += (commands.empty() ? "" : " ") + command->get_name();
        cases += bash_case(command->get_name(), *command);
        for (const CLI::App* below : commands_of(*command))
            cases += bash_case(command->get_name() + " " + below->get_name(), *below);
    }
    return "# bash completion for gimbal; made by gimbal manual --form bash\n"
           "_gimbal() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} options= words= i\n"
           "    local command=${COMP_WORDS[1]}\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W '" +
           commands +
           " --help --version' -- \"$current\"))\n"
           "        return\n"
           "    fi\n"
           "    # After -- there is another program's command line.\n"
           "    if [ \"$command\" = run ] || [ \"$command\" = tune ]; then\n"
           "        for ((i = 2; i < COMP_CWORD; ++i)); do\n"
           "            if [ \"${COMP_WORDS[i]}\" = -- ]; then\n"
           "                if [ \"$((i + 1))\" -eq \"$COMP_CWORD\" ]; then COMPREPLY=($(compgen -cf -- "
           "\"$current\"))\n"
           "                elif declare -F _command_offset >/dev/null; then _command_offset \"$((i + 1))\"\n"
           "                else COMPREPLY=($(compgen -f -- \"$current\")); fi\n"
           "                return\n"
           "            fi\n"
           "        done\n"
           "    fi\n"
           "    case $command in info | pin | campaign) [ \"$COMP_CWORD\" -eq 2 ] || command=\"$command "
           "${COMP_WORDS[2]}\" ;; "
           "esac\n"
           "    case $command in\n" +
           cases +
           "    esac\n"
           "    if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
           "    elif [ -n \"$options\" ] && { [ \"${current:0:1}\" = - ] || [ \"${options:0:1}\" != - ]; }; then\n"
           "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
           "    fi\n"
           "    [ \"${#COMPREPLY[@]}\" -gt 0 ] || COMPREPLY=($(compgen -f -- \"$current\"))\n"
           "}\n"
           "complete -o filenames -F _gimbal gimbal\n";
}

/// In _arguments a colon, a bracket and a quote mean something.
std::string zsh_text(std::string_view text) {
    std::string escaped;
    for (const char letter : text) {
        if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') escaped += '\\';
        if (letter == '\'')
            escaped += "'\\''";
        else
            escaped += letter;
    }
    return escaped;
}

std::string zsh_case(const CLI::App& command) {
    std::string text = "            " + command.get_name() + ")\n                _arguments";
    for (const Completed& one : completed(command))
        for (const std::string& name : one.names) {
            text += " \\\n                    '" + name + "[" + zsh_text(one.description) + "]";
            if (one.value) text += ":value:" + (one.words.empty() ? "_files" : "(" + one.words + ")");
            text += "'";
        }
    std::string below;
    for (const CLI::App* one : commands_of(command)) below += (below.empty() ? "" : " ") + one->get_name();
    if (!below.empty()) text += " \\\n                    '1:topic:(" + below + ")'";
    if (command.get_prefix_command())
        text += " \\\n                    '(-)1:program: _command_names -e' '*::argument: _normal'";
    else
        text += " \\\n                    '*:file:_files'";
    return text + "\n                ;;\n";
}

std::string zsh(const CLI::App& app) {
    std::string cases, commands;
    for (const CLI::App* command : commands_of(app)) {
        commands += "        '" + command->get_name() + ":" + zsh_text(one_line(command->get_description())) + "'\n";
        cases += zsh_case(*command);
    }
    return "#compdef gimbal\n# Made by gimbal manual --form zsh.\n"
           "_gimbal() {\n    local context state line\n    local -a commands\n    commands=(\n" +
           commands +
           "    )\n    _arguments -C '(- *)--help[print help]' '(- *)--version[print the version]' \\\n"
           "        '1:command:->command' '*::argument:->arguments'\n"
           "    case $state in\n"
           "        command) _describe command commands ;;\n"
           "        arguments)\n            case $words[1] in\n" +
           cases + "            esac\n            ;;\n    esac\n}\n_gimbal \"$@\"\n";
}

/// Add what a Python program says of its options and commands (`gimbal campaign --describe`).
void add_described(CLI::App& command, const nlohmann::json& described) {
    command.footer(described.at("footer").get<std::string>());
    for (const nlohmann::json& one : described.at("options")) {
        const auto names = one.at("names").get<std::string>(), help = one.at("help").get<std::string>();
        const auto value = one.at("value").get<std::string>();
        if (value.empty())
            command.add_flag(names, help);
        else
            command.add_option(names, help)->option_text(value);
    }
    if (!described.at("commands").empty()) command.require_subcommand(1);
    for (const nlohmann::json& one : described.at("commands"))
        add_described(*command.add_subcommand(one.at("name"), one.at("description")), one);
}

}  // namespace

void add_manual(CLI::App& app, ManualRequest& request) {
    CLI::App* const command = app.add_subcommand("manual", "Print manual pages and completions, for packages");
    command->group("");  // not in help
    command->add_option("command", request.command, "Whose page; default: that of gimbal itself");
    command->add_option("--form", request.form, "man, bash or zsh")->check(one_of({"man", "bash", "zsh"}));
    command->add_option("--described", request.described,
                        "Folder with COMMAND.json, as gimbal COMMAND --describe prints it, of commands in Python");
}

int manual(CLI::App& app, const ManualRequest& request) {
    for (const PythonCommand& python : {kCampaign, kTune})
        if (std::ifstream file(request.described + "/" + python.name + ".json"); !request.described.empty() && file)
            add_described(*app.get_subcommand(python.name), nlohmann::json::parse(file));
    if (request.form == "bash") return print_text(bash(app));
    if (request.form == "zsh") return print_text(zsh(app));
    const std::string& name = request.command;
    if (name.empty()) return print_text(page(app, app));
    for (const CLI::App* command : commands_of(app))
        if (command->get_name() == name) return print_text(page(app, *command));
    throw Error(ErrorCode::wrong_use, "manual: there is no command \"" + name + "\"", "see: gimbal --help");
}

}  // namespace gimbal::tool
