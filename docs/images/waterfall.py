"""Draws waterfall.svg from waterfall.json: python3 docs/images/waterfall.py"""

import json
from pathlib import Path
from xml.sax.saxutils import escape

here = Path(__file__)
data = json.loads(here.with_suffix(".json").read_text())
WIDTH, LEFT, RIGHT, ROW = 960, 20, 20, 7
PLAIN, OWN, LINE, TEXT = "#b9c4d0", "#5b9a6b", "#d5dce4", "#1c2733"
most = max(page["micros"] for page in (data["before"], data["after"]))
scale = (WIDTH - LEFT - RIGHT) / most
parts = []
y = 30


def text(line, size=15, weight="normal", font="sans-serif"):
    global y
    parts.append(
        f'<text x="{LEFT}" y="{y}" font-size="{size}" font-weight="{weight}" font-family="{font}">{escape(line)}</text>'
    )
    y += size + 9


def waterfall(title, page, colour):
    global y
    spans = page["spans"]
    text(f'{title}: {len(spans)} GETs, {page["micros"] / 1000:.1f} ms', weight="bold")
    top = y - 8
    for span in spans:
        width = max(1.5, (span["to"] - span["from"]) * scale)
        parts.append(
            f'<rect x="{LEFT + span["from"] * scale:.1f}" y="{y - 8}" width="{width:.1f}" height="{ROW - 2}" fill="{colour}"/>'
        )
        y += ROW
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if most / 1000 / step < 15)
    for millis in range(0, int(most / 1000) + 1, step):
        x = LEFT + millis * 1000 * scale
        parts.insert(0, f'<path d="M{x:.1f} {top} V{y}" stroke="{LINE}"/>')
        parts.append(f'<text x="{x:.1f}" y="{y + 14}" font-size="11" text-anchor="middle">{millis} ms</text>')
    y += 46


waterfall("Before", data["before"], PLAIN)
text("The detector", weight="bold")
for line in data["detected"].replace("; ", ";\n").replace(" < ", "\n    < ").splitlines():
    text(line, 12, font="monospace")
y += 10
text("The line that changes", weight="bold")
text("for (Long id : operations.loop(ids, Catalogue::key)) {", 12, font="monospace")
y += 14
waterfall("After", data["after"], OWN)

svg = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" fill="{TEXT}" role="img" '
    f'aria-label="The commands of a page, before and after">\n<rect width="{WIDTH}" height="{y}" fill="white"/>\n'
    + "\n".join(parts)
    + "\n</svg>\n"
)
here.with_suffix(".svg").write_text(svg)
