// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything else on the page, and what keys and clicks do.

function placementSection(width) {
    const section = make("section", {id: "placement"}, make("h2", {}, "Cores"));
    const placed = run().placement;
    if (placed.length === 0) {
        section.append(make("p", {class: "soft"}, "Where threads ran was not recorded: nobody placed them. ",
            make("code", {}, "gimbal run --pin"), " places them, ", make("code", {}, "--pin=observe"),
            " only looks."));
        return section;
    }
    const hosts = new Map();
    for (const {rank, host, placement} of placed) {
        const there = hosts.get(host) || {processors: 0, threads: []};
        there.processors = Math.max(there.processors, placement.processors || 0);
        (placement.threads || []).forEach((thread, i) => there.threads.push({rank, number: i, ...thread}));
        hosts.set(host, there);
    }
    for (const [host, {processors, threads}] of hosts) {
        if (threads.length === 0) {
            section.append(make("p", {class: "soft"}, `${host}: no thread was placed.`));
            continue;
        }
        const last = Math.max(processors - 1, ...threads.flatMap((thread) => thread.pus || []));
        const columns = Math.max(1, Math.min(8, last + 1)), wide = Math.min(220, (width - 4) / columns), high = 58;
        let body = "";
        for (let pu = 0; pu <= last; ++pu) {
            const here = threads.filter((thread) => (thread.pus || []).includes(pu));
            const x = (pu % columns) * wide, y = Math.floor(pu / columns) * high;
            const names = here.map((thread) => `r${thread.rank} t${thread.number}`);
            const tip = `processor ${pu}` + here.map((thread) => `\nrank ${thread.rank}, thread ${thread.number} ` +
                `(${thread.name}): ${count(thread.moves, "move")}, ${seconds(thread.cpu_s)} on a processor`).join("");
            const strength = here.length === 0 ? 0 : here.length === 1 ? 45 : 80;
            body += `<rect class="core" x="${x + 2}" y="${y + 2}" width="${wide - 4}" height="${high - 4}" rx="5" ` +
                `style="fill:color-mix(in srgb, var(--${here.length > 1 ? "more" : "less"}) ${strength}%, var(--card))" ` +
                `stroke="var(--line)" data-tip="${quoted(tip)}"/>` +
                `<text class="soft" x="${x + 10}" y="${y + 18}" pointer-events="none">processor ${pu}</text>` +
                `<text x="${x + 10}" y="${y + 38}" pointer-events="none">` +
                `${quoted(shortened(names.join(", "), Math.floor(wide / 8)))}</text>`;
        }
        const chart = make("div");
        chart.innerHTML = drawing(width, Math.ceil((last + 1) / columns) * high + 4, "Threads on processors", body, "cores");
        const free = threads.filter((thread) => !thread.pus || thread.pus.length === 0);
        section.append(make("h3", {}, host), make("p", {class: "soft"},
            "Where each thread may run at the end (r: rank, t: thread); orange: several threads on one processor." +
            (free.length ? ` ${count(free.length, "thread")} may run anywhere.` : "")), chart);
    }
    const {mode, metric, guard} = placed[0].placement;
    section.append(facts([["mode", mode], ["metric", metric]]));
    for (const line of guard || []) section.append(make("p", {class: "soft"}, line));
    return section;
}

function waitingSection() {
    const places = run().waiting_places;
    if (places.length === 0) return null;
    return make("section", {id: "waiting"}, make("h2", {}, "Where ranks wait in MPI"),
        table("places", ["call", "place", "calls", "time", "waiting", "last to come"], places.slice(0, 40).map((place) =>
            [place.call, place.name, place.calls, seconds(place.time_s), seconds(place.waiting_s),
                place.last_rank === null ? "–" : `rank ${place.last_rank}, ${place.by_that_rank} of ${place.seen_calls}`]),
        [0, 1]));
}

function settingsSection() {
    const rows = run().settings.map((use) => [use.name, use.value, use.origin]);
    return make("section", {id: "settings"}, make("h2", {}, "Settings that are not at their default"),
        rows.length ? table("options", ["name", "value", "from"], rows, [0, 1, 2]) :
            make("p", {class: "soft"}, "none"));
}

function summary() {
    const one = run(), inLoops = one.loops.filter((item) => item.level === "threads" || one.threads === 0);
    const total = sum(inLoops.map((item) => item.time_s.mean / item.overlap));
    const lost = sum(inLoops.map((item) => item.waiting_s / item.overlap));
    const cards = [[seconds(one.wall_s.max), "wall time"],
        [one.ranks > 1 ? `${one.ranks} × ${one.threads || 1}` : String(one.threads || 1),
            one.ranks > 1 ? "ranks × threads" : one.threads === 1 ? "thread" : "threads"],
        [percent(one.wall_s.mean ? Math.min(1, total / one.wall_s.mean) : 0), "of wall time in Gimbal's loops"],
        [percent(total ? lost / total : 0), "of loop time lost waiting"]];
    if (one.ranks_seen > 1 && one.rank_balance !== null)
        cards.push([one.rank_balance.toFixed(3), "rank balance: mean/max of time in loops"]);
    if (one.efficiency) cards.push([percent(one.efficiency.parallel), "parallel efficiency"]);
    return make("section", {id: "summary"},
        make("div", {class: "cards"}, ...cards.map(([figure, what]) =>
            make("div", {class: "card"}, make("b", {}, figure), make("span", {}, what)))),
        one.notes.length ? make("div", {class: "said"}, ...one.notes.map((line) => make("p", {}, line))) : null,
        one.warnings.length ? make("div", {class: "said warn"}, ...one.warnings.map((line) => make("p", {}, line))) : null);
}

function header() {
    const one = run();
    const several = runs.length < 2 ? null : make("select", {id: "run", "aria-label": "Run", onchange: (event) =>
        change({run: Number(event.target.value), loop: 0})},
        ...runs.map((item, i) => make("option", {value: i, selected: i === state.run}, shortened(item.title, 80))));
    return make("header", {}, make("div", {class: "top"},
        make("h1", {class: "name"}, one.program),
        make("div", {class: "controls"}, button("light / dark", null, theme, "d"), button("keys", null, help, "?"))),
        make("p", {class: "soft"}, `${one.title.replace(", " + one.program, "")}; ${one.hosts.join(", ")}; Gimbal ` +
            `${one.gimbal_version}, seed ${one.seed}` + (one.openmp ? `; ${one.openmp}` : "")), several);
}

function draw() {
    const page = document.getElementById("page");
    const width = Math.max(320, Math.min(page.clientWidth - 48, 1132));
    const some = run().loops.length > 0;
    page.replaceChildren(...[header(), summary(), timeSection(width), some ? loopSection(width) : null,
        some ? loopsSection() : null, waitingSection(), placementSection(width), settingsSection(),
        make("footer", {class: "soft"}, make("p", {}, "Made by gimbal report --html. The formulas: ",
            make("code", {}, "gimbal info metrics")))].filter((part) => part !== null));
}

/** Draw anew what has changed; the focus stays with the loop that had it. */
function change(what) {
    const focus = document.activeElement, where = focus && focus.closest && focus.closest("section");
    const mark = focus && focus.dataset && focus.dataset.loop !== undefined ? focus.tagName.toLowerCase() : null;
    Object.assign(state, what);
    draw();
    if (mark && where) document.querySelector(`#${where.id} ${mark}[data-loop="${state.loop}"]`)?.focus();
}

function move(by) {
    const order = sortedLoops(), at = order.indexOf(state.loop);
    const next = order[Math.max(0, Math.min(order.length - 1, at + by))];
    if (next !== undefined && next !== state.loop) change({loop: next});
}

function theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
}

const kKeys = [["j k", "next and previous loop"], ["s", "seconds or shares"], ["/", "filter the loops"],
    ["d", "light or dark"], ["Tab, Enter", "walk to a loop and select it"], ["?", "this help"]];

function help() {
    let box = document.getElementById("help");
    if (!box) {
        box = make("dialog", {id: "help"}, make("h2", {}, "Keys"), make("dl", {}, ...kKeys.flatMap(([key, what]) =>
            [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)])),
            make("button", {type: "button", onclick: () => box.close()}, "close"));
        document.body.append(box);
    }
    if (box.open) box.close();
    else box.showModal();
}

// ---- what the user does

document.addEventListener("keydown", (event) => {
    const field = event.target.closest && event.target.closest("input, select");
    if (event.key === "Escape" && field) field.blur();
    if (field || event.ctrlKey || event.metaKey || event.altKey) return;
    const picked = event.target.closest && event.target.closest("[data-loop].pick");
    if ((event.key === "Enter" || event.key === " ") && picked) change({loop: Number(picked.dataset.loop)});
    else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "s") change({share: !state.share});
    else if (event.key === "d") theme();
    else if (event.key === "?") help();
    else if (event.key === "/") document.getElementById("filter")?.focus();
    else return;
    event.preventDefault();
});
document.addEventListener("click", (event) => {
    const picked = event.target.closest("[data-loop].pick");
    if (picked) change({loop: Number(picked.dataset.loop)});
});

const tip = make("div", {id: "tip", role: "tooltip"});
document.addEventListener("mousemove", (event) => {
    const text = event.target.dataset && event.target.dataset.tip;
    tip.style.display = text ? "block" : "none";
    if (!text) return;
    tip.textContent = text;
    tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px";
});

let drawnWidth = innerWidth;
addEventListener("resize", () => {
    if (innerWidth === drawnWidth) return;
    drawnWidth = innerWidth;
    draw();
});
draw();
document.body.append(tip);
