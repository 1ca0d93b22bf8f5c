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
#include <tuple>
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

/// What the compiler calls a loop.
template <class Loop>
const std::string& compiled_name(const Loop& loop) {
    return loop.template_name.empty() ? loop.name : loop.template_name;
}

/// Names that compilers have given to more than one function: the instances of a template.
class SharedNames {
public:
    SharedNames(std::span<const RunRecord> records, std::span<const std::vector<std::size_t>> runs) {
        for (const std::vector<std::size_t>& run : runs) {
            functions_.clear();  // another run may be of another build
            for (const std::size_t i : run) add(records[i]);
        }
        if (runs.empty())
            for (const RunRecord& record : records) add(record);
        functions_.clear();
    }

    [[nodiscard]] bool contains(const std::string& name) const { return names_.contains(name); }

    /// What another record calls this instance. @return null: none does
    template <class Loop>
    [[nodiscard]] const std::string* instance(const Loop& loop) const {
        const auto found = instances_.find({loop.module, loop.build, loop.function, compiled_name(loop)});
        return found == instances_.end() ? nullptr : &found->second;
    }

private:
    void add(const RunRecord& record) {
        std::ranges::for_each(record.loops, [&](const auto& loop) { add_loop(loop); });
        std::ranges::for_each(record.unfinished, [&](const auto& loop) { add_loop(loop); });
    }

    template <class Loop>
    void add_loop(const Loop& loop) {
        if (loop.function == 0 || loop.module.empty()) return;
        const std::string& name = compiled_name(loop);
        const std::pair<std::string_view, std::uint64_t> function(loop.module, loop.function);
        if (functions_.try_emplace(name, function).first->second != function) names_.insert(name);
        if (loop.template_name.empty()) return;
        names_.insert(name);
        // Who could read the object says more than the address.
        std::string& known = instances_[{loop.module, loop.build, loop.function, name}];
        if (known.empty() || known == name + hexadecimal(loop.offset)) known = loop.name;
    }

    std::unordered_map<std::string_view, std::pair<std::string_view, std::uint64_t>> functions_;  // the first of a name
    std::set<std::string> names_;
    std::map<std::tuple<std::string, std::uint64_t, std::uint64_t, std::string>, std::string> instances_;
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
    bool asked = false;
    const auto symbols_of = [&](const auto& named, std::uint64_t build) -> ObjectSymbols& {
        asked = true;
        std::unique_ptr<ObjectSymbols>& symbols = objects[{named.module, build}];
        if (!symbols) symbols = std::make_unique<ObjectSymbols>(named.module, build);
        return *symbols;
    };
    const auto place_of = [&](const auto& named, std::uint64_t build) {
        ObjectSymbols& symbols = symbols_of(named, build);
        if (symbols.replaced()) warn_of_replaced(named.module, record.warnings);
        return symbols.find(named.offset);
    };
    const auto resolve = [&](auto& named, std::uint64_t build) {
        if (named.module.empty()) return;
        if (named.name.empty()) named.name = loop_name(named.module, named.offset, place_of(named, build));
        named.module.clear();
    };
    const auto resolve_loop = [&](auto& loop) {
        if (loop.function == 0 || loop.name.empty()) return resolve(loop, loop.build);
        if (loop.module.empty() || !shared.contains(compiled_name(loop))) return;
        const std::string* const known = shared.instance(loop);
        if (loop.template_name.empty()) loop.template_name = loop.name;
        loop.name =
            known ? *known
                  : instance_name(loop.template_name, loop.offset, symbols_of(loop, loop.build).find(loop.offset));
    };
    for (LoopSummary& loop : record.loops) {
        if (loop.module.empty()) continue;
        std::string& before = loop.name_in_steps;
        if (before.empty()) before = loop.name.empty() ? base_name(loop.module) + hexadecimal(loop.offset) : loop.name;
        resolve_loop(loop);
        if (loop.name != before) rename_in(record.warnings, before, loop.name);
    }
    for (UnfinishedLoop& loop : record.unfinished) resolve_loop(loop);
    if (record.waiting) {
        for (WaitingPath& path : record.waiting->paths) {
            // What its caller was built as is not known, but that it has loops.
            const auto replaced = std::find_if(objects.begin(), objects.end(), [&](const auto& object) {
                return object.first.first == path.module && object.second->replaced();
            });
            resolve(path, replaced == objects.end() ? 0 : replaced->first.second);
        }
    }
    if (asked && !ObjectSymbols::available())
        record.warnings.emplace_back(
            "loops have no file and line: libdw is not installed, or cannot be loaded. Nothing else is affected.");
}

}  // namespace

void resolve_names(std::span<RunRecord> records, std::span<const std::vector<std::size_t>> runs) {
    const SharedNames shared(records, runs);
    Objects objects;
    for (RunRecord& record : records) resolve_names(record, shared, objects);
}

}  // namespace gimbal
