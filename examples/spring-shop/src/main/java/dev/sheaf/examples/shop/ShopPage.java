// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import dev.sheaf.examples.shop.Catalogue.Page;
import dev.sheaf.examples.shop.Catalogue.Read;
import dev.sheaf.examples.shop.Comparison.Measured;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.springframework.web.util.HtmlUtils;

/** The page as HTML. */
final class ShopPage {

  private static final String FRAME =
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>Five Fruits, page %1$d</title>
      <style>
      :root { color-scheme: light dark; --ink: #2b1d14; --paper: #fdf8f0; --card: #fff; --line: #eadfcd;
        --quiet: #7a6a58; --jam: #a3243b; --slow: #b9a78f; font: 16px/1.5 Georgia, "Times New Roman", serif; }
      @media (prefers-color-scheme: dark) {
        :root { --ink: #f3e9dc; --paper: #1d1612; --card: #28201b; --line: #41352b; --quiet: #b3a28e;
          --jam: #f0788c; --slow: #8a7a66; }
      }
      body { margin: 0; background: var(--paper); color: var(--ink); }
      header, main { max-width: 64rem; margin: auto; padding: 0 1.25rem; }
      header { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: baseline; padding-top: 1.5rem; }
      h1 { margin: 0; font-size: 1.9rem; letter-spacing: .02em; }
      h1 span { color: var(--jam); }
      a { color: var(--jam); }
      .quiet { color: var(--quiet); font-size: .9rem; }
      .panel { background: var(--card); border: 1px solid var(--line); border-radius: 14px;
        padding: 1.25rem 1.5rem; margin: 1.25rem 0; }
      .figures { display: flex; flex-wrap: wrap; gap: .5rem 3rem; align-items: end; }
      .factor { font-size: 4.5rem; line-height: 1; font-weight: 700; color: var(--jam); }
      .figures dl { display: grid; grid-template-columns: auto auto auto; gap: 0 1.5rem; margin: 0; }
      .figures dt { font-weight: 700; }
      .figures dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
      svg { display: block; width: 100%%; height: auto; margin-top: 1rem; font: 12px system-ui, sans-serif; }
      svg text { fill: var(--quiet); }
      svg line { stroke: var(--line); }
      .with { fill: var(--jam); }
      .without { fill: var(--slow); }
      .shelf { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 1rem;
        list-style: none; padding: 0; }
      .shelf li { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: .9rem; }
      .jar { display: block; width: 2.6rem; height: 3rem; margin-bottom: .6rem; border-radius: 6px 6px 12px 12px;
        border-top: .55rem solid var(--slow); }
      .Apple { background: #b5c24a; } .Banana { background: #f0cf5a; } .Cherry { background: #b3193b; }
      .Date { background: #6b4226; } .Elderberry { background: #4b2a5e; }
      .price { float: right; font-weight: 700; font-variant-numeric: tabular-nums; }
      nav { margin: 1.5rem 0 2.5rem; }
      </style>
      </head>
      <body>
      <header>
      <h1>Five <span>Fruits</span></h1>
      <p class="quiet">%4$d products, <span id="from">%5$s</span></p>
      <p class="quiet"><a href="/actuator/sheaf">Admin page</a>: try the key <code>product:1</code></p>
      </header>
      <main>
      %6$s
      <ul class="shelf">
      %7$s
      </ul>
      <nav aria-label="Pages">%3$s page %1$d of %2$d %8$s</nav>
      </main>
      </body>
      </html>
      """;

  private static final String PANEL =
      """
      <section class="panel" aria-label="What this page took">
      <div class="figures">
      <div><div class="factor" id="factor">%1$s</div> as fast with one changed line</div>
      <dl>
      <dt></dt><dd class="quiet">time</dd><dd class="quiet">round trips</dd>
      <dt>With Sheaf</dt><dd id="with">%2$s</dd><dd id="trips-with">%3$d</dd>
      <dt>Without</dt><dd id="without">%4$s</dd><dd id="trips-without">%5$d</dd>
      </dl>
      </div>
      %6$s
      <p class="quiet">Each bar is one GET of the loop. Both ways were measured just now, five times in turn;
      these are the medians.</p>
      </section>
      """;

  // The waterfall, in its own units; the page scales it.
  private static final int WIDTH = 960;
  private static final int LEFT = 110;
  private static final int BAR = 5;
  private static final int GAP = 14;

  private ShopPage() {}

  static String html(int number, int pages, Measured measured) {
    Page page = measured.first();
    return FRAME.formatted(
        number,
        pages,
        number > 1 ? link(number - 1, "previous") : "",
        page.products().size(),
        source(page),
        page.redisAnswered() ? panel(measured) : "",
        page.products().stream().map(ShopPage::jar).collect(Collectors.joining("\n")),
        number < pages ? link(number + 1, "next") : "");
  }

  private static String link(int number, String text) {
    return "<a href=\"/?page=%d\">%s</a>".formatted(number, text);
  }

  private static String source(Page page) {
    return page.redisAnswered()
        ? page.fromRedis() + " of them from Redis"
        : "from the database, since Redis does not answer";
  }

  private static String jar(Product product) {
    String name = HtmlUtils.htmlEscape(product.name());
    return "<li><span class=\"jar %s\"></span><span class=\"price\">%d.%02d</span>%s</li>"
        .formatted(
            name.replaceFirst(" .*", ""),
            product.priceCents() / 100,
            product.priceCents() % 100,
            name);
  }

  private static String panel(Measured measured) {
    return PANEL.formatted(
        digits(measured.factor()) + "×",
        millis(measured.with()),
        measured.roundTrips(measured.with()),
        millis(measured.without()),
        measured.roundTrips(measured.without()),
        waterfall(measured.with(), measured.without()));
  }

  /** Draws both ways on one time axis. */
  private static String waterfall(Page with, Page without) {
    long most = Math.max(with.micros(), without.micros());
    int rows = BAR * with.reads().size();
    int height = 2 * rows + 2 * GAP + 20;
    StringBuilder svg = new StringBuilder();
    svg.append("<svg viewBox=\"0 0 %d %d\" role=\"img\"".formatted(WIDTH, height));
    svg.append(" aria-label=\"When each GET of the page waited, with Sheaf and without\">\n");
    long step = step(most);
    for (long micros = 0; micros <= most; micros += step) {
      int x = x(micros, most);
      svg.append("<line x1=\"%d\" x2=\"%d\" y1=\"0\" y2=\"%d\"/>".formatted(x, x, height - 18));
      svg.append("<text x=\"%d\" y=\"%d\">%d ms</text>\n".formatted(x, height - 4, micros / 1_000));
    }
    bars(svg, "with", "With Sheaf", with, 4, most);
    bars(svg, "without", "Without", without, 4 + rows + GAP, most);
    return svg.append("</svg>").toString();
  }

  /** Returns the distance of the grid lines in microseconds, so that there are at most ten. */
  private static long step(long most) {
    return LongStream.of(1, 2, 5, 10, 20, 50, 100, 200, 500)
        .map(millis -> millis * 1_000)
        .filter(step -> most / step < 10)
        .findFirst()
        .orElse(most);
  }

  private static int x(long micros, long most) {
    return LEFT + (int) (micros * (WIDTH - LEFT - 40) / Math.max(1, most));
  }

  private static void bars(
      StringBuilder svg, String way, String title, Page page, int top, long most) {
    svg.append("<text x=\"0\" y=\"%d\">%s</text>\n".formatted(top + 12, title));
    int y = top;
    for (Read read : page.reads()) {
      int from = x(read.from(), most);
      int width = Math.max(1, x(read.to(), most) - from);
      svg.append(
          "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n"
              .formatted(way, from, y, width, BAR - 1));
      y += BAR;
    }
  }

  private static String millis(Page page) {
    return digits(page.micros() / 1_000.0) + " ms";
  }

  private static String digits(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
  }
}
