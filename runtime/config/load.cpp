// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/load.hpp"

#include "config/file.hpp"
#include "config/schedule_value.hpp"
#include "config/table.hpp"
#include "config/text.hpp"
#include "technique/nearest.hpp"
#include "technique/quote.hpp"

namespace gimbal {

namespace {

constexpr std::string_view kMoreTechniques = "      more: gimbal info techniques";
constexpr std::string_view kMoreOptions = "      more: gimbal info config";

/// "(from the environment)", "(from the API)", "(from the file x)".
std::string from(const Setting& setting) {
    return " (from the " + setting.origin + ").";
}

std::string_view more(const OptionSpec& spec) {
    return spec.type == OptionType::schedule || spec.type == OptionType::loops ? kMoreTechniques : kMoreOptions;
}

/// What a user may write in the place where this setting stands.
Error unknown_name(const Setting& setting) {
    const bool variable = setting.origin == "environment";
    const bool flag = setting.name.starts_with("--");
    std::vector<std::string> names;
    std::string allowed;
    for (const OptionSpec& spec : option_table()) {
        if (spec.hidden || (flag && spec.flag.empty())) continue;
        names.push_back(flag ? std::string(spec.flag) : variable ? std::string(spec.name) : key_of(spec));
        allowed.append(allowed.empty() ? "" : " ").append(names.back());
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string suggestion = did_you_mean(nearest(setting.name, views));
    const std::string shown = quote_value(setting.name);
    return {ErrorCode::unknown_option,
            shown.substr(1, shown.size() - 2) + ": there is no such option" + from(setting) +
                (suggestion.empty() ? "" : " " + suggestion),
            "allowed: " + allowed + std::string(kMoreOptions)};
}

Error wrong_value(const Setting& setting, const Error& error, const std::string& allowed, std::string_view more) {
    return {error.code(),
            setting.name + ": " + error.what() + from(setting) + (error.hint().empty() ? "" : " " + error.hint()),
            "allowed: " + allowed + std::string(more)};
}

/// Take over one setting if its name and value are right; otherwise note the problem.
void apply(const Setting& setting, LoadedOptions& loaded) {
    const OptionSpec* const spec = find_option(setting.name);
    if (!spec) {
        loaded.problems.push_back(unknown_name(setting));
        return;
    }
    try {
        spec->set(loaded.options, read_value(*spec, setting.value));
        const auto row = static_cast<std::size_t>(spec - option_table().data());
        loaded.options.effective[row] = {std::string(spec->name), std::string(trim(setting.value)), setting.origin};
    } catch (const Error& error) {
        loaded.problems.push_back(wrong_value(setting, error, allowed_values(*spec), more(*spec)));
    }
}

/// OMP_SCHEDULE is OpenMP's; it becomes ours only if OpenMP would not understand it.
void apply_omp_schedule(const std::string& value, LoadedOptions& loaded) {
    loaded.options.omp_schedule = value;
    if (is_ordinary_openmp(value)) return;
    try {
        if (trim(value).empty()) throw Error(ErrorCode::invalid_option, "the value is empty");
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
        if (!spec.fallback.empty()) spec.set(options, read_value(spec, spec.fallback));
    }
}

/// The file named by the winning setting; problems in its name show when that setting is applied.
std::string config_file(const Environment& environment, std::span<const Setting> overrides) {
    std::string path;
    for (const std::span<const Setting> source : {std::span<const Setting>(environment.settings), overrides})
        for (const Setting& setting : source) {
            const OptionSpec* const spec = find_option(setting.name);
            if (spec && key_of(*spec) == "config") path = trim(setting.value);
        }
    return path;
}

std::vector<Setting> file_settings(const std::string& path, std::vector<Error>& problems) {
    if (path.empty()) return {};
    try {
        return read_settings_file(path);
    } catch (const Error& error) {
        problems.emplace_back(error.code(), "GIMBAL_CONFIG: " + std::string(error.what()), error.hint());
        return {};
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
    for (const Setting& setting : environment.settings) apply(setting, loaded);
    if (environment.omp_schedule) apply_omp_schedule(*environment.omp_schedule, loaded);
    for (const Setting& setting : overrides) apply(setting, loaded);
    loaded.problems.insert(loaded.problems.end(), file_problems.begin(), file_problems.end());
    return loaded;
}

void validate(const LoadedOptions& loaded) {
    if (!loaded.problems.empty()) throw loaded.problems.front();
}

std::string message_text(const Error& error, std::string_view severity) {
    std::string text = "gimbal: " + std::string(severity) + ": " + error.what() + "\n";
    if (!error.hint().empty()) text += "        " + error.hint() + "\n";
    return text;
}

}  // namespace gimbal
