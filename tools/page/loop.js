// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of loops, and one loop: its ranks, threads, steps and decisions.

const kColumns = [
    ["loop", "name", (item) => item.name], ["workers", "workers", (item) => item.workers],
    ["calls", "calls", (item) => item.calls], ["iterations", "iterations", (item) => item.iterations],
    ["technique (why)", "technique", (item) => item.technique], ["time", "time", (item) => item.time_s.mean],
    ["imbalance", "imbalance", (item) => item.imbalance], ["late", "late", (item) => item.late],
    ["lost", "lost", (item) => item.lost], ["scheduling", "scheduling", (item) => item.scheduling]];

function loopCells(item) {
    const known = item.workers_known;
    return [make("td", {class: "left name", title: item.name}, shortened(item.name, 42)),
        make("td", {}, count(item.workers, item.level.slice(0, -1))), make("td", {}, item.calls.toLocaleString("en")),
        make("td", {}, item.iterations.toLocaleString("en")), make("td", {class: "left"}, item.technique),
        make("td", {}, seconds(item.time_s.mean)),
        make("td", {}, item.imbalance === null ? "–" : item.imbalance.toFixed(3)),
        make("td", {}, known ? percent(item.late) : "–"), make("td", {}, known ? percent(item.lost) : "–"),
        make("td", {}, percent(item.scheduling))];
}

function sortedLoops() {
    const key = kColumns.find(([, name]) => name === state.sort)[2];
    const words = state.filter.toLowerCase();
    const order = run().loops.map((item, i) => i).filter((i) => {
        const item = run().loops[i];
        return (item.name + " " + item.technique).toLowerCase().includes(words);
    });
    const sign = state.up ? 1 : -1;
    return order.sort((a, b) => {
        const x = key(run().loops[a]), y = key(run().loops[b]);
        return sign * (x < y ? -1 : x > y ? 1 : 0) || a - b;
    });
}

function loopTableBody() {
    return sortedLoops().map((i) => make("tr", {class: i === state.loop ? "pick chosen" : "pick", "data-loop": i,
        tabindex: 0, "aria-selected": String(i === state.loop)}, ...loopCells(run().loops[i])));
}

function loopsSection() {
    const sortBy = (name) => () => change({sort: name, up: state.sort === name ? !state.up : name === "name"});
    const head = make("tr", {}, ...kColumns.map(([title, name]) => make("th", {
        class: name === "name" || name === "technique" ? "left" : null, scope: "col",
        "aria-sort": state.sort === name ? (state.up ? "ascending" : "descending") : null},
        make("button", {type: "button", onclick: sortBy(name)}, title))));
    const body = make("tbody", {}, ...loopTableBody());
    const filter = make("input", {id: "filter", type: "search", placeholder: "filter: name or technique   /",
        "aria-label": "Show loops whose name or technique has this in it", size: 30});
    filter.value = state.filter;
    filter.addEventListener("input", () => {
        state.filter = filter.value;
        body.replaceChildren(...loopTableBody());
    });
    return make("section", {id: "loops"}, make("h2", {}, count(run().loops.length, "loop")),
        make("p", {class: "soft"}, "imbalance: max/mean − 1 of the workers' times; late, lost, scheduling: parts of " +
            "loop time, mean over workers. time: " + (run().ranks_seen > 1 ? "mean over ranks" : "all executions") + "."),
        make("div", {class: "controls"}, filter),
        make("div", {class: "scroll"}, make("table", {}, make("thead", {}, head), body)));
}

// ---- one loop

function rankBarsOfLoop(width) {
    const rows = loop().by_rank.map(([rank, , ...figures]) => ({label: "rank " + rank,
        parts: Object.fromEntries(kLoopParts.map(([key], i) => [key, figures[i]]))}));
    const box = make("div");
    box.innerHTML = stackedBars(rows, kLoopParts, width, "loop-rank-bars", "Time of each rank in this loop");
    return make("div", {}, make("h3", {}, "Ranks in this loop"), legend(kLoopParts), box);
}

/** Colour of a time against the mean: less is blue, more is orange, full at 50 %. */
function heatColour(ratio) {
    const strength = Math.min(1, Math.abs(ratio - 1) / 0.5);
    return `color-mix(in srgb, var(--${ratio < 1 ? "less" : "more"}) ${Math.round(8 + 92 * strength)}%, var(--card))`;
}

/** Loops whose times of threads are not in the records of all ranks, or did not fit into the page. */
function loopsWithoutThreads() {
    return run().loops.filter((item) => item.level === "threads" && !item.by_rank.every((row) => row[7].length > 0));
}

/** Busy seconds of every thread: {rank: [seconds]}, of the loop or of all loops. */
function threadTimes() {
    const times = new Map();
    for (const item of state.allThreads ? run().loops : [loop()]) {
        if (item.level === "ranks") continue;
        for (const [rank, , , , , , , busy] of item.by_rank) {
            const row = times.get(rank) || [];
            busy.forEach((value, i) => { row[i] = (row[i] || 0) + value; });
            times.set(rank, row);
        }
    }
    return [...times.entries()].filter(([, row]) => row.length > 0);
}

function heatMap(width) {
    const times = threadTimes(), shown = times.slice(0, kMostHeatRows);
    const box = make("div", {id: "heat"}, make("h3", {}, "Threads: time in " +
        (state.allThreads ? "all loops" : "this loop") + " against their mean"),
        make("div", {class: "controls"},
            button("this loop", !state.allThreads, () => change({allThreads: false})),
            button("all loops", state.allThreads, () => change({allThreads: true}))));
    if (shown.length === 0) {
        box.append(make("p", {class: "soft"}, loop().level === "ranks" ? "The workers of this loop are ranks." :
            "Times of single threads are not in these records, or there are too many of them for a page."));
        return box;
    }
    const columns = Math.max(...shown.map(([, row]) => row.length)), left = 70, top = 16;
    const wide = Math.max(3, Math.min(64, (width - left - 10) / columns)), high = shown.length <= 24 ? 24 : 13;
    const mean = sum(times.map(([, row]) => sum(row))) / sum(times.map(([, row]) => row.length)) || 1;
    let body = "";
    for (let i = 0; i < columns; i += Math.ceil(24 / wide))
        body += `<text class="soft" x="${left + (i + 0.5) * wide}" y="11" text-anchor="middle">${i}</text>`;
    shown.forEach(([rank, row], j) => {
        body += `<text class="soft" x="${left - 8}" y="${top + j * high + high / 2 + 4}" text-anchor="end">rank ${rank}</text>`;
        row.forEach((value, i) => {
            const tip = `rank ${rank}, thread ${i}\n${seconds(value)}, ` +
                `${value < mean ? "−" : "+"}${percent(Math.abs(value / mean - 1))} against the mean`;
            body += `<rect class="cell" x="${(left + i * wide).toFixed(1)}" y="${top + j * high}" ` +
                `width="${(wide - 1).toFixed(1)}" height="${high - 1}" style="fill:${heatColour(value / mean)}" ` +
                `data-tip="${quoted(tip)}"/>`;
            if (wide >= 44 && high >= 20)
                body += `<text class="soft" x="${left + (i + 0.5) * wide}" y="${top + j * high + 16}" ` +
                    `text-anchor="middle" pointer-events="none">${(100 * value / mean).toFixed(0)} %</text>`;
        });
    });
    const chart = make("div");
    chart.innerHTML = drawing(width, top + shown.length * high + 4, "Time of each thread", body, "heat-map");
    box.append(make("p", {class: "soft"}, "orange: longer than the mean of all threads, which is " + seconds(mean) +
        "; blue: shorter; full colour at 50 %" +
        (times.length > shown.length ? `; the first ${shown.length} of ${times.length} ranks` : "")), chart);
    const without = state.allThreads ? loopsWithoutThreads() : [];
    if (without.length > 0)
        box.append(make("p", {class: "soft"}, "Without " + without.slice(0, 3).map((item) => shortened(item.name, 40))
            .join(", ") + (without.length > 3 ? ` and ${count(without.length - 3, "more loop")}` : "") +
            ", whose times of single threads are not in these records, or too many for a page."));
    return box;
}

function timeline(width) {
    const line = loop().timeline;
    const box = make("div", {id: "timeline"}, make("h3", {}, "Steps: loop time, and the technique in force"));
    if (!line) {
        box.append(make("p", {class: "soft"}, "Single steps of this loop were not recorded. ",
            make("code", {}, "gimbal run --record steps-%r.csv --output run-%r.json -- ./app"),
            " records them, and this page finds the file by its name in the record."));
        return box;
    }
    const left = 64, top = 8, high = 170, band = 16, room = width - left - 12;
    const last = line.points[line.points.length - 1][1] + 1, first = line.points[0][0];
    const most = Math.max(...line.points.map((point) => point[2])) * 1.05 || 1;
    const x = (step) => left + room * (step - first) / Math.max(1, last - first);
    const y = (value) => top + high * (1 - value / most);
    let body = "";
    for (const at of [0, 0.5, 1])
        body += `<line class="grid" x1="${left}" x2="${left + room}" y1="${y(at * most)}" y2="${y(at * most)}"/>` +
            `<text class="soft" x="${left - 6}" y="${y(at * most) + 4}" text-anchor="end">${seconds(at * most)}</text>`;
    for (const [from, to, mean, longest, idle, schedule, exploring] of line.points) {
        const wide = Math.max(1, x(to + 1) - x(from)), hue = kHues[schedule % kHues.length];
        const tip = quoted((from === to ? `step ${from}` : `steps ${from} to ${to}`) + `: ${line.schedules[schedule]}` +
            (exploring ? ", exploring" : "") + `\nmean ${seconds(mean)}, longest ${seconds(longest)}, ` +
            `late or lost ${percent(idle)}`);
        const gap = wide > 4 ? 1 : 0;
        body += `<rect class="step" x="${x(from).toFixed(2)}" width="${(wide - gap).toFixed(2)}" y="${y(mean).toFixed(2)}" ` +
            `height="${Math.max(1, top + high - y(mean)).toFixed(2)}" fill="${hue}" opacity="${exploring ? 0.5 : 0.85}" data-tip="${tip}"/>` +
            `<rect class="band" x="${x(from).toFixed(2)}" width="${(wide + 0.3).toFixed(2)}" y="${top + high + 6}" height="${band}" ` +
            `fill="${hue}" opacity="${exploring ? 0.45 : 1}" data-tip="${tip}"/>`;
    }
    for (const at of [first, Math.floor((first + last - 1) / 2), last - 1])
        body += `<text class="soft" x="${x(at + 0.5)}" y="${top + high + band + 22}" text-anchor="middle">${at}</text>`;
    const chart = make("div");
    chart.innerHTML = drawing(width, top + high + band + 28, "Loop time of every step", body, "step-chart");
    box.append(make("p", {class: "soft"}, count(line.steps, "step") + (line.rank === null ? "" : ` of rank ${line.rank}`) +
        (line.steps > line.points.length ? `, ${Math.ceil(line.steps / line.points.length)} to a bar` : "") +
        "; paler: exploring"),
        make("div", {class: "legend"}, ...line.schedules.map((name, i) => {
            const mark = make("i");
            mark.style.background = kHues[i % kHues.length];
            return make("span", {}, mark, name);
        })), chart);
    return box;
}

function table(id, titles, rows, left) {
    const side = (i) => left.includes(i) ? "left" : null;
    return make("div", {class: "scroll"}, make("table", {id},
        make("thead", {}, make("tr", {}, ...titles.map((title, i) => make("th", {class: side(i), scope: "col"}, title)))),
        make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell, i) =>
            make("td", {class: side(i) ? "left long" : null}, String(cell))))))));
}

function decisions() {
    const item = loop(), line = item.timeline, ranks = item.level === "ranks" ? 1 : run().ranks_seen;
    const box = make("div", {id: "decisions"}, make("h3", {}, "Decisions and their reasons"));
    if (item.remark) box.append(make("p", {}, item.remark.trim()));
    box.append(facts([["tuning", item.tuning], ["static fraction", item.static_fraction],
        ["what an earlier run had learnt", item.earlier_run],
        ["executions that explored", item.exploring_calls || ""],
        [ranks > 1 ? "exploring cost, mean over ranks" : "exploring cost",
            item.exploring_calls ? seconds(item.exploring_cost_s) : ""],
        ["fell back to a plain schedule", item.fallbacks ? count(item.fallbacks, "execution") : ""]]));
    box.append(table("schedules", ["schedule", "reason", "calls", "time per call", "median of the last 15", ""],
        item.schedules.map((use) => [use.schedule, use.reason, use.calls,
            use.timed && use.calls ? seconds(use.time_s * ranks / use.calls) : "not timed",
            use.median_s ? seconds(use.median_s) : "–", use.exploring ? "exploring" : ""]), [0, 1, 5]));
    if (line && line.changes.length > 1) {
        const rows = line.changes.map(([step, schedule, reason, exploring]) =>
            [step, line.schedules[schedule], reason, exploring ? "exploring" : ""]);
        box.append(make("details", {open: rows.length <= 12}, make("summary", {}, count(line.all_changes, "change") +
            (line.all_changes > rows.length ? `; the first ${rows.length}` : "")),
            table("changes", ["step", "schedule", "reason", ""], rows, [1, 2, 3])));
    }
    return box;
}

function loopSection(width) {
    const item = loop();
    const choose = make("select", {id: "choose", "aria-label": "Loop", onchange: (event) =>
        change({loop: Number(event.target.value)})},
        ...run().loops.map((one, i) => make("option", {value: i, selected: i === state.loop}, shortened(one.name, 70))));
    const section = make("section", {id: "loop", "data-loop": state.loop},
        make("h2", {}, "Loop ", make("span", {class: "name"}, item.name)),
        make("div", {class: "controls"}, choose, button("previous", null, () => move(-1), "k"),
            button("next", null, () => move(1), "j")),
        facts([["technique", item.technique], ["workers", count(item.workers, item.level.slice(0, -1))],
            ["calls", item.calls.toLocaleString("en")], ["iterations", item.iterations.toLocaleString("en")],
            ["chunks", item.chunks.toLocaleString("en")],
            ["time", run().ranks_seen > 1 ? `${seconds(item.time_s.min)} to ${seconds(item.time_s.max)}` :
                seconds(item.time_s.mean)],
            ["lost", item.workers_known ? percent(item.lost) : ""]]));
    if (item.overlap_remark) section.append(make("p", {class: "soft"}, item.overlap_remark.trim()));
    if (item.by_rank.length > 1) section.append(rankBarsOfLoop(width));
    if (item.by_rank.length === 0)
        section.append(make("p", {class: "soft"}, item.workers !== run().ranks ?
            "Groups of ranks ran it: which ranks they are is not known." :
            "Times of single ranks are not in these records."));
    section.append(heatMap(width), timeline(width), decisions());
    return section;
}
