// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import io.lettuce.core.cluster.SlotHash;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The writes that a cluster may have acknowledged and then lost, by what its servers have logged: a
 * primary was demoted and threw its data away for those of the next one. A failover by hand loses
 * writes so when one follows another quickly: a replica takes over by votes of an earlier election,
 * serves for some milliseconds, and gives way.
 *
 * <p>Only the keys of its slots can be lost so, and only what was written while it served: from the
 * line in which it first calls itself a primary, or in which its replica said that it had all, to
 * the line of the demotion.
 *
 * <p>Times are those of {@link System#currentTimeMillis}, which is the servers' clock too.
 */
public final class LostWrites {

  /** Tells which writes may be lost. */
  public interface Losses {

    /**
     * Whether a write may be lost.
     *
     * @param from when it was sent
     * @param until when its reply was read
     */
    boolean mayHaveLost(String key, long from, long until);
  }

  private static final Pattern LINE =
      Pattern.compile("(\\d+):([MS]) (\\d\\d \\w{3} \\d{4} [\\d:.]{12}) [-.*#] (.*)");
  private static final DateTimeFormatter SAID_AT =
      DateTimeFormatter.ofPattern("dd MMM yyyy HH:mm:ss.SSS", Locale.ENGLISH);

  private static final String DEMOTED = "Configuration change detected. Reconfiguring myself as a";
  private static final String KEPT = "Successful partial resynchronization";
  private static final String THROWN_AWAY = "sync: Flushing old data";
  private static final String HAS_ALL = "replication stream processed, manual failover can start";

  /** A primary, from its promotion to the demotion that cost it its data. */
  private record Service(int shard, long since, long until) {}

  private final List<Service> lost = new ArrayList<>();
  private final SlotOwners owners;

  /**
   * What the servers have logged.
   *
   * @param logs of each shard, those of all of its servers
   * @param owners which shard had which slot
   */
  LostWrites(Map<Integer, List<String>> logs, SlotOwners owners) {
    this.owners = owners;
    logs.forEach(
        (shard, ofShard) -> {
          List<Service> found = new ArrayList<>();
          List<Long> copied = new ArrayList<>();
          ofShard.forEach(log -> read(log, shard, found, copied));
          found.forEach(service -> lost.add(sinceLastCopy(service, copied)));
        });
  }

  /** As {@link Losses#mayHaveLost}. */
  public boolean mayHaveLost(String key, long from, long until) {
    int slot = SlotHash.getSlot(key);
    return lost.stream()
        .anyMatch(
            service ->
                from <= service.until
                    && until >= service.since
                    && owners.had(service.shard, slot, service.since, service.until));
  }

  private static void read(String log, int shard, List<Service> found, List<Long> copied) {
    Matcher line = LINE.matcher("");
    String process = "";
    long primarySince = Long.MAX_VALUE;
    Service demoted = null;
    for (String each : log.lines().toList()) {
      if (!line.reset(each).matches()) {
        continue;
      }
      long at = millis(line.group(3));
      String said = line.group(4);
      boolean primary = line.group(2).equals("M");
      if (!line.group(1).equals(process) || !primary) {
        process = line.group(1);
        primarySince = Long.MAX_VALUE;
      }
      if (primary) {
        primarySince = Math.min(primarySince, at);
        demoted = said.contains(DEMOTED) ? new Service(shard, primarySince, at) : null;
      } else if (said.contains(KEPT)) {
        demoted = null;
      } else if (said.contains(THROWN_AWAY) && demoted != null) {
        found.add(demoted);
        demoted = null;
      } else if (said.contains(HAS_ALL)) {
        copied.add(at);
      }
    }
  }

  /** What its replica has had cannot be lost. */
  private static Service sinceLastCopy(Service service, List<Long> copied) {
    long since =
        copied.stream()
            .filter(at -> service.since <= at && at <= service.until)
            .mapToLong(Long::longValue)
            .max()
            .orElse(service.since);
    return new Service(service.shard, since, service.until);
  }

  private static long millis(String time) {
    return LocalDateTime.parse(time, SAID_AT)
        .atZone(ZoneId.systemDefault())
        .toInstant()
        .toEpochMilli();
  }
}
