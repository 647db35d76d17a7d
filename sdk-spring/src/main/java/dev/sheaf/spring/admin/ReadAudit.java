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
 * Publishes who asked for which key, and what came of it; never what is stored. Thread-safe.
 *
 * @see AuditEvent
 */
final class ReadAudit {

  /** The type of the events. */
  static final String EVENT_TYPE = "SHEAF_VALUE_READ";

  /** What came of a request. */
  enum Outcome {
    /** Values were shown, perhaps redacted. */
    SHOWN,
    /** Sizes were shown, and no value. */
    SIZES_ONLY,
    /** There is no such key. */
    ABSENT,
    /** The key may not be looked at. */
    DENIED,
    /** Redis does not allow it, or did not answer. */
    UNREADABLE
  }

  private final ApplicationEventPublisher events;

  ReadAudit(ApplicationEventPublisher events) {
    this.events = events;
  }

  /**
   * Publishes an event, before the answer is given: what a listener throws prevents the answer.
   *
   * @param redactedFields how many fields were replaced
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
