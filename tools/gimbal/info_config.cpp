// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/quote.hpp"
#include "config/load.hpp"
#include "config/pin_words.hpp"
#include "config/table.hpp"
#include "info_command.hpp"

extern "C" char** environ;

namespace gimbal::tool {

namespace {

std::string or_not_set(std::string_view value) {
    return value.empty() ? "not set" : std::string(value);
}

/// "for threads KMP_RL_ALPHA; for ranks LB4MPI_RL_ALPHA".
std::string aliases(const OptionSpec& spec) {
    std::string list;
    for (const auto& [levels, whom] : {std::pair(Levels::threads, "for threads"), {Levels::ranks, "for ranks"}}) {
        std::string names;
        for (const std::string_view alias : spec.aliases)
            if (levels_of(alias) == levels) names.append(" ").append(alias);
        if (!names.empty()) list.append(list.empty() ? "" : ", ").append(whom).append(names);
    }
    return list;
}

/// "0.85  (default)"
std::string shown(const Setting& use) {
    return escape_controls((use.value.empty() ? "(not set)" : use.value) + "  (" + use.origin + ")");
}

/// One sentence for people: what may be written, and where else it can be set.
std::string facts(const OptionSpec& spec) {
    std::string text = "allowed: " + allowed_values(spec) + "; default: " + or_not_set(spec.fallback);
    text += "; level: " + std::string(spec.level) + "; key in the file: " + key_of(spec);
    if (!spec.aliases.empty()) text += "; also " + aliases(spec);
    if (!spec.flag.empty()) text += "; gimbal run " + std::string(spec.flag);
    return text;
}

Json json_of(const OptionSpec& spec, const Setting& use, const Setting& ranks) {
    return {{"name", spec.name},
            {"value", use.value},
            {"origin", use.origin},
            {"value_for_ranks", ranks.value},
            {"origin_for_ranks", ranks.origin},
            {"default", spec.fallback},
            {"allowed", allowed_values(spec)},
            {"level", spec.level},
            {"aliases", spec.aliases},
            {"flag", spec.flag},
            {"key", key_of(spec)},
            {"doc", spec.doc}};
}

std::string markdown_row(const OptionSpec& spec) {
    const auto code = [](std::string_view text) { return text.empty() ? "" : "`" + std::string(text) + "`"; };
    const std::string allowed = spec.type == OptionType::schedule
                                    ? "a technique, a selector or `runtime`; each may have `,chunk`"
                                : spec.type == OptionType::loops        ? "rules `loop=schedule`, `;` between them"
                                : spec.type == OptionType::pin_settings ? "`NAME=value`, `;` between them; names below"
                                                                        : allowed_values(spec);
    return "| " + code(spec.name) + " | " + code(spec.flag) + " | " + allowed + " | " + code(spec.fallback) + " | " +
           std::string(spec.level) + " | " + std::string(spec.doc) +
           (spec.aliases.empty() ? "" : " Also " + aliases(spec) + ".") + " |\n";
}

/// The names of GIMBAL_PIN_SETTINGS: options within an option.
std::string pin_words_text() {
    std::string text;
    for (const std::span<const OptionSpec> rows : {pin_lists(), pin_numbers()})
        for (const OptionSpec& row : rows)
            text += "      " + std::string(row.name) + ": " + allowed_values(row) +
                    (row.fallback.empty() ? "" : ", default " + std::string(row.fallback)) + ". " +
                    std::string(row.doc) + "\n";
    return text;
}

std::string pin_words_markdown() {
    std::string text = "\n| In `GIMBAL_PIN_SETTINGS` | Values | Default | Meaning |\n|--|--|--|--|\n";
    for (const std::span<const OptionSpec> rows : {pin_lists(), pin_numbers()})
        for (const OptionSpec& row : rows)
            text += "| `" + std::string(row.name) + "` | " + allowed_values(row) + " | " +
                    (row.fallback.empty() ? "" : "`" + std::string(row.fallback) + "`") + " | " + std::string(row.doc) +
                    " |\n";
    return text;
}

}  // namespace

int info_config(InfoForm form) {
    const LoadedOptions loaded = load_options(read_environment(environ));
    Json list = Json::array();
    std::string text,
        markdown = "| Variable | `gimbal run` | Values | Default | Level | Meaning |\n|--|--|--|--|--|--|\n";
    for (std::size_t i = 0; i < option_table().size(); ++i) {
        const OptionSpec& spec = option_table()[i];
        if (spec.hidden) continue;
        const Setting& use = loaded.options.effective[i];
        const Setting& ranks = loaded.options.effective_ranks[i];
        list.push_back(json_of(spec, use, ranks));
        markdown += markdown_row(spec);
        text += use.name + "=" + shown(use);
        if (differs_for_ranks(loaded.options, i)) text += ", for ranks " + shown(ranks);
        text += "\n    " + std::string(spec.doc) + "\n    " + facts(spec) + "\n";
        if (spec.type == OptionType::pin_settings) text += pin_words_text();
    }
    if (form == InfoForm::json) print_json(list);
    if (form == InfoForm::markdown) print_text(markdown + pin_words_markdown());
    if (form == InfoForm::text)
        print_text(
            "Precedence: command line, environment, file (GIMBAL_CONFIG), default. In the environment an option's own "
            "name beats its aliases.\n\n" +
            text);
    for (const Error& problem : loaded.problems) write_stderr(message_text(problem, "warning"));
    return 0;
}

}  // namespace gimbal::tool
