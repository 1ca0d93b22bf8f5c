// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/load.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/nearest.hpp"
#include "base/quote.hpp"
#include "base/spelling.hpp"
#include "config/schedule_value.hpp"
#include "config/selection.hpp"
#include "config/table.hpp"
#include "gimbal/output_file.hpp"
#include "learn/names.hpp"

namespace gimbal {

namespace {

constexpr std::string_view kMoreTechniques = "      more: gimbal info techniques";
constexpr std::string_view kMoreSelectors = "      more: gimbal info selectors";
constexpr std::string_view kMoreOptions = "      more: gimbal info config";

/// "(from the environment)", "(from the API)", "(from the file x)".
std::string from(const Setting& setting) {
    return " (from the " + setting.origin + ").";
}

std::string_view more(const OptionSpec& spec) {
    if (spec.name == "GIMBAL_SELECT" || spec.name == "GIMBAL_RL_AGENT") return kMoreSelectors;
    return spec.type == OptionType::schedule || spec.type == OptionType::loops ? kMoreTechniques : kMoreOptions;
}

/// The names of all options in the form in which a setting was given: flags, variables with the same prefix, or keys.
std::vector<std::string> names_like(const Setting& setting) {
    const bool variable = setting.origin == "environment";
    const bool flag = setting.name.starts_with("--");
    const bool gimbals = setting.name.starts_with("GIMBAL_");
    const std::string_view prefix = setting.name.starts_with("KMP_") ? "KMP_RL_" : "LB4MPI_RL_";
    std::vector<std::string> names;
    for (const OptionSpec& spec : option_table()) {
        if (spec.hidden || (flag && spec.flag.empty())) continue;
        if (flag || !variable || gimbals)
            names.push_back(flag ? std::string(spec.flag) : variable ? std::string(spec.name) : key_of(spec));
        else
            for (const std::string_view alias : spec.aliases)
                if (alias.starts_with(prefix)) names.emplace_back(alias);
    }
    return names;
}

/// Whether an option is one of the many of learning, or of those for ranks.
enum class Family : std::uint8_t { general, learning, ranks };

Family family_of(std::string_view name) {
    if (name.starts_with("GIMBAL_RL_") || name.starts_with("rl_")) return Family::learning;
    return name.starts_with("GIMBAL_MPI_") || name.starts_with("mpi_") ? Family::ranks : Family::general;
}

/// What a user may write in the place where this setting stands. Of families only somebody who named one of them is
/// told.
Error unknown_name(const Setting& setting) {
    const std::vector<std::string> names = names_like(setting);
    std::string allowed;
    for (const std::string& name : names) {
        if (family_of(name) != family_of(setting.name) && !name.starts_with("--")) continue;
        allowed.append(allowed.empty() ? "" : " ").append(name);
    }
    // The others are said by their beginnings.
    if (family_of(setting.name) == Family::general && !setting.name.starts_with("--"))
        allowed += setting.name.starts_with("GIMBAL_") ? " GIMBAL_RL_... GIMBAL_MPI_..." : " rl_... mpi_...";
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string suggestion = did_you_mean(nearest(setting.name, views));
    const std::string shown = quote_value(setting.name);
    return {ErrorCode::unknown_option,
            shown.substr(1, shown.size() - 2) + ": there is no such option" + from(setting) +
                (suggestion.empty() ? "" : " " + suggestion),
            "allowed: " + allowed + std::string(kMoreOptions)};
}

/// A hint that begins with an example is about a part of the value: the list of what the whole may be would hide it.
Error wrong_value(const Setting& setting, const Error& error, const std::string& allowed, std::string_view more) {
    if (error.hint().starts_with("example"))
        return {error.code(), setting.name + ": " + error.what() + from(setting), error.hint() + std::string(more)};
    return {error.code(),
            setting.name + ": " + error.what() + from(setting) + (error.hint().empty() ? "" : " " + error.hint()),
            "allowed: " + allowed + std::string(more)};
}

/// KMP_RL_REWARD has two meanings in seed 000's table 4.1; commas tell them apart.
bool means_other_option(const Setting& setting) {
    const OptionSpec* const spec = find_option(setting.name);
    return spec && !spec->with_commas.empty() && setting.value.find(',') != std::string::npos;
}

/// From the weakest name of an option to the strongest: the order in which the environment is in means nothing.
std::vector<Setting> by_strength(std::vector<Setting> settings) {
    const auto place = [](const Setting& setting) {
        return 2 * alias_place(setting.name) + (means_other_option(setting) ? 1 : 0);
    };
    std::stable_sort(settings.begin(), settings.end(),
                     [&](const Setting& a, const Setting& b) { return place(a) > place(b); });
    return settings;
}

/// Take over one setting if its name and value are right; otherwise note the problem.
void apply(const Setting& setting, LoadedOptions& loaded) {
    const OptionSpec* spec = find_option(setting.name);
    if (!spec) {
        loaded.problems.push_back(unknown_name(setting));
        return;
    }
    if (means_other_option(setting)) spec = find_option(spec->with_commas);
    try {
        const OptionValue value = read_value(*spec, setting.value);
        const Levels levels = spec->select ? levels_of(setting.name) : Levels::both;
        if (spec->canonical == agent_word && levels != Levels::ranks) refuse_steal_ratio(std::get<std::string>(value));
        put(*spec, levels, value, loaded.options);
        if (spec->canonical == agent_word && levels == Levels::ranks)
            loaded.options.ranks.agent = std::get<std::string>(value);
        const auto row = static_cast<std::size_t>(spec - option_table().data());
        const std::string text(technique::trimmed(setting.value));
        const std::string alias = alias_place(setting.name) > 0 ? setting.name : std::string();
        if (levels != Levels::ranks)
            loaded.options.effective[row] = {std::string(spec->name), text, setting.origin, alias};
        if (levels != Levels::threads)
            loaded.options.effective_ranks[row] = {levels == Levels::ranks ? setting.name : std::string(spec->name),
                                                   text, setting.origin};
    } catch (const Error& error) {
        loaded.problems.push_back(wrong_value(setting, error, allowed_values(*spec), more(*spec)));
    }
}

/// OMP_SCHEDULE is OpenMP's; it becomes ours only if OpenMP would not understand it.
void apply_omp_schedule(const std::string& value, LoadedOptions& loaded) {
    loaded.options.omp_schedule = value;
    if (is_ordinary_openmp(value)) return;
    try {
        if (technique::trimmed(value).empty()) throw Error(ErrorCode::invalid_option, "the value is empty");
        if (value.size() > 4096) throw Error(ErrorCode::invalid_option, "the value is too long: " + quote_value(value));
        (void)read_schedule(value);
        loaded.options.omp_schedule_is_gimbals = true;
    } catch (const Error& error) {
        loaded.problems.push_back(wrong_value({"OMP_SCHEDULE", value, "environment"}, error,
                                              schedule_names() + ", or OpenMP's own", kMoreTechniques));
    }
}

void set_defaults(Options& options) {
    for (const OptionSpec& spec : option_table()) {
        options.effective.push_back({std::string(spec.name), std::string(spec.fallback), "default"});
        if (!spec.fallback.empty()) put(spec, Levels::both, read_value(spec, spec.fallback), options);
    }
    options.effective_ranks = options.effective;
}

bool names_a_file(const Setting& setting) {
    const OptionSpec* const spec = find_option(setting.name);
    return spec && key_of(*spec) == "config";
}

/// The setting that names the file; problems in its value show when it is applied.
Setting config_file(const Environment& environment, std::span<const Setting> overrides) {
    Setting file;
    for (const std::span<const Setting> source : {std::span<const Setting>(environment.settings), overrides})
        for (const Setting& setting : source)
            if (names_a_file(setting)) file = setting;
    return file;
}

/// Which file it is, is settled before it is read: a name of another one in it would have no effect.
std::vector<Setting> file_settings(const Setting& file, std::vector<Error>& problems) {
    const std::string path(technique::trimmed(file.value));
    if (path.empty()) return {};
    try {
        std::vector<Setting> settings = read_settings_file(path);
        for (const Setting& setting : settings)
            if (names_a_file(setting))
                problems.emplace_back(ErrorCode::invalid_option,
                                      setting.name + ": a settings file cannot name another one" + from(setting),
                                      "allowed: the settings themselves" + std::string(kMoreOptions));
        std::erase_if(settings, names_a_file);
        return settings;
    } catch (const Error& error) {
        problems.emplace_back(error.code(), file.name + ": " + error.what(), error.hint());
        return {};
    }
}

bool is_of_file(const Setting& setting) {
    return setting.origin.starts_with("file ");
}

/// Of files that are written each needs a name of its own: else the last one to end is all that is left. The later one
/// counts as not given. What patterns become is not known here; the same pattern is the same file.
void refuse_shared_files(LoadedOptions& loaded, std::vector<Error>& file_problems) {
    Options& options = loaded.options;
    const std::array<std::pair<std::string_view, std::string*>, 6> files = {
        {{"GIMBAL_OUTPUT", &options.output},
         {"GIMBAL_TRACE", &options.trace},
         {"GIMBAL_PIN_TRACE", &options.pin.trace},
         {"GIMBAL_RECORD", &options.select.record},
         {"GIMBAL_LOOP_STATS", &options.loop_stats},
         {"GIMBAL_RL_AGENT_STATS", &options.select.agent_stats}}};
    const auto whole = [](const std::string& path) {
        std::error_code ignored;
        return std::filesystem::absolute(path, ignored).lexically_normal();
    };
    for (std::size_t i = 0; i < files.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const auto& [name, path] = files[i];
            if (path->empty() || files[k].second->empty() || is_stream(*path)) continue;
            if (whole(*path) != whole(*files[k].second)) continue;
            const auto row = static_cast<std::size_t>(find_option(name) - option_table().data());
            Setting& use = options.effective[row];
            (is_of_file(use) ? file_problems : loaded.problems)
                .emplace_back(ErrorCode::wrong_use,
                              given_as(options, name) + ": " + quote_value(*path) + " is also the file of " +
                                  given_as(options, files[k].first) + from(use),
                              "each needs a file of its own");
            path->clear();
            use.value.clear();
            use.origin = "default";
        }
}

/// `levels` has an agent choose techniques of both levels; an agent that chooses chunks has nothing to do there. It
/// counts as not given.
void refuse_chunks_of_levels(LoadedOptions& loaded, std::vector<Error>& file_problems) {
    Options& options = loaded.options;
    const OptionSpec& spec = *find_option("GIMBAL_RL_AGENT");
    const auto row = static_cast<std::size_t>(&spec - option_table().data());
    bool said = false;
    for (const bool ranks : {false, true}) {
        SelectorSettings& chosen = ranks ? options.select_ranks : options.select;
        if (chosen.name != "levels" || learn::meta_of(chosen.agent) != learn::MetaKind::chunk) continue;
        Setting& use = (ranks ? options.effective_ranks : options.effective)[row];
        if (!std::exchange(said, true))
            (is_of_file(use) ? file_problems : loaded.problems)
                .emplace_back(
                    ErrorCode::wrong_use,
                    use.name + ": " + quote_value(use.value) + " chooses chunks, and GIMBAL_SELECT=levels techniques" +
                        from(use),
                    "with levels take another agent, q or sarsa for instance; chunks alone: GIMBAL_SELECT=chunk" +
                        std::string(kMoreSelectors));
        chosen.agent = spec.fallback;
        use.value = chosen.agent;
        use.origin = "default";
    }
}

}  // namespace

LoadedOptions load_options(const Environment& environment, std::span<const Setting> overrides) {
    LoadedOptions loaded;
    set_defaults(loaded.options);
    std::vector<Error> file_problems;
    // Applied from the weakest source to the strongest, so that the last right value stands.
    for (const Setting& setting : file_settings(config_file(environment, overrides), file_problems))
        apply(setting, loaded);
    file_problems.insert(file_problems.end(), loaded.problems.begin(), loaded.problems.end());
    loaded.problems.clear();
    for (const Setting& setting : by_strength(environment.settings)) apply(setting, loaded);
    if (environment.omp_schedule) apply_omp_schedule(*environment.omp_schedule, loaded);
    for (const Setting& setting : overrides) apply(setting, loaded);
    resolve_selection(loaded.options);
    refuse_chunks_of_levels(loaded, file_problems);
    refuse_shared_files(loaded, file_problems);
    loaded.problems.insert(loaded.problems.end(), file_problems.begin(), file_problems.end());
    loaded.in_file = file_problems.size();
    return loaded;
}

bool differs_for_ranks(const Options& options, std::size_t row) {
    const Setting &threads = options.effective[row], &ranks = options.effective_ranks[row];
    return threads.value != ranks.value || threads.origin != ranks.origin;
}

std::string given_as(const Options& options, std::string_view name) {
    const OptionSpec* const spec = options.origin(name) == "command line" ? find_option(name) : nullptr;
    return std::string(spec && !spec->flag.empty() ? spec->flag : name);
}

void validate(const LoadedOptions& loaded) {
    if (!loaded.problems.empty()) throw loaded.problems.front();
}

std::string message_text(const Error& error, std::string_view severity) {
    std::string text = "gimbal: " + std::string(severity) + ": " + error.what() + "\n";
    if (!error.hint().empty()) text += "        " + error.hint() + "\n";
    return escape_controls(text, "\n\t");  // names of files are shown as they are
}

}  // namespace gimbal
