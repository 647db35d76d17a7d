// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.shop;

import dev.sheaf.examples.shop.Catalogue.Page;
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
  private final PageTimes times;

  ShopController(Catalogue catalogue, PageTimes times) {
    this.catalogue = catalogue;
    this.times = times;
  }

  /**
   * A page of the catalogue.
   *
   * @param number from 1
   * @param withSheaf the visitor's switch
   */
  @GetMapping(path = "/", produces = MediaType.TEXT_HTML_VALUE)
  ResponseEntity<String> page(
      @RequestParam(name = "page", defaultValue = "1") int number,
      @RequestParam(name = "sheaf", defaultValue = "true") boolean withSheaf) {
    int pages = catalogue.pages();
    if (number < 1 || number > pages) {
      return ResponseEntity.status(HttpStatus.NOT_FOUND)
          .contentType(MediaType.TEXT_PLAIN)
          .body("There is no page " + number + ", only 1 to " + pages + ".\n");
    }
    Page page = catalogue.page(number, withSheaf);
    if (page.fromRedis() == page.products().size()) {
      times.took(withSheaf, page.micros());
    }
    return ResponseEntity.ok()
        .header("Server-Timing", "page;dur=" + page.micros() / 1_000.0)
        .body(ShopPage.html(number, pages, withSheaf, page, times));
  }
}
