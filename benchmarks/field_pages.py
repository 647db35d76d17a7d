"""The tables of docs/benchmarks/field-reports.md, made of what benchmarks/field-reports has measured. Used by pages.py."""

PAGE = "benchmarks/field-reports.md"
DATA = "benchmarks/data/field/field-reports.json"
NOT_MEASURED = "Not measured.\n"


def size(number):
    """Bytes: 1.2 MB, 340 KB."""
    return f"{number / 1e6:,.1f} MB" if number >= 1e6 else f"{number / 1e3:,.1f} KB" if number >= 1e3 else f"{number:,} B"


def depth(reports, form):
    named = {(row["roundTripMillis"], row["depth"]): row for row in reports["depth"]}
    rows = [["GETs sent together", "redis-benchmark", "Lettuce, futures", "Sheaf, a batch", "1 ms away: Lettuce", "1 ms away: Sheaf"]]
    for bench in reports["redisBenchmark"]:
        near, far = (named[away, bench["depth"]] for away in (0, 1))
        rates = [bench["perSecond"]] + [row[client] for row in (near, far) for client in ("lettucePerSecond", "sheafPerSecond")]
        rows.append([f"{bench['depth']:,}"] + [form.rate(rate) for rate in rates])
    return form.table(rows) + "\n![GETs a second by how many are sent together](field-depth.svg)\n"


def distance(reports, form):
    rows = [["Round trip", "loop of GETs", "page of 100, `getAll`", "batch of 10,000 GETs", "that is"]]
    for row in reports["distance"]:
        rate = 10_000 / row["batchMillis"] * 1_000
        times = [form.micros(row[name] * 1_000) for name in ("pageMillis", "batchMillis")]
        rows.append([f"{row['roundTripMillis']} ms", form.rate(row["loopPerSecond"]), *times, form.rate(rate)])
    return form.table(rows)


def netcat(reports, form):
    first = reports["netcat"][0]["millis"]
    rows = [["PINGs", "number", "time", "factor"]]
    for row in reports["netcat"]:
        rows.append([row["way"], f"{row['pings']:,}", form.micros(row["millis"] * 1_000), form.rounded(first / row["millis"]) + "×"])
    return form.table(rows)


def costs(reports, form):
    headings = ["Request", "At a time", "Transport", "CPU µs", "user", "kernel", "system calls"]
    return form.table([headings] + [list(row.values()) for row in reports["costs"]])


def buffers(reports, form):
    rows = [["GETs of 1 KB", "number", "memory before", "at most during", "output buffer, at most"]]
    for row in reports["buffers"] + reports["buffersOfClients"]:
        memory = [size(row["before"]["used"]), size(row["during"]["used"]), size(row["during"]["outputBuffer"])]
        rows.append([row["way"], f"{row.get('commands', 100_000):,}", *memory])
    return form.table(rows) + f"\nAfter the first two rows the server has {size(reports['buffers'][-1]['after']['used'])}.\n"


def storm(reports, form):
    rows = [["How they ask", "late", "slowest", "connections opened"]]
    for row in reports["storm"]:
        late = f"{100 * row['late'] / row['asked']:.1f} % of {row['asked']:,}"
        rows.append([row["way"], late, form.micros(row["slowestMillis"] * 1_000), str(row["connectionsOpened"])])
    return form.table(rows)


def sizes(reports, form):
    ours = reports["sizes"][0]
    rows = [["Client", "ZCARD in a loop", "pipelines", "one script"]]
    rows.append(["Lettuce; the script by Sheaf's `scatter`"] + [form.micros(ours[n] * 1_000) for n in ("loopMillis", "futuresMillis", "scatterMillis")])
    for row in reports["sizes_of_others"]:
        rows.append([row["client"]] + [form.micros(row[name] * 1_000) for name in ("loopMillis", "pipelineMillis")] + ["-"])
    return form.table(rows)


def roll_out(reports, form):
    moments = reports["rollOut"]
    rows = [["", "memory of the server", "sent by the server for a read"]]
    for name, stage in (("before", "replaced 0"), ("all instances write", "replaced 8"), ("the rest is rewritten", "after")):
        last = [moment for moment in moments if moment["stage"] == stage][-1]
        rows.append([name, size(last["used"]), size(last["bytes"])])
    return form.table(rows) + "\n![Memory and bytes a read while instances are replaced](field-roll-out.svg)\n"


def compression(reports, form):
    headings = ["Algorithm", "Stored", "Compress", "Decompress", "10,000 times 10 KB, processor time"]
    return form.table([headings] + [list(row.values()) for row in reports["compression"]])


MAKERS = {
    "depth": depth, "distance": distance, "netcat": netcat, "costs": costs, "buffers": buffers, "storm": storm,
    "zcard": sizes, "rollout": roll_out, "algorithms": compression,
}


def contents(file, form):
    """What stands in each place of the page."""
    about = file["environment"]
    rest = "; ".join(f"{name}: {fact}" for name, fact in about.items() if name not in ("Commit", "Date", "Command"))
    made = {name: maker(file["reports"], form) for name, maker in MAKERS.items()}
    busy = " **The machine was busy when this began.**" if form.is_busy(about) else ""
    made["source"] = f"Commit {about['Commit']}, {about['Date']}, `{about['Command']}`. {rest}.{busy}\n"
    return made
