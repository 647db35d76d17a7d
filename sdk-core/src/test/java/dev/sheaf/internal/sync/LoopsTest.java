// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.keys.ReadRouter;
import dev.sheaf.internal.sync.FollowedLoop.Asked;
import dev.sheaf.internal.sync.KeySource.OfList;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopsTest {

  private static final LoopLearning PATIENT = new LoopLearning(Duration.ofMinutes(1), 25);

  private static final int MEBIBYTE = 1 << 20;

  private final ThreadLocal<CallerThread> callers = ThreadLocal.withInitial(CallerThread::new);
  private final LoopPlace place = new LoopPlace();

  private LoopWindow<String> window(Loops<String, String> loops) {
    FollowedLoop<String> loop =
        new FollowedLoop<>(
            new Asked(AheadRead.GET, null, KeyForm.TEXT, "one", System.nanoTime()),
            new OfList(ReadList.ofKeys(List.of("one", "two")), "", ""));
    loop.foundAt(place);
    loop.reads(0, System.nanoTime());
    return loops.open(loop);
  }

  @Test
  void windowsOfAllLoops_holdNoMoreThanTheBound() {
    try (EmbeddedServer server = EmbeddedServer.start();
        RedisClient client = RedisClient.create(server.uri())) {
      Loops<String, String> loops =
          new Loops<>(
              new ReadRouter<>(
                  ConnectedServer.of(client.connect(), client), StringCodec.UTF8, null),
              new WriteClock(),
              new LoopPlaces(PATIENT, null, "any"),
              callers);
      place.windowClosed(1, 1, MEBIBYTE, false);
      List<LoopWindow<String>> windows = new ArrayList<>();
      for (int i = 0; i < Loops.MAX_HELD_BYTES / MEBIBYTE; i++) {
        windows.add(window(loops));
      }
      assertThat(windows).doesNotContainNull();
      assertThat(window(loops)).isNull();
      windows.get(0).close();
      assertThat(window(loops)).isNotNull();
    }
  }
}
