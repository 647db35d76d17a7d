// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.LoopReport;
import dev.sheaf.LoopReport.Learned;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A mix of ten kinds of loops, the same in every run: few reads are in vain. */
class LearnedWorkloadTest {

  private static final int LISTS = 6;
  private static final int ITEMS = 80;
  private static final int LOOPS = 600;

  private final Random random = new Random(20);

  @Test
  void tenKindsOfLoops_readLittleInVain() {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri())
                // A machine that is busy must not make a loop too slow for its window.
                .learnLoops(Duration.ofSeconds(30), 25)
                .connect()) {
      fill(sheaf);
      for (int i = 0; i < LOOPS; i++) {
        loop(sheaf, random.nextInt(10), random.nextInt(LISTS));
      }
      long hits = 0;
      long vain = 0;
      for (LoopReport report : sheaf.loops()) {
        Learned learned = report.learned();
        if (learned != null) {
          System.out.println(report.callSite() + " " + report.command() + " " + learned);
          hits += learned.hits();
          vain += learned.vain();
        }
      }
      System.out.println(hits + " hits, " + vain + " in vain");
      assertThat(hits).isGreaterThan(LOOPS * ITEMS / 4);
      assertThat(10 * vain).isLessThanOrEqualTo(hits + vain);
    }
  }

  private void fill(Sheaf<String, String> sheaf) {
    Map<String, String> values = new HashMap<>();
    for (int list = 0; list < LISTS; list++) {
      for (int i = 0; i < ITEMS; i++) {
        String id = id(list, i);
        values.put("item:" + id, "value");
        values.put("price:" + id, "1");
        values.put("day:" + (list * ITEMS + i), "value");
        sheaf.sync().rpush("list:" + list, id);
        sheaf.sync().sadd("set:" + list, id);
        if (i < 6) {
          sheaf.sync().rpush("outer:" + list, id);
          sheaf
              .sync()
              .rpush(
                  "inner:" + id,
                  id(list, i),
                  id(list, i + 1),
                  id(list, i + 2),
                  id(list, i + 3),
                  id(list, i + 4));
        }
        sheaf.sync().hset("user:" + id, "name", "value");
      }
    }
    sheaf.setAll(values);
  }

  private static String id(int list, int i) {
    return Integer.toString(1_000 + 131 * (list * ITEMS + i), 36);
  }

  private static void read(Sheaf<String, String> sheaf, String key) {
    Objects.requireNonNull(sheaf.sync().get(key), key);
  }

  private void loop(Sheaf<String, String> sheaf, int kind, int list) {
    switch (kind) {
      case 0 -> toItsEnd(sheaf, list);
      case 1 -> page(sheaf, list);
      case 2 -> mostlyFiltered(sheaf, list);
      case 3 -> hardlyFiltered(sheaf, list);
      case 4 -> leftAnywhere(sheaf, list);
      case 5 -> nested(sheaf, list);
      case 6 -> shuffled(sheaf, list);
      case 7 -> numbers(sheaf, list);
      case 8 -> sameKeys(sheaf);
      default -> twoReads(sheaf, list);
    }
  }

  private static void toItsEnd(Sheaf<String, String> sheaf, int list) {
    for (String id : sheaf.sync().smembers("set:" + list)) {
      read(sheaf, "item:" + id);
    }
  }

  /** Shows the first twenty. */
  private static void page(Sheaf<String, String> sheaf, int list) {
    int shown = 0;
    for (String id : sheaf.sync().lrange("list:" + list, 0, -1)) {
      if (shown++ == 20) {
        break;
      }
      read(sheaf, "item:" + id);
    }
  }

  private void mostlyFiltered(Sheaf<String, String> sheaf, int list) {
    for (String id : sheaf.sync().lrange("list:" + list, 0, -1)) {
      if (random.nextInt(4) == 0) {
        read(sheaf, "item:" + id);
      }
    }
  }

  private void hardlyFiltered(Sheaf<String, String> sheaf, int list) {
    for (String id : sheaf.sync().lrange("list:" + list, 0, -1)) {
      if (random.nextInt(20) > 0) {
        read(sheaf, "item:" + id);
      }
    }
  }

  /** Looks for something. */
  private void leftAnywhere(Sheaf<String, String> sheaf, int list) {
    int found = random.nextInt(ITEMS);
    for (String id : sheaf.sync().lrange("list:" + list, 0, -1)) {
      read(sheaf, "item:" + id);
      if (found-- == 0) {
        break;
      }
    }
  }

  private static void nested(Sheaf<String, String> sheaf, int list) {
    for (String outer : sheaf.sync().lrange("outer:" + list, 0, -1)) {
      read(sheaf, "item:" + outer);
      for (String inner : sheaf.sync().lrange("inner:" + outer, 0, -1)) {
        read(sheaf, "price:" + inner);
      }
    }
  }

  private void shuffled(Sheaf<String, String> sheaf, int list) {
    List<String> ids = new ArrayList<>(sheaf.sync().smembers("set:" + list));
    Collections.shuffle(ids, random);
    for (String id : ids) {
      read(sheaf, "item:" + id);
    }
  }

  private static void numbers(Sheaf<String, String> sheaf, int list) {
    for (int day = list * ITEMS; day < list * ITEMS + 30; day++) {
      read(sheaf, "day:" + day);
    }
  }

  private static void sameKeys(Sheaf<String, String> sheaf) {
    for (int i = 0; i < 25; i++) {
      read(sheaf, "item:" + id(i % LISTS, 7 * i % ITEMS));
    }
  }

  private static void twoReads(Sheaf<String, String> sheaf, int list) {
    for (String id : sheaf.sync().lrange("list:" + list, 0, -1)) {
      if (sheaf.sync().hgetall("user:" + id).containsKey("name")) {
        read(sheaf, "price:" + id);
      }
    }
  }
}
