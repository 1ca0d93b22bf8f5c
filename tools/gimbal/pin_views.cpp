// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `gimbal pin show` and `gimbal pin watch` print: pages that managers keep in shared memory.
#include "pin_views.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <thread>

#include "base/quote.hpp"
#include "gimbal/plain_text.hpp"
#include "info_command.hpp"
#include "machine/machine.hpp"
#include "machine/pu_list.hpp"
#include "share/status_page.hpp"

namespace gimbal::tool {

namespace {

using Pages = std::vector<std::unique_ptr<pin::StatusPage>>;

/// For words and whole numbers: printf's real numbers follow the locale.
template <class... Values>
std::string format(const char* form, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, form, values...);
    return text;
}

std::string percent(float part) {
    return fixed_digits(100 * static_cast<double>(part), 0) + "%";
}

std::string where(const pin::SharedThread& thread) {
    if (thread.count == 0) return "anywhere";
    const std::vector<int> known = pus_of(thread);
    return pin::pu_list_text(known) + (static_cast<int>(known.size()) < thread.count ? ",..." : "");
}

Pages pages_of(int pid) {
    Pages pages = pin::other_pages();
    if (pid != 0) std::erase_if(pages, [pid](const auto& page) { return page->pid != pid; });
    std::sort(pages.begin(), pages.end(),
              [](const auto& a, const auto& b) { return std::pair(a->rank, a->pid) < std::pair(b->rank, b->pid); });
    return pages;
}

/// Processors to which more than one process has sent threads.
std::map<int, std::set<int>> shared_processors(const Pages& pages) {
    std::map<int, std::set<int>> processes;
    for (const auto& page : pages)
        for (std::uint32_t i = 0; i < page->threads; ++i)
            for (const int pu : pus_of(page->thread[i])) processes[pu].insert(page->pid);
    std::erase_if(processes, [](const auto& entry) { return entry.second.size() < 2; });
    return processes;
}

Json json_of(const pin::StatusPage& page) {
    Json threads = Json::array();
    for (std::uint32_t i = 0; i < page.threads; ++i) {
        const pin::SharedThread& thread = page.thread[i];
        threads.push_back({{"tid", thread.tid},
                           {"name", thread.name},
                           {"pus", pus_of(thread)},
                           {"seen", thread.seen},
                           {"speed", thread.speed},
                           {"cpu_share", thread.cpu_share},
                           {"moves", thread.moves}});
    }
    return {
        {"pid", page.pid},     {"rank", page.rank},     {"program", page.program},     {"mode", page.mode},
        {"phase", page.phase}, {"metric", page.metric}, {"objective", page.objective}, {"threads", std::move(threads)}};
}

std::string machine_text(const pin::Machine& machine) {
    const pin::Inventory& inventory = machine.inventory();
    std::string text = "machine: " + inventory.source + ", " + std::to_string(inventory.pus.size()) +
                       " processors; this process may use " + pin::pu_list_text(machine.allowed()) + "\n";
    text += "  processor  hwloc's  core  of core  cache  node  kind  usable\n";
    const auto known = [](int number) { return number < 0 ? std::string("-") : std::to_string(number); };
    for (const pin::PuInfo& pu : inventory.pus) {
        const bool usable = std::binary_search(machine.usable().begin(), machine.usable().end(), pu.os);
        text += format("  %9d %8d %5s %8d %6s %5s %5s  %s\n", pu.os, pu.logical, known(pu.core).c_str(), pu.sibling,
                       known(pu.cache).c_str(), known(machine.node_of(pu.os)).c_str(), known(pu.kind).c_str(),
                       usable ? "yes" : "no");
    }
    for (const std::string& note : machine.notes()) text += "note: " + note + "\n";
    return text;
}

}  // namespace

std::string processes_text(const Pages& pages) {
    if (pages.empty()) return "no process of this user has placed threads\n";
    std::string text;
    for (const auto& page : pages) {
        text += "process " + std::to_string(page->pid) + " rank " + std::to_string(page->rank) + " " + page->program +
                ": " + page->mode + (page->phase[0] ? std::string(" (") + page->phase + ")" : "") + ", metric " +
                page->metric + ", mean " + significant_digits(page->objective, 3) + ", manager " +
                fixed_digits(100 * page->manager_share, 2) + " % of a core\n";
        text += "      tid  name              speed  processor  waiting  moves  on  may use\n";
        for (std::uint32_t i = 0; i < page->threads; ++i) {
            const pin::SharedThread& thread = page->thread[i];
            text +=
                format("  %7d  %-15s %8s  %9s  %7s %6u %3d  ", thread.tid, escape_controls(thread.name).c_str(),
                       significant_digits(static_cast<double>(thread.speed), 3).c_str(),
                       percent(thread.cpu_share).c_str(),
                       thread.wait_share < 0 ? "-" : percent(thread.wait_share).c_str(), thread.moves, thread.seen) +
                where(thread) + "\n";
        }
    }
    for (const auto& [pu, processes] : shared_processors(pages)) {
        text += "WARN processor " + std::to_string(pu) + " was given to threads of processes";
        for (const int pid : processes) text += " " + std::to_string(pid);
        text += "\n";
    }
    return text;
}

int show_placement(const PinRequest& request) {
    const pin::Machine machine;
    const Pages pages = pages_of(0);
    if (!request.json) return print_text(machine_text(machine) + processes_text(pages));
    Json processes = Json::array(), overlaps = Json::array(), pus = Json::array();
    for (const auto& page : pages) processes.push_back(json_of(*page));
    for (const auto& [pu, who] : shared_processors(pages)) overlaps.push_back({{"pu", pu}, {"processes", who}});
    for (const pin::PuInfo& pu : machine.inventory().pus)
        pus.push_back({{"os", pu.os}, {"logical", pu.logical}, {"core", pu.core}, {"node", machine.node_of(pu.os)}});
    return print_json({{"source", machine.inventory().source},
                       {"allowed", machine.allowed()},
                       {"pus", std::move(pus)},
                       {"processes", std::move(processes)},
                       {"overlaps", std::move(overlaps)}});
}

int watch_placement(const PinRequest& request) {
    const char* const kind = std::getenv("TERM");
    // Without a kind, or with this one, a terminal has only lines, one after the other.
    const bool moves = isatty(STDOUT_FILENO) == 1 && kind && *kind && std::string_view(kind) != "dumb";
    for (int time = 0; request.times == 0 || time < request.times; ++time) {
        if (time > 0) std::this_thread::sleep_for(std::chrono::duration<double>(request.interval_s));
        const Pages pages = pages_of(request.pid);
        // Back to the top and clear: the view stays where it is.
        print_text((moves ? "\033[H\033[J" : "") +
                   (request.pid != 0 && pages.empty()
                        ? "process " + std::to_string(request.pid) + " has no threads that are placed\n"
                        : processes_text(pages)));
        if (std::fflush(stdout) != 0) return 1;  // nobody sees it; main() says why
        if (request.pid != 0 && pages.empty()) return 1;
    }
    return 0;
}

}  // namespace gimbal::tool
