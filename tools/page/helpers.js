// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of a run is drawn from the figures in the element "runs" (run_data.hpp says what they are): no library, no
// network, SVG and tables, anew when the selection changes. The scripts of this folder are one function, in the order of
// embed.cmake; this one has what all others use.
const runs = JSON.parse(document.getElementById("runs").textContent);
const state = {run: 0, loop: 0, share: false, allBars: false, allThreads: false, sort: "time", up: false, filter: ""};

// Parts of time: key, class of its colour, name, what it is.
const kParts = [
    ["work_s", "work", "work", "the program's iterations"],
    ["scheduling_s", "scheduling", "scheduling", "drawing chunks"],
    ["late_s", "late", "late arrival", "not there yet when the first one had begun"],
    ["waiting_s", "waiting", "imbalance", "finished, waiting for the last one"],
    ["entry_exit_s", "entry", "entry and exit", "choosing and planning before a loop, learning after it"],
    ["mpi_waiting_s", "mpi-waiting", "waiting in MPI", "for other ranks"],
    ["mpi_transfer_s", "mpi-transfer", "transfer in MPI", "in MPI without waiting for anybody"],
    ["rest_s", "rest", "elsewhere", "outside of Gimbal's loops, and not in MPI where that was measured"]];
const kLoopParts = kParts.slice(0, 5);
const kFewBars = 24;
const kMostHeatRows = 256;
const kHues = ["#2a7fb8", "#d55e00", "#009e73", "#b766a0", "#e69f00", "#56b4e9", "#8a6d3b", "#7a6ff0", "#c0392b",
    "#5c9e31", "#d17fb4", "#607080"];

// ---- small helpers

const run = () => runs[state.run];
const loop = () => run().loops[state.loop];
const sum = (list) => list.reduce((all, one) => all + one, 0);

function seconds(value) {
    const size = Math.abs(value);
    const digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
    if (size === 0) return "0 s";
    if (size < 0.001) return (value * 1e6).toFixed(1) + " µs";
    return value.toFixed(digits) + " s";
}
const percent = (part) => (100 * part).toFixed(1) + " %";
const count = (n, word) => n + " " + word + (n === 1 ? "" : "s");
/** The middle gives way: the beginning and the end of a name say most. */
function shortened(name, most) {
    if (name.length <= most) return name;
    const tail = Math.ceil((most - 1) * 0.6);
    return name.slice(0, most - 1 - tail) + "…" + name.slice(name.length - tail);
}

/** An element: make("td", {class: "left"}, "text", child). */
function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
}

const quoted = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
/** SVG is written as text: thousands of elements are parsed faster than made. */
function drawing(width, height, label, body, id) {
    return `<svg id="${id}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" ` +
        `aria-label="${quoted(label)}">${body}</svg>`;
}
const legend = (parts) => make("div", {class: "legend"}, ...parts.map(([, colour, name, what]) =>
    make("span", {title: what}, make("i", {class: colour}), name)));
const button = (text, pressed, act, label) =>
    make("button", {type: "button", "aria-pressed": pressed === null ? null : String(pressed), title: label,
        onclick: act}, text);
const facts = (pairs) => make("div", {class: "facts"}, ...pairs.filter(([, value]) => value !== "" && value !== null)
    .map(([name, value]) => make("div", {}, make("span", {}, name), value)));
