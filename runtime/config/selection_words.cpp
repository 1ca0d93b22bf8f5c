// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/selection.hpp"

#include <charconv>
#include <cmath>

#include "base/quote.hpp"
#include "base/spelling.hpp"
#include "config/schedule_value.hpp"
#include "gimbal/error.hpp"
#include "gimbal/plain_text.hpp"
#include "learn/names.hpp"

namespace gimbal {

namespace {

template <class Kind>
std::string word_or_nothing(std::optional<Kind> kind) {
    return kind ? std::string(learn::word_of(*kind)) : std::string();
}

}  // namespace

std::string agent_word(std::string_view text) {
    if (const auto agent = learn::agent_of(text)) return std::string(learn::word_of(*agent));
    return word_or_nothing(learn::meta_of(text));
}

void refuse_steal_ratio(std::string_view text) {
    if (learn::meta_of(text) != learn::MetaKind::steal_ratio) return;
    throw Error(ErrorCode::invalid_option,
                quote_value(text) + " chooses steal ratios, which only ranks with distributed data have",
                "Write GIMBAL_MPI_STEAL_RATIO=agent.");
}

std::string selector_word(std::string_view text) {
    if (const SelectorInfo* const selector = find_selector(text)) return std::string(selector->name);
    refuse_steal_ratio(text);
    const std::string agent = agent_word(text);
    return agent == "none" ? std::string() : agent;
}

std::string secondary_word(std::string_view text) {
    return word_or_nothing(learn::agent_of(text));
}

std::string policy_word(std::string_view text) {
    return word_or_nothing(learn::policy_of(text));
}

std::string reward_word(std::string_view text) {
    return word_or_nothing(learn::reward_of(text));
}

std::string init_word(std::string_view text) {
    return word_or_nothing(learn::init_of(text));
}

std::string decay_word(std::string_view text) {
    return word_or_nothing(learn::decay_of(text));
}

std::string steal_ratio_word(std::string_view text) {
    const std::string word = to_lower(technique::trimmed(text));
    for (const std::string_view known : kStealRatioWords)
        if (word == known) return word;
    double ratio = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), ratio);
    if (end == word.data() || !std::isfinite(ratio)) return {};
    const std::string_view rest =
        technique::trimmed(std::string_view(end, static_cast<std::size_t>(word.data() + word.size() - end)));
    if (status == std::errc() && rest.empty() && ratio > 0 && ratio <= 1) return word;
    if (!rest.empty() && rest != "%") return {};
    std::string hint;
    if (status == std::errc() && ratio > 0 && ratio <= 100) hint = did_you_mean(significant_digits(ratio / 100, 6));
    throw Error(ErrorCode::invalid_option, quote_value(text) + " is not in (0, 1]", hint);
}

}  // namespace gimbal
