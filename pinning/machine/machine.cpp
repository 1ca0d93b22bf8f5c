// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/machine.hpp"

#include <algorithm>
#include <exception>

#include "gimbal/error.hpp"
#include "machine/affinity.hpp"
#include "machine/pu_list.hpp"

namespace gimbal::pin {

namespace {

std::vector<int> known_pus(const Inventory& inventory) {
    std::vector<int> pus;
    for (const PuInfo& pu : inventory.pus) pus.push_back(pu.os);
    std::sort(pus.begin(), pus.end());
    return pus;
}

}  // namespace

std::string MachineChange::text() const {
    std::string text;
    if (!gone.empty()) text += "processors " + pu_list_text(gone) + " may no longer be used";
    if (!come.empty()) text += (text.empty() ? "" : "; ") + ("processors " + pu_list_text(come) + " may now be used");
    return text;
}

Machine::Machine(MachineOptions options) : options_(std::move(options)) {
    std::sort(options_.reserve.begin(), options_.reserve.end());
    adopt(read_inventory(options_.synthetic));
    const std::vector<int> known = known_pus(inventory_);
    if (const std::vector<int> strange = without(options_.reserve, known); !strange.empty())
        throw Error(ErrorCode::invalid_option,
                    "the reserve names processors " + pu_list_text(strange) + ", which this machine does not have",
                    "it has " + pu_list_text(known));
    const std::vector<int> allowed = real() ? allowed_pus(options_.witness) : known;
    if (both(allowed, known).empty())
        throw Error(ErrorCode::unsupported,
                    "none of the processors that this process may use (" + pu_list_text(allowed) +
                        ") is in the machine that hwloc sees (" + pu_list_text(known) + ")",
                    "HWLOC_XMLFILE or HWLOC_THISSYSTEM may name another machine");
    if (const std::vector<int> strange = without(allowed, known); !strange.empty())
        notes_.push_back("hwloc does not show processors " + pu_list_text(strange) + ": they are left out");
    if (without(both(allowed, known), options_.reserve).empty())
        throw Error(ErrorCode::invalid_option,
                    "the reserve leaves no processor: this process may use " + pu_list_text(allowed) +
                        ", and reserved are " + pu_list_text(options_.reserve),
                    "reserve fewer");
    set_allowed(both(allowed, known));
}

void Machine::adopt(Inventory inventory) {
    Place place = place_tree(inventory);
    if (!options_.pseudo_nodes.empty()) place = with_pseudo_nodes(place, options_.pseudo_nodes);
    std::vector<int> index;
    for (std::size_t i = 0; i < inventory.pus.size(); ++i) {
        const auto os = static_cast<std::size_t>(inventory.pus[i].os);
        if (index.size() <= os) index.resize(os + 1, -1);
        index[os] = static_cast<int>(i);
    }
    inventory_ = std::move(inventory);
    place_ = std::move(place);
    index_ = std::move(index);
}

void Machine::set_allowed(std::vector<int> allowed) {
    std::vector<int> usable = without(allowed, options_.reserve);
    if (usable.empty()) {
        notes_.push_back("only reserved processors are left (" + pu_list_text(allowed) + "): they are used");
        usable = allowed;
    }
    allowed_ = std::move(allowed);
    usable_ = std::move(usable);
}

const PuInfo* Machine::pu(int os) const noexcept {
    if (os < 0 || static_cast<std::size_t>(os) >= index_.size()) return nullptr;
    const int i = index_[static_cast<std::size_t>(os)];
    return i < 0 ? nullptr : &inventory_.pus[static_cast<std::size_t>(i)];
}

int Machine::memory_of(int os) const noexcept {
    const PuInfo* info = pu(os);
    return info == nullptr ? kNoMemory : info->memory_node;
}

int Machine::node_of(int os) const noexcept {
    const auto holds = [os](const auto& self, const Place& place) -> bool {
        if (place.level == Level::pu) return place.number == os;
        return std::any_of(place.inside.begin(), place.inside.end(), [&](const Place& p) { return self(self, p); });
    };
    for (const Place& node : place_.inside) {
        if (node.level == Level::node && holds(holds, node)) return node.number;
    }
    return -1;
}

MachineChange Machine::refresh() noexcept {
    if (!real()) return {};
    try {
        std::vector<int> now = allowed_pus(options_.witness);
        if (now.empty() || now == allowed_) return {};
        // Processors that went online since are not in the tree yet.
        if (std::any_of(now.begin(), now.end(), [this](int os) { return pu(os) == nullptr; }))
            adopt(read_inventory(options_.synthetic));
        std::erase_if(now, [this](int os) { return pu(os) == nullptr; });
        if (now.empty() || now == allowed_) return {};
        MachineChange change{without(allowed_, now), without(now, allowed_)};
        set_allowed(std::move(now));
        return change;
    } catch (const std::exception&) {
        return {};  // stays as it was; the next call tries again
    }
}

}  // namespace gimbal::pin
