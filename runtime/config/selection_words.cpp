// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/selection_words.hpp"

#include "config/selectors.hpp"
#include "gimbal/error.hpp"
#include "learn/names.hpp"
#include "technique/quote.hpp"

namespace gimbal {

namespace {

template <class Kind>
std::string word_or_nothing(std::optional<Kind> kind) {
    return kind ? std::string(learn::word_of(*kind)) : std::string();
}

}  // namespace

std::string agent_word(std::string_view text) {
    if (const auto agent = learn::agent_of(text)) return std::string(learn::word_of(*agent));
    const auto meta = learn::meta_of(text);
    if (meta == learn::MetaKind::steal_ratio)
        throw Error(ErrorCode::invalid_option,
                    quote_value(text) + " chooses steal ratios, which only ranks with distributed data have");
    return word_or_nothing(meta);
}

std::string selector_word(std::string_view text) {
    if (const SelectorInfo* const selector = find_selector(text)) return std::string(selector->name);
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

}  // namespace gimbal
