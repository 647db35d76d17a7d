// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.Sheaf;
import dev.sheaf.inspector.Inspection;
import dev.sheaf.spring.admin.ReadAudit.Outcome;
import dev.sheaf.spring.admin.ValueReader.NotReadException;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Shows what is stored under a key: {@code GET /actuator/sheafvalue?key=…}. Only over HTTP, where
 * users are known; not over JMX.
 *
 * <p>Closed by default: {@code management.endpoint.sheafvalue.access=read-only} and {@code
 * management.endpoints.web.exposure.include=sheafvalue} open it. {@link SheafAdminProperties}
 * defines what it shows. Thread-safe.
 */
@WebEndpoint(id = SheafValueEndpoint.ID, defaultAccess = Access.NONE)
public final class SheafValueEndpoint {

  static final String ID = "sheafvalue";

  private static final int FORBIDDEN = 403;
  private static final String ANONYMOUS =
      "org.springframework.security.authentication.AnonymousAuthenticationToken";

  private final ObjectProvider<? extends Sheaf<?, ?>> clients;
  private final SheafAdminProperties properties;
  private final KeyRules keyRules;
  private final ValueReader reader;
  private final ClientState states;
  private final ReportMaker reports;
  private final ReadAudit audit;

  SheafValueEndpoint(
      ObjectProvider<? extends Sheaf<?, ?>> clients,
      SheafAdminProperties properties,
      ValueReader reader,
      ClientState states,
      ReadAudit audit) {
    this.clients = clients;
    this.properties = properties;
    this.keyRules = KeyRules.of(properties.keys());
    this.reader = reader;
    this.states = states;
    this.reports =
        new ReportMaker(
            new Redactor(
                NameRules.of(properties.redact()), properties.redact().showUnstructured()));
    this.audit = audit;
  }

  /**
   * The reason why there is no report.
   *
   * @param error bad-request, denied, refused, absent or unavailable
   * @param guard the state of Redis, if that is the reason and it is known
   */
  record Refusal(String error, String message, @Nullable GuardReport guard) {}

  /**
   * Inspects a key. Blocks at most {@code sheaf.admin.timeout}.
   *
   * @param key in the given encoding
   * @param encoding utf8, base64 or hex; utf8 by default
   * @param user who sent the request
   * @return 200 with a report, 400 for a malformed key, 403 for a key that is not allowed, 404 for
   *     a key that does not exist, 503 if Redis does not answer
   */
  @ReadOperation
  public WebEndpointResponse<Object> read(
      String key, @Nullable String encoding, SecurityContext user) {
    byte[] bytes;
    try {
      bytes = KeyBytes.parse(key, encoding);
    } catch (IllegalArgumentException e) {
      return refusal(
          WebEndpointResponse.STATUS_BAD_REQUEST, "bad-request", String.valueOf(e.getMessage()));
    }
    if (!keyRules.permits(bytes)) {
      audit.read(user, bytes, Outcome.DENIED, 0);
      return refusal(
          FORBIDDEN,
          "denied",
          "This key may not be looked at: it is denied by sheaf.admin.keys, or not allowed, or named like a"
              + " secret (sheaf.admin.keys.deny-usual).");
    }
    Sheaf<?, ?> sheaf = clients.getIfUnique();
    return sheaf == null
        ? refusal(
            WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
            "unavailable",
            "There is no Sheaf client, or none that is primary.")
        : read(sheaf, bytes, user);
  }

  private WebEndpointResponse<Object> read(Sheaf<?, ?> sheaf, byte[] key, SecurityContext user) {
    Inspection found;
    try {
      found = reader.read(sheaf, key);
    } catch (NotReadException e) {
      audit.read(user, key, Outcome.UNREADABLE, 0);
      return notRead(sheaf, e);
    }
    if (!found.exists()) {
      audit.read(user, key, Outcome.ABSENT, 0);
      return refusal(WebEndpointResponse.STATUS_NOT_FOUND, "absent", "There is no such key.");
    }
    boolean showValues = properties.showValues().isShown(named(user), properties.roles());
    ValueReport report = reports.report(key, found, showValues);
    audit.read(user, key, showValues ? Outcome.SHOWN : Outcome.SIZES_ONLY, report.redactedFields());
    return new WebEndpointResponse<>(report);
  }

  /**
   * Returns the user; null for Spring Security's anonymous user, which is a principal in WebFlux.
   */
  private static SecurityContext named(SecurityContext user) {
    Principal principal = user.getPrincipal();
    return principal != null && principal.getClass().getName().equals(ANONYMOUS)
        ? SecurityContext.NONE
        : user;
  }

  private WebEndpointResponse<Object> notRead(Sheaf<?, ?> sheaf, NotReadException reason) {
    String message = String.valueOf(reason.getMessage());
    if (reason.isRefused()) {
      return refusal(FORBIDDEN, "refused", message);
    }
    ClientState.Known known = states.of(sheaf);
    return new WebEndpointResponse<>(
        new Refusal("unavailable", message, known == null ? null : known.guard()),
        WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
  }

  private static WebEndpointResponse<Object> refusal(int status, String error, String message) {
    return new WebEndpointResponse<>(new Refusal(error, message, null), status);
  }
}
