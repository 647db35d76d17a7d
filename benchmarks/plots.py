"""Draws the charts of the pages from the files in docs/benchmarks. Run by benchmarks/publish.

Each chart carries the figures it shows in its description, so that a test can hold them to the files.
"""

import json
import pathlib
import statistics
import sys

import matplotlib

import field_pages
from pages import CLIENTS, ROWS, newest_rows, read_files

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

# Text stays text, and the same figures give the same file.
plt.rcParams.update(
    {"svg.fonttype": "none", "svg.hashsalt": "sheaf", "font.family": "sans-serif", "axes.grid": True,
     "grid.alpha": 0.3, "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True}
)

COLORS = {
    "LETTUCE": "#4e79a7", "JEDIS": "#f28e2b", "REDISSON": "#76b7b2", "GLIDE": "#b07aa1", "RUEIDIS": "#9c9c9c",
    "SHEAF": "#d62728", "SHEAF_YIELDING": "#ff9896",
}


def save(figure, path, shown):
    draw(figure, path, [f"{name}: {median:.0f}" for name, median in shown])


def draw(figure, path, shown):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Description": "\n".join(shown)})
    # Lines that end in blanks are nobody's friends.
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")
    print(f"Written: {path}")


def bars(rows, names, axis, labels):
    """Bars of medians with ranges, a group for each row; what is shown."""
    shown = []
    present = [c for c in CLIENTS if any(c in rows[name]["clients"] for name in names)]
    width = 0.8 / max(1, len(present))
    for number, client in enumerate(present):
        for place, name in enumerate(names):
            scores = rows[name]["clients"].get(client, {}).get("scores", [])
            if scores:
                median = statistics.median(scores)
                axis.bar(
                    place + (number - (len(present) - 1) / 2) * width, median, width * 0.9,
                    color=COLORS[client], label=CLIENTS[client] if place == 0 else None,
                    yerr=[[median - min(scores)], [max(scores) - median]], ecolor="#00000066",
                )
                shown.append((f"{client} {name}", median))
    axis.set_xticks(range(len(names)), labels)
    handles = dict(zip(*reversed(axis.get_legend_handles_labels())))
    axis.legend(handles.values(), handles.keys(), frameon=False, fontsize=8)
    return shown


def gets(rows, path):
    names = [name for name in ROWS if name.startswith("get-") and name in rows]
    if names:
        figure, axis = plt.subplots(figsize=(9, 4))
        shown = bars(rows, names, axis, [name.removeprefix("get-") for name in names])
        axis.set(xlabel="threads", ylabel="GETs a second", title="Blocking GETs, one server")
        axis.yaxis.set_major_formatter(lambda value, _: f"{value / 1000:,.0f}k")
        save(figure, path, shown)


def open_load(rows, path):
    names = [name for name in ROWS if name.startswith("open-") and name in rows]
    if names:
        figure, axis = plt.subplots(figsize=(9, 4))
        shown = bars(rows, names, axis, [name.removeprefix("open-") + ("/s" if name.endswith("k") else " %") for name in names])
        axis.set(
            xlabel="load: reads a second, or the share of each client's own capacity", ylabel="p99, µs (logarithmic)",
            yscale="log", title="99th percentile of a GET under open load",
        )
        save(figure, path, shown)


def compression(docs):
    """What is stored against the speed, from the recorded table of the guide."""
    tables = json.loads((docs / "benchmarks" / "records.json").read_text())["tables"]
    table = next(t for t in tables if t["rows"][0][:2] == ["Algorithm", "Stored"])
    figure, axis = plt.subplots(figsize=(8, 4))
    shown = []
    for name, stored, compress, decompress, *_ in table["rows"][1:]:
        share = float(stored)
        speeds = [float(speed.removesuffix(" MB/s").replace(",", "")) for speed in (compress, decompress)]
        axis.plot(speeds, [share, share], color="#bbbbbb", zorder=1)
        axis.scatter(speeds[0], share, color="#d62728", label="compress" if not shown else None)
        axis.scatter(speeds[1], share, color="#4e79a7", label="decompress" if not shown else None)
        axis.annotate(name, (speeds[0], share), xytext=(0, 6), textcoords="offset points", fontsize=8)
        shown += [(f"{name} compress", speeds[0]), (f"{name} decompress", speeds[1])]
    axis.set(xscale="log", xlabel="MB of the original a second", ylabel="stored, of the original")
    axis.legend(frameon=False)
    save(figure, docs / "images" / "compression.svg", shown)


WAYS = {
    "not compressed": "#9c9c9c", "Snappy": "#4e79a7", "LZ4": "#76b7b2",
    "Zstandard, level 3": "#f28e2b", "Zstandard with a dictionary": "#d62728",
}


def shares(docs):
    """How much is stored of small values, by their size, a panel for each kind."""
    rows = json.loads((docs / "benchmarks" / "data" / "shares" / "dictionaries.json").read_text())["rows"]
    kinds = list(dict.fromkeys(row["values"] for row in rows))
    figure, panels = plt.subplots(1, len(kinds), figsize=(11, 4), sharey=True)
    shown = []
    for kind, panel in zip(kinds, panels):
        own = [row for row in rows if row["values"] == kind]
        for way, color in WAYS.items():
            stored = [float(row["stored"][way]) for row in own]
            panel.plot([row["bytes"] for row in own], stored, marker="o", markersize=4, color=color, label=way)
            shown += [f"{kind}, {row['bytes']} bytes, {way}: {row['stored'][way]}" for row in own]
        panel.set(title=kind, xlabel="bytes of a value", xscale="log", ylim=(0, 1.05))
        panel.set_xticks([row["bytes"] for row in own], [str(row["bytes"]) for row in own])
        panel.minorticks_off()
    panels[0].set(ylabel="stored, of the original")
    # A title leaves the room that the layout keeps for the legend.
    figure.suptitle(" ")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="upper center", ncols=len(WAYS), frameon=False)
    draw(figure, docs / "images" / "dictionaries.svg", shown)


def field_depth(reports, path):
    """GETs a second by how many are sent together, both axes logarithmic."""
    series = {"redis-benchmark": [(row["depth"], row["perSecond"]) for row in reports["redisBenchmark"]]}
    for away, where in ((0, ""), (1, ", 1 ms away")):
        rows = [row for row in reports["depth"] if row["roundTripMillis"] == away]
        series["Lettuce, futures" + where] = [(row["depth"], row["lettucePerSecond"]) for row in rows]
        series["Sheaf, a batch" + where] = [(row["depth"], row["sheafPerSecond"]) for row in rows]
    figure, axis = plt.subplots(figsize=(9, 4.5))
    colors = {"redis-benchmark": "#9c9c9c", "Lettuce": COLORS["LETTUCE"], "Sheaf": COLORS["SHEAF"]}
    for name, points in series.items():
        style = "--" if name.endswith("away") else "-"
        axis.plot(*zip(*points), style, marker="o", markersize=3, color=colors[name.split(",")[0]], label=name)
    axis.set(xscale="log", yscale="log", xlabel="GETs sent together", ylabel="GETs a second", title="GETs of 100 bytes by one thread")
    axis.legend(frameon=False, fontsize=8)
    save(figure, path, [(f"{name}, {depth}", rate) for name, points in series.items() for depth, rate in points])


def field_roll_out(reports, path):
    """The server's memory, and what it sends for a read, over time."""
    moments = reports["rollOut"]
    seconds = [moment["seconds"] for moment in moments]
    figure, axis = plt.subplots(figsize=(9, 4.5))
    axis.plot(seconds, [moment["used"] / 1e6 for moment in moments], color="#4e79a7", label="memory of the server, MB")
    axis.set(xlabel="seconds", ylabel="MB", ylim=(0, None), title="Compression, rolled out over four instances")
    other = axis.twinx()
    other.plot(seconds, [moment["bytes"] / 1e3 for moment in moments], color="#d62728", label="sent for a read, KB")
    other.set(ylabel="KB", ylim=(0, None))
    other.grid(visible=False)
    steps = {"replaced 1": "can read", "replaced 5": "write", "migration": "the rest is rewritten"}
    for stage, name in steps.items():
        begin = next((moment["seconds"] for moment in moments if moment["stage"] == stage), None)
        if begin is not None:
            axis.axvline(begin, color="#999999", linestyle=":")
            axis.annotate(name, (begin, 0.04), xycoords=("data", "axes fraction"), xytext=(4, 0), textcoords="offset points", fontsize=8)
    handles = [*axis.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
    axis.legend(handles=handles, frameon=False, fontsize=8, loc="upper right")
    draw(figure, path, [f"{moment['seconds']} s: {moment['used']} B, {moment['bytes']} B a read" for moment in moments])


def main(docs):
    rows = {row["name"]: row for row in newest_rows(read_files(docs))}
    gets(rows, docs / "benchmarks" / "gets.svg")
    open_load(rows, docs / "benchmarks" / "open.svg")
    compression(docs)
    shares(docs)
    field = docs / field_pages.DATA
    if field.exists():
        reports = json.loads(field.read_text())["reports"]
        field_depth(reports, docs / "benchmarks" / "field-depth.svg")
        field_roll_out(reports, docs / "benchmarks" / "field-roll-out.svg")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
