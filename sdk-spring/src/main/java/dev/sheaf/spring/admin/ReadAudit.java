// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.security.Principal;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes audit events: who requested which key, and the outcome; never values. Thread-safe.
 *
 * @see AuditEvent
 */
final class ReadAudit {

  /** The type of the events. */
  static final String EVENT_TYPE = "SHEAF_VALUE_READ";

  /** The outcome of a request. */
  enum Outcome {
    /** Values were shown, possibly redacted. */
    SHOWN,
    /** Sizes were shown, but no value. */
    SIZES_ONLY,
    /** The key does not exist. */
    ABSENT,
    /** The rules do not allow the key. */
    DENIED,
    /** Redis did not allow the read, or did not answer. */
    UNREADABLE
  }

  private final ApplicationEventPublisher events;

  ReadAudit(ApplicationEventPublisher events) {
    this.events = events;
  }

  /**
   * Publishes an event before the response is sent. An exception from a listener prevents the
   * response.
   *
   * @param redactedFields the number of replaced fields
   */
  void read(SecurityContext user, byte[] key, Outcome outcome, int redactedFields) {
    Map<String, @Nullable Object> data =
        Map.of(
            "key", KeyBytes.printable(key),
            "outcome", outcome.name().toLowerCase(Locale.ROOT).replace('_', '-'),
            "redactedFields", redactedFields);
    events.publishEvent(new AuditApplicationEvent(new AuditEvent(name(user), EVENT_TYPE, data)));
  }

  private static @Nullable String name(SecurityContext user) {
    Principal principal = user.getPrincipal();
    return principal == null ? null : principal.getName();
  }
}
