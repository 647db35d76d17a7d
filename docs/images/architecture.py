"""Draws architecture.svg: python3 docs/images/architecture.py"""

from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 960, 560
LIGHT, OWN, EDGE, TEXT = "#eef2f7", "#dcecdf", "#4a5a6a", "#1c2733"
parts = []


def box(x, y, width, title, lines=(), own=False, height=None):
    height = height or 34 + 18 * len(lines)
    parts.append(
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{OWN if own else LIGHT}" '
        f'stroke="{EDGE}"/>'
    )
    middle = x + width / 2
    parts.append(f'<text x="{middle}" y="{y + 22}" text-anchor="middle" font-weight="bold">{escape(title)}</text>')
    for number, line in enumerate(lines):
        parts.append(
            f'<text x="{middle}" y="{y + 42 + 18 * number}" text-anchor="middle" font-size="13">{escape(line)}</text>'
        )


def arrow(x1, y1, x2, y2):
    parts.append(f'<path d="M{x1} {y1} L{x2} {y2}" stroke="{EDGE}" fill="none" marker-end="url(#tip)"/>')


box(40, 20, 270, "Your threads", ["sync(), async(), reactive()"])
box(345, 20, 270, "Spring Boot", ["RedisTemplate, caches, repositories"])
box(650, 20, 270, "Calls of Sheaf", ["getAll, loop, mapEach, Batch, scripts"], own=True)
for x in (175, 480, 785):
    arrow(x, 74, x, 104)
box(40, 108, 880, "On the calling thread", ["windows of loops · read-through · loop detector"], own=True)
arrow(480, 162, 480, 190)
box(40, 194, 880, "Lettuce: command interfaces, codecs, slot routing, MOVED and ASK, read preference", height=36)
for x in (185, 480, 775):
    arrow(x, 230, x, 258)
lines = ["encode, compress", "bounded queue", "GETs as MGET, one write", "replies to their callers"]
for x, node in ((40, "Node A"), (335, "Node B"), (630, "Node C")):
    box(x, 262, 290, f"{node}: NodePipeline", lines, own=True)
    arrow(x + 145, 368, x + 145, 396)
    box(x, 400, 290, "Lettuce and Netty", ["TLS, handshake, reconnect, sockets"])
    arrow(x + 145, 454, x + 145, 482)
    box(x, 486, 290, f"{node} of Redis or Valkey", height=36)
parts.append(
    f'<text x="480" y="548" text-anchor="middle" font-size="13">Green is Sheaf. Beside each primary, '
    f"the availability guard has a connection of its own.</text>"
)

svg = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
    f'font-size="15" fill="{TEXT}" role="img" aria-label="Architecture of Sheaf">\n'
    "<defs><marker id=\"tip\" markerWidth=\"10\" markerHeight=\"8\" refX=\"9\" refY=\"4\" orient=\"auto\">"
    f'<path d="M0 0 L10 4 L0 8 z" fill="{EDGE}"/></marker></defs>\n'
    f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
)
Path(__file__).with_suffix(".svg").write_text(svg)
