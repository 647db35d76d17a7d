// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import dev.sheaf.examples.shop.Catalogue.Page;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Collectors;
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
      <title>Shop, page %1$d</title>
      <style>
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
      body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
      .time { font-size: 2rem; font-weight: 600; }
      a.chosen { font-weight: 600; text-decoration: none; }
      table { border-collapse: collapse; }
      td, th { padding: .2rem 1rem .2rem 0; text-align: left; }
      td.number { text-align: right; font-variant-numeric: tabular-nums; }
      </style>
      </head>
      <body>
      <h1>Shop</h1>
      <nav aria-label="Sheaf">Sheaf: %2$s</nav>
      <p><span class="time" id="time">%3$s</span> for %4$d products, <span id="from">%5$s</span></p>
      <table>
      <tr><th>Pages that Redis had</th><th>median</th></tr>
      <tr><td>with Sheaf</td><td class="number" id="with">%6$s</td></tr>
      <tr><td>without</td><td class="number" id="without">%7$s</td></tr>
      </table>
      <p><a href="/actuator/sheaf">Admin page</a>: try the key <code>product:1</code></p>
      <nav aria-label="Pages">%8$s</nav>
      <table>
      <tr><th>Product</th><th>Price</th></tr>
      %9$s
      </table>
      </body>
      </html>
      """;

  private ShopPage() {}

  static String html(int number, int pages, boolean withSheaf, Page page, PageTimes times) {
    return FRAME.formatted(
        number,
        switchTo(number, true, withSheaf) + " " + switchTo(number, false, withSheaf),
        millis(page.micros()),
        page.products().size(),
        source(page),
        median(times.median(true)),
        median(times.median(false)),
        neighbours(number, pages, withSheaf),
        page.products().stream().map(ShopPage::row).collect(Collectors.joining("\n")));
  }

  private static String switchTo(int number, boolean target, boolean withSheaf) {
    return link(
        number, target, target ? "on" : "off", target == withSheaf ? " class=\"chosen\"" : "");
  }

  private static String link(int number, boolean withSheaf, String text, String attributes) {
    return "<a href=\"/?page=%d&amp;sheaf=%b\"%s>%s</a>"
        .formatted(number, withSheaf, attributes, text);
  }

  private static String source(Page page) {
    if (!page.redisAnswered()) {
      return "from the database, since Redis does not answer";
    }
    return page.fromRedis() + " of them from Redis";
  }

  private static String neighbours(int number, int pages, boolean withSheaf) {
    StringBuilder links = new StringBuilder();
    if (number > 1) {
      links.append(link(number - 1, withSheaf, "previous", "")).append(' ');
    }
    links.append("page ").append(number).append(" of ").append(pages);
    if (number < pages) {
      links.append(' ').append(link(number + 1, withSheaf, "next", ""));
    }
    return links.toString();
  }

  private static String row(Product product) {
    return "<tr><td>%s</td><td class=\"number\">%d.%02d</td></tr>"
        .formatted(
            HtmlUtils.htmlEscape(product.name()),
            product.priceCents() / 100,
            product.priceCents() % 100);
  }

  private static String median(OptionalLong micros) {
    return micros.isPresent() ? millis(micros.getAsLong()) : "-";
  }

  private static String millis(long micros) {
    return String.format(Locale.ROOT, "%.1f ms", micros / 1_000.0);
  }
}
