// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import dev.sheaf.examples.shop.Catalogue.Page;
import dev.sheaf.examples.shop.Comparison.Measured;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The pages of the shop. */
@RestController
class ShopController {

  private final Catalogue catalogue;
  private final Comparison comparison;

  ShopController(Catalogue catalogue, Comparison comparison) {
    this.catalogue = catalogue;
    this.comparison = comparison;
  }

  /**
   * Shows a page of the catalogue, read with Sheaf and without.
   *
   * @param number from 1
   */
  @GetMapping(path = "/", produces = MediaType.TEXT_HTML_VALUE)
  ResponseEntity<String> page(@RequestParam(name = "page", defaultValue = "1") int number) {
    int pages = catalogue.pages();
    if (number < 1 || number > pages) {
      return ResponseEntity.status(HttpStatus.NOT_FOUND)
          .contentType(MediaType.TEXT_PLAIN)
          .body("There is no page " + number + ", only 1 to " + pages + ".\n");
    }
    Measured measured = comparison.of(number);
    return ResponseEntity.ok()
        .header("Server-Timing", timing("with", measured.with()))
        .header("Server-Timing", timing("without", measured.without()))
        .body(ShopPage.html(number, pages, measured));
  }

  private static String timing(String way, Page page) {
    return way + ";dur=" + page.micros() / 1_000.0;
  }
}
