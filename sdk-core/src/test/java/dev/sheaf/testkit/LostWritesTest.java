// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The rule, on lines that real servers have logged: two nodes of a shard each time. */
class LostWritesTest {

  /** Redis 7.0: took over by hand, served for four seconds, and was taken over from. */
  private static final String REDIS_7 =
      """
      30043:S 23 Nov 2026 07:09:43.904 * Full resync from master: 426d8f89b692bec04f82c08e54e2d5bd60ea5497:0
      32035:C 23 Nov 2026 07:09:43.904 * Fork CoW for RDB: current 0 MB, peak 0 MB, average 0 MB
      30043:S 23 Nov 2026 07:09:43.904 * MASTER <-> REPLICA sync: Flushing old data
      30043:S 23 Nov 2026 07:09:48.959 # All master replication stream processed, manual failover can start.
      30043:S 23 Nov 2026 07:09:48.978 # Failover election won: I'm the new master.
      30043:M 23 Nov 2026 07:09:48.978 # Connection with master lost.
      30043:M 23 Nov 2026 07:09:48.989 * Partial resynchronization request from 127.0.0.1:21000 accepted. Sending 0 bytes of backlog starting from offset 57.
      30043:M 23 Nov 2026 07:09:53.119 # Configuration change detected. Reconfiguring myself as a replica of 9f4b5ca92bdc284a685ab4f3615689d8cf4636eb
      30043:S 23 Nov 2026 07:09:53.119 * Before turning into a replica, using my own master parameters to synthesize a cached master: I may be able to synchronize with the new master with just a partial transfer.
      30043:S 23 Nov 2026 07:09:53.132 * Full resync from master: 14a33dacdd410044c3db41a2704764b6c060f25c:98
      30043:S 23 Nov 2026 07:09:53.132 * MASTER <-> REPLICA sync: Flushing old data
      30043:signal-handler (1795417800) Received SIGTERM scheduling shutdown...
      """;

  /** The other node: its own demotion cost nothing. */
  private static final String REDIS_7_OTHER =
      """
      30036:M 23 Nov 2026 07:09:48.986 # Configuration change detected. Reconfiguring myself as a replica of 5709453c20280de5e13351d2e915a7cdeb29564c
      30036:S 23 Nov 2026 07:09:48.989 * Successful partial resynchronization with master.
      """;

  /** Redis 8.0, which has other words for the same. */
  private static final String REDIS_8 =
      """
      2628:S 23 Nov 2026 07:11:31.792 * Failover election won: I'm the new master.
      2628:M 23 Nov 2026 07:11:31.792 * Connection with master lost.
      2628:M 23 Nov 2026 07:11:35.787 * Configuration change detected. Reconfiguring myself as a replica of 004a1a3cac6b2c54a08270e548d33e043524b8bd ()
      2628:S 23 Nov 2026 07:11:35.790 * PSYNC is not possible, initialize RDB channel.
      2628:S 23 Nov 2026 07:11:35.791 * Starting to receive RDB and replication stream in parallel.
      2628:S 23 Nov 2026 07:11:35.794 * MASTER <-> REPLICA sync: Flushing old data
      """;

  /** Valkey 8.1: served for 118 ms. */
  private static final String VALKEY_8 =
      """
      32387:S 23 Nov 2026 07:10:21.197 * Setting myself to primary in shard 6ce49ba2e98e242dfa2f43ae59a2ce954459a993 after failover; my old primary is e13da57f47624304de023484f1fe19ee6eabe21a ()
      32387:M 23 Nov 2026 07:10:21.198 * Discarding previously cached primary state.
      32387:M 23 Nov 2026 07:10:21.316 * Configuration change detected. Reconfiguring myself as a replica of node e13da57f47624304de023484f1fe19ee6eabe21a () in shard 6ce49ba2e98e242dfa2f43ae59a2ce954459a993
      32387:S 23 Nov 2026 07:10:21.332 * Full resync from primary: 7b7928bdb25a7dce7bc0d60c063a89881e8798c2:182
      32387:S 23 Nov 2026 07:10:21.346 * PRIMARY <-> REPLICA sync: Flushing old data
      """;

  /** What the next primary says if the last one waited for it. */
  private static final String HAS_ALL =
      "30036:S 23 Nov 2026 07:09:52.500 # All master replication stream processed, manual failover"
          + " can start.\n";

  private static final String COPIED_LATER =
      "30036:S 23 Nov 2026 07:09:55.500 * MASTER <-> REPLICA sync: Flushing old data\n";

  /** In slots of the first and of the second of three shards. */
  private static final String KEY = "b";

  private static final String OTHER_SHARDS = "c";
  private static final int SLOT = 3300;
  private static final int OTHER_SLOT = 7365;

  private final SlotOwners owners = new SlotOwners(3);

  private static long at(String time) {
    return LocalDateTime.parse("2026-11-23T" + time)
        .atZone(ZoneId.systemDefault())
        .toInstant()
        .toEpochMilli();
  }

  private LostWrites servers(String... logs) {
    return new LostWrites(Map.of(0, List.of(logs)), owners);
  }

  @Test
  void onlyWritesWhileItServed_mayBeLost() {
    LostWrites servers = servers(REDIS_7, REDIS_7_OTHER);
    long promoted = at("07:09:48.978");
    long demoted = at("07:09:53.119");
    assertThat(servers.mayHaveLost(KEY, promoted - 5, promoted - 1)).isFalse();
    assertThat(servers.mayHaveLost(KEY, promoted - 5, promoted)).isTrue();
    assertThat(servers.mayHaveLost(KEY, promoted + 1, demoted - 1)).isTrue();
    assertThat(servers.mayHaveLost(KEY, promoted - 5, demoted + 5)).isTrue();
    assertThat(servers.mayHaveLost(KEY, demoted, demoted + 5)).isTrue();
    assertThat(servers.mayHaveLost(KEY, demoted + 1, demoted + 5)).isFalse();
  }

  @Test
  void eachServersWords_areKnown() {
    assertThat(served(REDIS_8, "07:11:31.791", "07:11:31.792", "07:11:35.787", "07:11:35.788"))
        .isTrue();
    assertThat(served(VALKEY_8, "07:10:21.197", "07:10:21.198", "07:10:21.316", "07:10:21.317"))
        .isTrue();
  }

  private boolean served(String log, String before, String from, String until, String after) {
    LostWrites servers = servers(log);
    return !servers.mayHaveLost(KEY, at(before), at(before))
        && servers.mayHaveLost(KEY, at(from), at(from))
        && servers.mayHaveLost(KEY, at(until), at(until))
        && !servers.mayHaveLost(KEY, at(after), at(after));
  }

  @Test
  void writesThatTheNextPrimaryHad_cannotBeLost() {
    LostWrites servers = servers(REDIS_7, REDIS_7_OTHER + HAS_ALL);
    assertThat(servers.mayHaveLost(KEY, at("07:09:52.000"), at("07:09:52.499"))).isFalse();
    assertThat(servers.mayHaveLost(KEY, at("07:09:52.500"), at("07:09:52.501"))).isTrue();
  }

  @Test
  void keysOfOtherShards_cannotBeLost() {
    LostWrites servers = servers(REDIS_7);
    long served = at("07:09:50.000");
    assertThat(servers.mayHaveLost(OTHER_SHARDS, served, served)).isFalse();
    owners.moves(OTHER_SLOT, 0, at("07:09:49.000"));
    owners.left(OTHER_SLOT, 1, at("07:09:49.100"));
    owners.moves(SLOT, 2, at("07:09:44.000"));
    owners.left(SLOT, 0, at("07:09:44.100"));
    assertThat(servers.mayHaveLost(OTHER_SHARDS, served, served)).isTrue();
    assertThat(servers.mayHaveLost(KEY, served, served)).isFalse();
  }

  @Test
  void demotionThatKeptTheData_lostNothing() {
    long demoted = at("07:09:48.986");
    assertThat(servers(REDIS_7_OTHER + COPIED_LATER).mayHaveLost(KEY, demoted, demoted)).isFalse();
  }

  @Test
  void firstCopyOfAReplica_isNoLoss() {
    long copied = at("07:09:43.904");
    assertThat(servers(REDIS_7).mayHaveLost(KEY, copied, copied)).isFalse();
  }
}
