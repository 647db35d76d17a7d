"""Makes the generated parts of the pages from the files in docs/benchmarks/data.

    pages.py publish DOCS [FILE...]  takes over files that "compare" or field-reports has written, and writes the pages
    pages.py verify DOCS             fails if a page differs from the files
    pages.py check FILE              holds a result against what Sheaf is meant to reach

benchmarks/figures.md is made as a whole, and of other pages what stands between "<!-- generated: name -->" and
"<!-- end of name -->". A row that several files have is taken from the newest one. Needs Python alone.
"""

import json
import pathlib
import shutil
import statistics
import sys
from decimal import ROUND_HALF_UP, Decimal

import field_pages

CLIENTS = {
    "LETTUCE": "Lettuce", "JEDIS": "Jedis", "REDISSON": "Redisson", "GLIDE": "GLIDE",
    "RUEIDIS": "rueidis (Go)", "SHEAF": "Sheaf", "SHEAF_YIELDING": "Sheaf, yielding",
}
RIVALS = ["LETTUCE", "JEDIS", "REDISSON", "GLIDE"]  # on the JVM
# In the order in which they are shown; others follow, such as those beside computing processes.
ROWS = (
    "get-1 get-2 get-4 get-8 get-16 get-64 get-256 set-1 set-2 set-4 set-8 set-16 set-64 virtual-1 virtual-4 virtual-16 virtual-64 virtual-1000 getall-100 futures-100 cluster-getall-100"
    " cluster-1 cluster-2 cluster-4 cluster-8 cluster-64 distant-64 distant-futures-100 large-8 open-3k open-10k open-30k open-25 open-50 open-75 open-90 loop-100 loop-100-1ms"
    " getall-100-1ms loop-of-two-100-1ms ping-64"
).split()
README_ROWS = ["get-8", "get-64", "getall-100", "loop-100-1ms", "cluster-64", "cluster-getall-100"]
README_CLIENTS = ["SHEAF", "LETTUCE", "JEDIS", "REDISSON"]
COSTS = ["client CPU us", "wake-ups", "server CPU us", "commands", "server reads"]
PERCENTILES = ["due/s", "p50-us", "p90-us", "p99-us", "p99.9-us"]
NOT_MEASURED = "Not measured.\n"
BUSY_LOAD_PER_CORE = 0.5  # From here on, others take a share of the processors that shows.
FIGURES = "benchmarks/figures.md"


def fixed(value, digits):
    """As Java writes it: halves are rounded up."""
    return f"{Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,}"


def rounded(value):
    """Three digits that count, or all of a whole number from a hundred on: 0.012, 1.23, 93,677."""
    size = abs(value)
    return fixed(float(value), 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 or size == 0 else 3)


def rate(value):
    """A number of operations a second: 93k/s, 1.23M/s."""
    if value >= 999_500:
        return fixed(value / 1e6, 2) + "M/s"
    return fixed(value / 1e3, value < 9_950) + "k/s" if value >= 1_000 else rounded(value) + "/s"


def micros(value):
    return rounded(value) + " µs" if value < 1_000 else rounded(value / 1_000) + " ms"


def score(row, value):
    return rate(value) if row["higherIsBetter"] else micros(value)


def scores(row, client):
    return row["clients"].get(client, {}).get("scores", [])


def ratios(row, own, other):
    """How many times as fast one client was as another, round by round; none if one was not measured."""
    ours, theirs = scores(row, own), scores(row, other)
    if not ours or not theirs:
        return []
    if len(ours) != len(theirs):
        ours, theirs = [statistics.median(ours)], [statistics.median(theirs)]
    return [mine / its if row["higherIsBetter"] else its / mine for mine, its in zip(ours, theirs)]


def fastest(row, among):
    present = [client for client in among if scores(row, client)]
    pick = max if row["higherIsBetter"] else min
    return pick(present, key=lambda client: statistics.median(scores(row, client)), default=None)


def own(row):
    """Sheaf as it is by default, or else with its option."""
    return "SHEAF" if "SHEAF" in row["clients"] else "SHEAF_YIELDING"


def span(values):
    return f"{rounded(min(values))} to {rounded(max(values))}"


def table(rows):
    """The first row is the heading. The first column is text; numbers end at the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rule = "|".join((":-" if i == 0 else "-") + "-" * width + ("" if i == 0 else ":") for i, width in enumerate(widths))
    lines = [
        "| " + " | ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))) + " |\n"
        for row in rows
    ]
    return lines[0] + "|" + rule + "|\n" + "".join(lines[1:])


def summary(rows):
    """In how many rows Sheaf was faster, slower, or neither, than the fastest other JVM client; where Lettuce was."""
    found = {"Faster in every round": [], "Sometimes faster, sometimes slower": [], "Slower in every round": []}
    behind = []
    for row in rows:
        each = ratios(row, own(row), fastest(row, RIVALS))
        title = f"99th percentile at {row['title']}" if row["group"].startswith("open") else row["title"]
        if each:
            faster, same, slower = found.values()
            (faster if min(each) > 1 else slower if max(each) < 1 else same).append(title)
        over = ratios(row, own(row), "LETTUCE")
        if over and statistics.median(over) < 1:
            behind.append(f"{title} ({rounded(statistics.median(over))})")
    found["Slower than plain Lettuce, by the medians"] = behind
    return "".join(f"- **{what}** ({len(t)}): {'; '.join(t)}.\n" for what, t in found.items() if t)


def readme(rows):
    shown = [row for name in README_ROWS for row in rows if row["name"] == name and "SHEAF" in row["clients"]]
    cells = [[row["title"]] + [median(row, client) for client in README_CLIENTS] for row in shown]
    return table([[""] + [CLIENTS[client] for client in README_CLIENTS]] + cells) if cells else NOT_MEASURED


def median(row, client, absent="-"):
    return score(row, statistics.median(scores(row, client))) if scores(row, client) else absent


def comparison(rows):
    """Medians of all clients, and Sheaf's ratio to the fastest other one on the JVM."""
    if not rows:
        return NOT_MEASURED
    clients = [client for client in CLIENTS if any(client in row["clients"] for row in rows)]
    cells = [["Work"] + [CLIENTS[client] for client in clients] + ["Sheaf / fastest other on the JVM"]]
    for row in rows:
        best = fastest(row, RIVALS)
        each = ratios(row, own(row), best)
        verdict = f"{rounded(statistics.median(each))}× {CLIENTS[best]} ({span(each)})" if each else "-"
        cells.append([row["title"]] + [median(row, client) for client in clients] + [verdict])
    return table(cells)


def figures(rows, headings, names):
    """Other figures than the score, a line for each client."""
    cells = [headings]
    for row in rows:
        for client, series in row["clients"].items():
            cells.append([row["title"], CLIENTS[client]] + [figure(series, name) for name in names])
    return table(cells) if rows else NOT_MEASURED


def figure(series, name):
    if name not in series["figures"]:
        return "-"
    value = statistics.median(series["figures"][name])
    return rate(value) if name.endswith("/s") else micros(value) if name.endswith("us") else rounded(value)


def open_load(rows):
    rows = [row for row in rows if row["unit"] == "p99 us"]
    chart = "\n![99th percentile of a GET under open load](open.svg)\n" if rows else ""
    return figures(rows, ["Load", "Client", "reads due", "p50", "p90", "p99", "p99.9"], PERCENTILES) + chart


def costs(rows):
    few = [row for row in rows if row["name"] in ("get-1", "get-4", "get-64")]
    return figures(few, ["Work", "Client", "client CPU", "wake-ups", "server CPU", "commands", "reads"], COSTS)


def loops(rows):
    """Ways to read a page with a loop, nearby and 1 ms away."""
    named = {row["name"]: row for row in rows}

    def line(title, sheaf, *names):
        found = [named.get(name) for name in names]
        return [title] + [
            median(row, own(row) if sheaf else "LETTUCE", "not measured") if row else "not measured" if name else ""
            for row, name in zip(found, names)
        ]

    two = "two dependent GETs in the body"
    return table([
        ["", "loopback", "1 ms round trip"],
        line("plain loop", False, "loop-100", "loop-100-1ms"),
        line("`loop(keys)`", True, "loop-100", "loop-100-1ms"),
        line("`getAll(keys)`", True, "getall-100", "getall-100-1ms"),
        line("plain loop, " + two, False, "", "loop-of-two-100-1ms"),
        line("`mapEach`, " + two, True, "", "loop-of-two-100-1ms"),
    ])


def details(rows):
    """Everything, row by row."""
    text = ""
    for row in rows:
        names = sorted({name for series in row["clients"].values() for name in series["figures"]})
        cells = [["Client", row["unit"], "from, to", "over Lettuce", "from, to"] + names]
        for client, series in row["clients"].items():
            each = ratios(row, client, "LETTUCE")
            cells.append(
                [CLIENTS[client], rounded(statistics.median(series["scores"])), span(series["scores"])]
                + ([rounded(statistics.median(each)), span(each)] if each else ["-", "-"])
                + [rounded(statistics.median(series["figures"][n])) if n in series["figures"] else "-" for n in names]
            )
        text += f"\n## {row['title']} ({row['name']})\n\n" + table(cells)
    return text


def sources(files):
    """Where and with what was measured, a line for each file."""
    text = ""
    for name, file in files.items():
        facts = file["environment"]
        about = [facts.get(fact, "unknown") for fact in ("Commit", "Date", "Command")]
        rest = "; ".join(f"{k}: {v}" for k, v in facts.items() if k not in ("Commit", "Date", "Command"))
        text += f"- [{name}](data/{name}): commit {about[0]}, {about[1]}, `{about[2]}`. {rest}."
        text += " **The machine was busy when this began.**\n" if is_busy(facts) else "\n"
    return text


def is_busy(facts):
    try:
        cores = int(facts["Processor"].removesuffix(" cores").rsplit(" ", 1)[1])
        return float(facts["Load before"]) > BUSY_LOAD_PER_CORE * cores
    except (KeyError, IndexError, ValueError):
        return False


def read_files(docs):
    """The files by their names, the oldest first."""
    files = {path.name: read(path) for path in sorted((docs / "benchmarks" / "data").glob("*.json"))}
    return dict(sorted(files.items(), key=lambda file: file[1]["environment"].get("Date", "unknown")))


def read(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as e:
        sys.exit(f"Cannot read {path}: {e}")


def newest_rows(files):
    """Each row of the newest file that has it."""
    rows = {row["name"]: row for file in files.values() for row in file["rows"] if row["clients"]}
    last = len(ROWS)
    return sorted(rows.values(), key=lambda row: ROWS.index(row["name"]) if row["name"] in ROWS else last)


# What pages take from the files, by the name of its place.
PLACES = {
    "../README.md": ["readme"],
    "../README.ko.md": ["readme"],
    "benchmarks/results.md": ["sources", "summary", "rates", "times", "open", "costs"],
    "guide/loops.md": ["loops"],
}
MAKERS = {
    "summary": summary, "readme": readme, "open": open_load, "costs": costs, "loops": loops,
    "rates": lambda rows: comparison([row for row in rows if row["higherIsBetter"]]),
    "times": lambda rows: comparison([row for row in rows if row["unit"] == "us"]),
}


def pages(docs):
    """All pages with the figures of today, by their files."""
    files = read_files(docs)
    rows = newest_rows(files)
    made = {
        FIGURES: "# All figures\n\nMade of the files below; [results.md](results.md) has what matters, and\n"
        "[METHOD.md](METHOD.md) says how it is measured. Medians of the rounds; costs are those of\none operation.\n\n"
        + sources(files) + details(rows)
    }
    for page, places in PLACES.items():
        contents = {place: sources(files) if place == "sources" else MAKERS[place](rows) for place in places}
        made[page] = filled(docs, page, contents)
    if (docs / field_pages.DATA).exists():
        contents = field_pages.contents(read(docs / field_pages.DATA), sys.modules[__name__])
        made[field_pages.PAGE] = filled(docs, field_pages.PAGE, contents)
    return made


def filled(docs, page, contents):
    """A page with what stands in its places."""
    text = (docs / page).read_text()
    for place, content in contents.items():
        begin, end = f"<!-- generated: {place} -->", f"<!-- end of {place} -->"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            sys.exit(f"{page} has no place between {begin} and {end}")
        text = f"{before}{begin}\n\n{content}\n{end}{after}"
    return text


def publish(docs, *found):
    for file in map(pathlib.Path, found):
        content = read(file)
        if "Trial" in content["environment"]:
            sys.exit(f"{file} is of a trial, which has no figures")
        target = docs / (field_pages.DATA if "reports" in content else f"benchmarks/data/{file.name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    for page, text in pages(docs).items():
        (docs / page).write_text(text)
        print(f"Written: {docs / page}")


def verify(docs):
    wrong = [page for page, text in pages(docs).items() if (docs / page).read_text() != text]
    if wrong:
        sys.exit(f"Other figures than in the files, run benchmarks/publish: {', '.join(wrong)}")


def goals(rows):
    """What Sheaf is meant to reach: row, client, how many times as fast as the fastest of which others."""
    wanted = [(f"get-{n}", "SHEAF", 1, RIVALS) for n in (1, 2, 4, 8, 16)]
    for name in ("get-64", "get-256"):
        wanted += [(name, "SHEAF", 2.2, ["LETTUCE"]), (name, "SHEAF_YIELDING", 3, ["LETTUCE"])]
    wanted += [
        ("virtual-64", "SHEAF", 3, ["LETTUCE"]),
        ("virtual-1000", "SHEAF", 5, ["LETTUCE"]),
        ("getall-100", "SHEAF", 1, ["JEDIS"]),
        ("futures-100", "SHEAF", 1, ["JEDIS"]),
        ("cluster-getall-100", "SHEAF", 2, RIVALS),
        ("cluster-64", "SHEAF", 2.5, ["LETTUCE"]),
        ("distant-64", "SHEAF", 1.1, ["LETTUCE"]),
        ("distant-futures-100", "SHEAF", 1, ["JEDIS"]),
        ("large-8", "SHEAF", 1, ["JEDIS"]),
        ("open-50", "SHEAF", 1, RIVALS),
    ]
    return wanted + [(row["name"], "SHEAF", 1, ["LETTUCE"]) for row in rows if row["group"].startswith("busy-")]


def check(file):
    """Prints each goal that the run has figures for; fails if one was missed."""
    rows = {row["name"]: row for row in read(file)["rows"]}
    missed = 0
    for name, client, wanted, others in goals(rows.values()):
        other = fastest(rows[name], others) if name in rows else None
        each = ratios(rows[name], client, other) if other else []
        if each:
            middle = statistics.median(each)
            missed += middle < wanted
            print(
                f"{'MISSED' if middle < wanted else 'reached':7} {name:22} {CLIENTS[client]:16} {rounded(wanted):>5} times"
                f" {CLIENTS[other]} wanted, {rounded(middle):>5} found ({span(each)})"
            )
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    commands = {"publish": publish, "verify": verify, "check": check}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](pathlib.Path(sys.argv[2]), *sys.argv[3:])
