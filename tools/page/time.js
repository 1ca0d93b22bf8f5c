// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time goes: bars of ranks and loops.

/** Horizontal bars, one for each row, of stacked parts. rows: {label, parts: {key: seconds}, pick: number or null} */
function stackedBars(rows, parts, width, id, label) {
    const height = rows.length <= kFewBars ? 22 : rows.length <= 80 ? 15 : rows.length <= 300 ? 8 : 4;
    const named = Math.ceil(11 / height);  // a label needs 11 pixels
    const left = Math.min(300, Math.max(70, 7 * Math.max(...rows.map((row) => row.label.length))));
    const right = 74, top = 4, room = width - left - right;
    const totals = rows.map((row) => sum(parts.map(([key]) => row.parts[key] || 0)));
    const most = Math.max(...totals, 1e-12);
    let body = "";
    for (const at of [0, 0.25, 0.5, 0.75, 1]) {
        const x = left + room * at, y = top + rows.length * height;
        body += `<line class="grid" x1="${x}" x2="${x}" y1="${top}" y2="${y + 4}"/>` +
            `<text class="soft" x="${x}" y="${y + 16}" text-anchor="middle">` +
            `${state.share ? percent(at) : seconds(at * most)}</text>`;
    }
    rows.forEach((row, i) => {
        const scale = room / (state.share ? totals[i] || 1 : most);
        const pick = row.pick === undefined ? "" :
            ` class="pick${row.pick === state.loop ? " chosen" : ""}" data-loop="${row.pick}" tabindex="0" role="button"`;
        const y = top + i * height;
        body += `<g${pick} aria-label="${quoted(row.full || row.label)}, ${seconds(totals[i])}">` +
            `<rect class="hit" x="0" y="${y}" width="${width}" height="${height}"/>`;
        let x = left;
        for (const [key, colour, name] of parts) {
            const long = (row.parts[key] || 0) * scale;
            if (long < 0.05) continue;
            const tip = `${row.full || row.label}\n${name}: ${seconds(row.parts[key])}, ` +
                percent(row.parts[key] / totals[i]);
            body += `<rect class="part ${colour}" x="${x.toFixed(2)}" y="${y + (height > 10 ? 2 : 0.5)}" ` +
                `width="${long.toFixed(2)}" height="${height - (height > 10 ? 4 : 1)}" data-tip="${quoted(tip)}"/>`;
            x += long;
        }
        if (i % named === 0) {
            const small = height < 14 ? ' class="soft"' : "";
            body += `<text${small} x="${left - 8}" y="${y + height / 2 + 4}" text-anchor="end">` +
                `${quoted(shortened(row.label, 40))}</text>`;
            if (height > 12 || i % named === 0)
                body += `<text class="soft" x="${left + room + 8}" y="${y + height / 2 + 4}">${seconds(totals[i])}</text>`;
        }
        body += "</g>";
    });
    return drawing(width, top + rows.length * height + 22, label, body, id);
}

/**
 * Parts of each rank's wall time, of the sum of its processes' where it had several: so are the times of loops. Loops
 * over ranks hold loops of threads; where there are some, only what a rank waits for the others in a loop over ranks
 * comes on top of them. It does so in the next call of MPI, where there is no stealing: what was measured there counts.
 * Loops that ran at the same time, or inside each other, take no more than the time there was.
 */
function rankRows() {
    const one = run(), byRank = new Map();
    for (const process of one.processes) {
        const row = byRank.get(process.rank) || {label: "rank " + process.rank, full: "", parts: {}, wall: 0,
            loops: {}, mpi: false};
        row.full = `rank ${process.rank} on ${process.host}`;
        row.wall += process.wall_s;
        row.mpi = row.mpi || process.mpi_known;
        for (const key of ["mpi_waiting_s", "mpi_transfer_s"])
            row.parts[key] = (row.parts[key] || 0) + Math.max(0, process[key]);
        byRank.set(process.rank, row);
    }
    const threads = one.loops.some((item) => item.level === "threads");
    for (const item of one.loops) {
        const holdsOthers = threads && item.level === "ranks", leftEarly = item.level === "ranks" && !item.steals;
        for (const [rank, time, ...figures] of item.by_rank) {
            const row = byRank.get(rank);
            if (row) kLoopParts.forEach(([key], i) => {
                if (key === "waiting_s" ? !leftEarly || !row.mpi : !holdsOthers)
                    row.loops[key] = (row.loops[key] || 0) + figures[i] / Math.max(1, time / row.wall);
            });
        }
    }
    const rows = [...byRank.values()];
    for (const row of rows) {
        const room = Math.max(0, row.wall - sum(Object.values(row.parts))), inLoops = sum(Object.values(row.loops));
        row.cut = inLoops > 1.01 * room;
        for (const key in row.loops) row.parts[key] = row.loops[key] * (inLoops > room ? room / inLoops : 1);
        row.parts.rest_s = Math.max(0, room - inLoops);
    }
    return rows;
}

function loopRows() {
    return run().loops.map((item, i) => ({label: shortened(item.name, 40), full: item.name, pick: i,
        overlap: item.overlap_remark ? item.overlap : 1,
        parts: Object.fromEntries(kLoopParts.map(([key]) => [key, item[key]]))}));
}

function timeSection(width) {
    const one = run(), ranks = rankRows(), all = loopRows();
    const used = kParts.filter(([key]) => ranks.some((row) => row.parts[key] > 0));
    const rows = state.allBars ? all : all.slice(0, kFewBars);
    const section = make("section", {id: "time"},
        make("h2", {}, "Where the time goes"),
        make("div", {class: "controls"},
            button("seconds", !state.share, () => change({share: false}), "s"),
            button("share", state.share, () => change({share: true}), "s")),
        legend(used));
    const bars = make("div");
    bars.innerHTML = stackedBars(ranks, used, width, "rank-bars", "Wall time of each rank and its parts");
    const summed = one.processes.length > ranks.length;
    section.append(make("h3", {}, ranks.length > 1 ?
        summed ? "Ranks: wall times of each one's processes, added up" : "Ranks: wall time of each" :
        summed ? "The processes: their wall times, added up" : "The process: its wall time"), bars);
    if (ranks.some((row) => row.cut) || all.some((row) => row.overlap > 1))
        section.append(make("p", {class: "soft"}, "Loops that ran at the same time, or inside each other, count here " +
            "with no more than the time that passed."));
    if (one.loops.length === 0) return section;
    const loops = make("div");
    loops.innerHTML = stackedBars(rows, kLoopParts, width, "loop-bars", "Time in each loop and its parts");
    section.append(make("h3", {}, "Loops: mean over " +
        (one.ranks_seen > 1 ? "ranks and their workers" : "the workers") + "; select one to see more"), loops);
    const longer = rows.filter((row) => row.overlap > 1);
    if (longer.length)
        section.append(make("p", {class: "soft"}, "Calls at the same time add up here: " + longer.slice(0, 3)
            .map((row) => `${row.label} has ${row.overlap.toFixed(1)} times what passed`).join(", ") +
            (longer.length > 3 ? `, and ${longer.length - 3} more` : "")));
    if (all.length > kFewBars)
        section.append(make("div", {class: "controls"}, button(state.allBars ? `the first ${kFewBars}` :
            `all ${all.length} loops`, null, () => change({allBars: !state.allBars}))));
    return section;
}
