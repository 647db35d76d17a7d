// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.spring.admin.PageFiles.File;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.util.MimeTypeUtils;

/**
 * The admin page: {@code GET /actuator/sheaf}, with its files and its figures below that path. The
 * page requests values from {@link SheafValueEndpoint}, with the rights of its user.
 *
 * <p>Closed by default: {@code management.endpoint.sheaf.access=read-only} and {@code
 * management.endpoints.web.exposure.include=sheaf} open it. Thread-safe.
 */
@WebEndpoint(id = SheafPageEndpoint.ID, defaultAccess = Access.NONE)
public final class SheafPageEndpoint {

  static final String ID = "sheaf";

  private final PageFiles files;
  private final FiguresReader figures;
  private final DictionariesReader dictionaries;

  SheafPageEndpoint(PageFiles files, FiguresReader figures, DictionariesReader dictionaries) {
    this.files = files;
    this.figures = figures;
    this.dictionaries = dictionaries;
  }

  /** Serves the page. */
  @ReadOperation(produces = "text/html")
  public WebEndpointResponse<String> page() {
    return new WebEndpointResponse<>(files.page().text(), files.page().type());
  }

  /**
   * Serves a file of the page, the figures as JSON, which do not access Redis, or the list of
   * dictionaries, which does.
   *
   * @param name figures, dictionaries, page.js, page.css or icon.svg
   * @return null, which becomes 404, for other names
   */
  @ReadOperation(produces = {"application/json", "text/javascript", "text/css", "image/svg+xml"})
  public @Nullable WebEndpointResponse<Object> part(@Selector String name) {
    if (name.equals("figures")) {
      return new WebEndpointResponse<>(figures.read(), MimeTypeUtils.APPLICATION_JSON);
    }
    if (name.equals("dictionaries")) {
      return new WebEndpointResponse<>(dictionaries.read(), MimeTypeUtils.APPLICATION_JSON);
    }
    File file = files.file(name);
    return file == null ? null : new WebEndpointResponse<>(file.text(), file.type());
  }
}
