// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/names.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

namespace gimbal {

namespace {

std::string base_name(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// Of a Python extension without the interpreter and the machine that it was built for: "name.so" of
/// "name.cpython-311-x86_64-linux-gnu.so".
std::string module_name(const std::string& path) {
    const std::string name = base_name(path);
    const std::size_t tag = name.find(".cpython-"), end = name.rfind(".so");
    return tag != std::string::npos && end != std::string::npos && end > tag ? name.substr(0, tag) + name.substr(end)
                                                                             : name;
}

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "+0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

/// Cut the parameters off a demangled name: from the parenthesis that matches the last closing one.
std::string without_parameters(std::string name) {
    const std::size_t close = name.rfind(')');
    if (close == std::string::npos) return name;
    int depth = 0;
    for (std::size_t i = close + 1; i-- > 0;) {
        if (name[i] == ')') ++depth;
        if (name[i] != '(' || --depth != 0) continue;
        return i == 0 || name[i - 1] == ':' ? name : name.substr(0, i);
    }
    return name;
}

/// Demangled templates begin with what they return: "void sort<int>", "std::vector<int> made<int>".
std::string without_return_type(const std::string& name) {
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < name.size() && name.compare(i, 8, "operator") != 0; ++i) {
        if (std::string_view("<([{").find(name[i]) != std::string_view::npos) ++depth;
        if (std::string_view(">)]}").find(name[i]) != std::string_view::npos) --depth;
        if (name[i] == ' ' && depth == 0) begin = i + 1;
    }
    return name.substr(begin);
}

/// With what compilers add: without a line, the number of a function's region is all that tells its loops apart.
std::string whole_function(std::string_view symbol) {
    const std::size_t added = symbol.find("._omp_fn");
    if (added == std::string_view::npos) return readable_function(symbol);
    return readable_function(symbol.substr(0, added)) + std::string(symbol.substr(added));
}

}  // namespace

std::string loop_name(const std::string& module, std::uint64_t offset, const CodePlace& place) {
    if (!place.file.empty())
        return base_name(place.file) + ":" + std::to_string(place.line) + (place.symbol.empty() ? "" : " ") +
               readable_function(place.symbol);
    if (!place.symbol.empty())
        return module_name(module) + " " + whole_function(place.symbol) + hexadecimal(place.distance);
    return module_name(module) + hexadecimal(offset);
}

std::size_t function_in(std::string_view name) noexcept {
    for (std::size_t colon = name.find(':'); colon != std::string_view::npos; colon = name.find(':', colon + 1)) {
        const std::size_t stop = name.find_first_not_of("0123456789", colon + 1);
        if (stop != std::string_view::npos && stop > colon + 1 && name[stop] == ' ') return stop + 1;
    }
    return 0;
}

std::string instance_name(const std::string& name, std::uint64_t offset, const CodePlace& place) {
    const std::size_t function = function_in(name);
    if (function == 0 || place.symbol.empty()) return name + hexadecimal(offset);
    if (place.symbol.front() == '.') return name + place.symbol;  // clang 16 and before: ".omp_outlined..3"
    return name.substr(0, function) + readable_function(place.symbol);
}

std::string readable_function(std::string_view symbol) {
    for (const std::string_view added : {"._omp_fn", ".omp_outlined", ".omp_task_entry"}) {
        const std::size_t at = symbol.find(added);
        if (at != std::string_view::npos && at > 0) symbol = symbol.substr(0, at);
    }
    const std::string plain(symbol);
    if (!symbol.starts_with("_Z")) return plain;
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> demangled(
        abi::__cxa_demangle(plain.c_str(), nullptr, nullptr, &status), std::free);
    return demangled ? without_return_type(without_parameters(demangled.get())) : plain;
}

namespace {

using Objects = std::map<std::pair<std::string, std::uint64_t>, std::unique_ptr<ObjectSymbols>>;  // by path and build

/// Names that compilers have given to more than one function: the instances of a template.
class SharedNames {
public:
    explicit SharedNames(std::span<const RunRecord> records) {
        using Function = std::pair<std::string_view, std::uint64_t>;  // module and offset
        std::unordered_map<std::string_view, Function> functions;     // the first of each name
        const auto add = [&](const auto& loop) {
            if (loop.function == 0 || loop.module.empty()) return;
            const Function function{loop.module, loop.function};
            if (functions.try_emplace(loop.name, function).first->second != function) names_.insert(loop.name);
        };
        for (const RunRecord& record : records) {
            std::ranges::for_each(record.loops, add);
            std::ranges::for_each(record.unfinished, add);
        }
    }

    [[nodiscard]] bool contains(const std::string& name) const { return names_.contains(name); }

private:
    std::set<std::string> names_;
};

/// Warnings were written while the program ran, when a loop had another name.
void rename_in(std::vector<std::string>& warnings, const std::string& before, const std::string& name) {
    const std::string words = "loop " + before + " ";
    for (std::string& warning : warnings)
        if (const std::size_t at = warning.find(words); at != std::string::npos)
            warning.replace(at, words.size(), "loop " + name + " ");
}

void warn_of_replaced(const std::string& module, std::vector<std::string>& warnings) {
    const std::string sentence = module +
                                 " was replaced by another build since it was loaded: loops of the one that "
                                 "ran have no file and line.";
    if (std::ranges::find(warnings, sentence) == warnings.end()) warnings.push_back(sentence);
}

void resolve_names(RunRecord& record, const SharedNames& shared, Objects& objects) {
    const auto resolve = [&](auto& named, std::uint64_t build) {
        if (named.module.empty()) return;
        const bool has_name = !named.name.empty();
        if (!has_name || shared.contains(named.name)) {
            std::unique_ptr<ObjectSymbols>& symbols = objects[{named.module, build}];
            if (!symbols) symbols = std::make_unique<ObjectSymbols>(named.module, build);
            if (symbols->replaced()) warn_of_replaced(named.module, record.warnings);
            const CodePlace place = symbols->find(named.offset);
            named.name = has_name ? instance_name(named.name, named.offset, place)
                                  : loop_name(named.module, named.offset, place);
        }
        named.module.clear();
    };
    for (LoopSummary& loop : record.loops) {
        if (loop.module.empty()) continue;
        std::string& before = loop.name_in_steps;
        if (before.empty()) before = loop.name.empty() ? base_name(loop.module) + hexadecimal(loop.offset) : loop.name;
        resolve(loop, loop.build);
        if (loop.name != before) rename_in(record.warnings, before, loop.name);
    }
    for (UnfinishedLoop& loop : record.unfinished) resolve(loop, loop.build);
    if (!record.waiting) return;
    for (WaitingPath& path : record.waiting->paths) {
        // What its caller was built as is not known, but that it has loops.
        const auto replaced = std::find_if(objects.begin(), objects.end(), [&](const auto& object) {
            return object.first.first == path.module && object.second->replaced();
        });
        resolve(path, replaced == objects.end() ? 0 : replaced->first.second);
    }
}

}  // namespace

void resolve_names(std::span<RunRecord> records) {
    const SharedNames shared(records);
    Objects objects;
    for (RunRecord& record : records) resolve_names(record, shared, objects);
    if (objects.empty() || ObjectSymbols::available()) return;
    for (RunRecord& record : records)
        record.warnings.emplace_back(
            "loops have no file and line: libdw is not installed, or cannot be loaded. Nothing else is affected.");
}

}  // namespace gimbal
