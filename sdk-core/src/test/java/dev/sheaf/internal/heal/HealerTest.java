// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.heal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.availability.HealedConnection;
import dev.sheaf.availability.HealedConnection.Cause;
import dev.sheaf.availability.HealingOptions;
import dev.sheaf.internal.common.Pace;
import dev.sheaf.testkit.FakeClock;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Healing by a clock that only the test moves. */
class HealerTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final String READONLY = "READONLY You can't write against a read only replica.";

  private final FakeClock clock = new FakeClock();

  private final Pace turns = new Pace(Duration.ofMillis(50), Duration.ZERO, clock::now, () -> 0);

  private Healing client(HealingOptions options) {
    return new Healing(options, clock::now, new Random(1), turns, null, "default");
  }

  /** A socket whose loss opens another one at once. */
  private final class FakeSocket implements Socket, Guard {

    final String address;
    final Healer healer;
    boolean open = true;
    boolean replaceable = true;
    boolean awaiting;
    long heardAt = clock.now();
    boolean blocking;
    boolean unknown;
    long timeout = SECOND.toNanos();
    long guardLooksAfter;
    int toldGuard;
    long inFlightBytes;
    boolean failsOnce;
    boolean unwatched;

    FakeSocket(Healer healer, String address) {
      this.healer = healer;
      this.address = address;
      healer.opened(this);
    }

    @Override
    public String address() {
      return address;
    }

    @Override
    public boolean isAt(SocketAddress other) {
      return other instanceof InetSocketAddress internet
          && address.equals(internet.getHostString() + ":" + internet.getPort());
    }

    @Override
    public boolean isReplaceable() {
      return replaceable && open;
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public long silentNanos() {
      if (failsOnce) {
        failsOnce = false;
        throw new IllegalStateException("on purpose");
      }
      return awaiting ? clock.now() - heardAt : 0;
    }

    @Override
    public boolean isBlocking() {
      return blocking;
    }

    @Override
    public boolean isUnknown() {
      return unknown;
    }

    @Override
    public void unwatched() {
      unwatched = true;
    }

    @Override
    public boolean isAwaiting() {
      return awaiting;
    }

    @Override
    public long timeoutNanos() {
      return timeout;
    }

    @Override
    public long inFlightBytes() {
      return inFlightBytes;
    }

    @Override
    public void close() {
      assertThat(open).as("closed once").isTrue();
      open = false;
      healer.lost(this);
    }

    @Override
    public long looksAfterNanos() {
      return guardLooksAfter;
    }

    @Override
    public void silent() {
      toldGuard++;
    }
  }

  @Test
  void refusedWrites_closeTheSocketOnce() {
    Healing client = client(HealingOptions.defaults());
    FakeSocket socket = new FakeSocket(client.healer(clock), "a:1");
    for (int i = 0; i < 100; i++) {
      socket.healer.replica(socket, READONLY);
    }
    assertThat(socket.open).as("at once").isTrue();
    clock.pass(SECOND);
    assertThat(socket.open).isFalse();
    assertThat(client.latest()).hasSize(1);
    assertThat(client.latest().get(0).cause()).isEqualTo(Cause.REPLICA);
  }

  @Test
  void replicaThatTheNameStillLeadsTo_isLeftEverMoreSeldom() {
    HealingOptions options = HealingOptions.defaults();
    Healing client = new Healing(options, clock::now, () -> 0, turns, null, "default");
    Healer healer = client.healer(clock);
    List<Integer> perMinute = new ArrayList<>();
    FakeSocket socket = new FakeSocket(healer, "a:1");
    int closed = 0;
    for (int minute = 0; minute < 3; minute++) {
      int before = closed;
      for (int i = 0; i < 6_000; i++) {
        healer.replica(socket, READONLY);
        clock.pass(Duration.ofMillis(10));
        if (!socket.open) {
          closed++;
          socket = new FakeSocket(healer, "a:1");
        }
      }
      perMinute.add(closed - before);
    }
    // After 0, 250, 500, … ms, and then every ten seconds.
    assertThat(perMinute.get(0)).isBetween(10, 12);
    assertThat(perMinute.get(2)).isBetween(5, 6);
    assertThat(client.latest()).as("bounded").hasSize(16);
    // After a quiet time the next one is left at once again.
    clock.pass(Duration.ofMinutes(1));
    healer.replica(socket, READONLY);
    clock.pass(Duration.ofMillis(100));
    assertThat(socket.open).isFalse();
  }

  @Test
  void manyConnections_areClosedAtThePaceOfTheJvm_whicheverClientHasThem() {
    List<FakeSocket> sockets = new ArrayList<>();
    for (Healing client :
        List.of(client(HealingOptions.defaults()), client(HealingOptions.defaults()))) {
      for (int i = 0; i < 100; i++) {
        sockets.add(new FakeSocket(client.healer(clock), "a:" + i));
      }
    }
    sockets.forEach(socket -> socket.healer.replica(socket, READONLY));
    int before = 0;
    for (int second = 0; second < 12; second++) {
      clock.pass(SECOND);
      int closed = (int) sockets.stream().filter(socket -> !socket.open).count();
      assertThat(closed - before).as("in a second").isLessThanOrEqualTo(21);
      before = closed;
    }
    assertThat(before).isEqualTo(200);
  }

  @Test
  void otherConnectionsToTheAddress_areClosedToo() {
    Healing client = client(HealingOptions.defaults());
    FakeSocket told = new FakeSocket(client.healer(clock), "a:1");
    FakeSocket same = new FakeSocket(client.healer(clock), "a:1");
    FakeSocket other = new FakeSocket(client.healer(clock), "b:1");
    FakeSocket gone = new FakeSocket(client.healer(clock), "a:1");
    gone.healer.close();
    told.healer.replica(told, READONLY);
    clock.pass(SECOND);
    assertThat(List.of(told.open, same.open, other.open, gone.open))
        .containsExactly(false, false, true, true);
  }

  @Test
  void connectionsToAPrimaryThatHasASuccessor_areClosed_andNoOthers() {
    Healing client = client(HealingOptions.defaults());
    FakeSocket old = new FakeSocket(client.healer(clock), "a:1");
    FakeSocket same = new FakeSocket(client.healer(clock), "a:1");
    FakeSocket successor = new FakeSocket(client.healer(clock), "b:1");
    FakeSocket otherPort = new FakeSocket(client.healer(clock), "a:2");
    Healer withoutSocket = client.healer(clock);
    client.failedOver(InetSocketAddress.createUnresolved("a", 1), "announced");
    clock.pass(SECOND);
    assertThat(List.of(old.open, same.open, successor.open, otherPort.open))
        .containsExactly(false, false, true, true);
    assertThat(client.latest())
        .extracting(HealedConnection::cause)
        .containsExactly(Cause.FAILOVER, Cause.FAILOVER);
    // What connects to it later is judged by the next announcement.
    FakeSocket later = new FakeSocket(withoutSocket, "a:1");
    clock.pass(SECOND);
    assertThat(later.open).isTrue();
  }

  @Test
  void connectionThatNothingReplaces_isNotClosed() {
    Healing client = client(HealingOptions.defaults());
    FakeSocket socket = new FakeSocket(client.healer(clock), "a:1");
    socket.replaceable = false;
    socket.healer.replica(socket, READONLY);
    clock.pass(SECOND);
    assertThat(socket.open).isTrue();
  }

  @Test
  void suspicionAgainstASocketThatIsGone_doesNotConcernTheNext() {
    Healing client = client(HealingOptions.defaults());
    FakeSocket before = new FakeSocket(client.healer(clock), "a:1");
    before.healer.replica(before, READONLY);
    before.close();
    FakeSocket after = new FakeSocket(before.healer, "a:1");
    clock.pass(SECOND);
    assertThat(after.open).isTrue();
    assertThat(client.latest()).isEmpty();
    after.healer.replica(after, READONLY);
    clock.pass(SECOND);
    assertThat(after.open).isFalse();
  }

  @Test
  void switchedOff_nothingIsClosed() {
    Healing client = client(HealingOptions.builder().enabled(false).build());
    FakeSocket socket = new FakeSocket(client.healer(clock), "a:1");
    socket.healer.replica(socket, READONLY);
    clock.pass(SECOND);
    assertThat(socket.open).isTrue();
  }

  @Test
  void listenerThatThrows_harmsNothing() {
    List<HealedConnection> told = new ArrayList<>();
    Healing client =
        client(
            HealingOptions.builder()
                .listener(
                    healed -> {
                      told.add(healed);
                      throw new IllegalStateException("on purpose");
                    })
                .build());
    FakeSocket socket = new FakeSocket(client.healer(clock), "a:1");
    socket.healer.replica(socket, READONLY);
    clock.pass(SECOND);
    assertThat(told).isEqualTo(client.latest()).hasSize(1);
  }

  @Test
  void lookThatThrows_endsTheSuspicionAndNoMore() {
    Healing client = client(HealingOptions.defaults());
    FakeSocket socket = new FakeSocket(client.healer(clock), "a:1");
    boolean news =
        socket.healer.suspect(
            socket,
            Cause.SILENT,
            "a look that fails",
            () -> {
              throw new IllegalStateException("on purpose");
            });
    assertThat(news).isTrue();
    assertThatThrownBy(() -> clock.pass(SECOND)).hasMessage("on purpose");
    assertThat(socket.open).isTrue();
    socket.healer.replica(socket, READONLY);
    clock.pass(SECOND);
    assertThat(socket.open).isFalse();
  }

  // ---- Silence

  @Test
  void watchWhoseLookThrows_looksAgain() {
    FakeSocket socket = new FakeSocket(client(HealingOptions.defaults()).healer(clock), "a:1");
    watched(socket);
    socket.failsOnce = true;
    assertThatThrownBy(() -> clock.pass(SECOND)).hasMessage("on purpose");
    clock.pass(Duration.ofSeconds(3));
    assertThat(socket.open).isFalse();
  }

  private static SilenceWatch watched(FakeSocket socket) {
    SilenceWatch watch = socket.healer.watch(socket, socket);
    socket.awaiting = true;
    watch.begin();
    return watch;
  }

  @Test
  void silence_withinTheTimeout_isNone() {
    FakeSocket socket = new FakeSocket(client(HealingOptions.defaults()).healer(clock), "a:1");
    watched(socket);
    for (int i = 0; i < 100; i++) {
      clock.pass(SECOND);
      socket.heardAt = clock.now();
    }
    assertThat(socket.open).isTrue();
  }

  @Test
  void silence_beyondTheTimeout_endsTheSocket_aSecondLaterAtMost() {
    FakeSocket socket = new FakeSocket(client(HealingOptions.defaults()).healer(clock), "a:1");
    socket.timeout = Duration.ofSeconds(7).toNanos();
    watched(socket);
    clock.pass(Duration.ofSeconds(7));
    assertThat(socket.open).isTrue();
    clock.pass(SECOND);
    assertThat(socket.open).isFalse();
    assertThat(socket.toldGuard).isZero();
  }

  @Test
  void blockingCommand_mayTakeItsTime() {
    FakeSocket socket = new FakeSocket(client(HealingOptions.defaults()).healer(clock), "a:1");
    socket.blocking = true;
    SilenceWatch watch = watched(socket);
    clock.pass(Duration.ofHours(1));
    watch.answeredElsewhere();
    clock.pass(SECOND);
    assertThat(socket.open).isTrue();
  }

  @Test
  void unknownCommand_mayTakeItsTimeout() {
    FakeSocket socket = new FakeSocket(client(HealingOptions.defaults()).healer(clock), "a:1");
    socket.unknown = true;
    socket.timeout = Duration.ofSeconds(7).toNanos();
    socket.guardLooksAfter = Duration.ofMillis(250).toNanos();
    SilenceWatch watch = watched(socket);
    clock.pass(Duration.ofSeconds(5));
    watch.answeredElsewhere();
    clock.pass(SECOND);
    assertThat(socket.open).isTrue();
    clock.pass(Duration.ofSeconds(2));
    assertThat(socket.open).isFalse();
  }

  @Test
  void guard_isToldOfSilence_andItsAnswerEndsTheSocket() {
    FakeSocket socket = new FakeSocket(client(HealingOptions.defaults()).healer(clock), "a:1");
    socket.timeout = Duration.ofMinutes(1).toNanos();
    socket.guardLooksAfter = Duration.ofMillis(250).toNanos();
    SilenceWatch watch = watched(socket);
    clock.pass(Duration.ofMillis(240));
    assertThat(socket.toldGuard).isZero();
    clock.pass(Duration.ofMillis(10));
    assertThat(socket.toldGuard).isEqualTo(1);
    assertThat(socket.open).isTrue();
    watch.answeredElsewhere();
    clock.pass(Duration.ofMillis(250));
    assertThat(socket.open).isFalse();
  }

  @Test
  void replyThatComesBetweenTheTwoLooks_savesTheSocket() {
    FakeSocket socket = new FakeSocket(client(HealingOptions.defaults()).healer(clock), "a:1");
    socket.timeout = Duration.ofMinutes(1).toNanos();
    socket.guardLooksAfter = Duration.ofMillis(250).toNanos();
    SilenceWatch watch = watched(socket);
    clock.pass(Duration.ofMillis(260));
    watch.answeredElsewhere();
    socket.heardAt = clock.now();
    clock.pass(Duration.ofMillis(200));
    assertThat(socket.open).isTrue();
  }

  @Test
  void largeRequest_hasTheTimeOfASlowLink() {
    FakeSocket socket = new FakeSocket(client(HealingOptions.defaults()).healer(clock), "a:1");
    socket.timeout = Duration.ofMinutes(1).toNanos();
    socket.guardLooksAfter = Duration.ofMillis(250).toNanos();
    socket.inFlightBytes = 4 << 20;
    SilenceWatch watch = watched(socket);
    clock.pass(Duration.ofSeconds(3));
    watch.answeredElsewhere();
    clock.pass(Duration.ofMillis(500));
    assertThat(socket.open).isTrue();
    clock.pass(Duration.ofSeconds(1));
    watch.answeredElsewhere();
    clock.pass(Duration.ofMillis(500));
    assertThat(socket.open).isFalse();
  }

  @Test
  void watch_endsWhenNothingIsAwaited_andBeginsAnew() {
    FakeSocket socket = new FakeSocket(client(HealingOptions.defaults()).healer(clock), "a:1");
    SilenceWatch watch = watched(socket);
    socket.awaiting = false;
    clock.pass(Duration.ofMinutes(1));
    assertThat(clock.isIdle()).isTrue();
    assertThat(socket.unwatched).isTrue();
    socket.awaiting = true;
    socket.heardAt = clock.now();
    watch.begin();
    clock.pass(Duration.ofSeconds(2));
    assertThat(socket.open).isFalse();
  }

  // ---- Refusals

  @Test
  void loading_isBorneForItsTime() {
    FakeSocket socket = new FakeSocket(client(HealingOptions.defaults()).healer(clock), "a:1");
    Refusals refusals = new Refusals(socket.healer, socket);
    InetSocketAddress remote = new InetSocketAddress("127.0.0.1", 6379);
    for (int i = 0; i < 40; i++) {
      refusals.reply("LOADING Redis is loading the dataset in memory", remote);
      clock.pass(Duration.ofMillis(100));
    }
    assertThat(socket.open).isTrue();
    refusals.none();
    for (int i = 0; i < 40; i++) {
      refusals.reply("CLUSTERDOWN The cluster is down", remote);
      clock.pass(Duration.ofMillis(100));
    }
    assertThat(socket.open).as("a good reply in between").isTrue();
    for (int i = 0; i < 20; i++) {
      refusals.reply("CLUSTERDOWN The cluster is down", remote);
      clock.pass(Duration.ofMillis(100));
    }
    assertThat(socket.open).isFalse();
  }

  @Test
  void redirection_leadsBack_ifItNamesTheSameNode() {
    InetSocketAddress remote = new InetSocketAddress("localhost", 7001);
    String address = remote.getAddress().getHostAddress();
    assertThat(Refusals.leadsBack("MOVED 3999 localhost:7001", remote)).isTrue();
    assertThat(Refusals.leadsBack("MOVED 3999 " + address + ":7001", remote)).isTrue();
    assertThat(Refusals.leadsBack("MOVED 3999 :7001", remote)).isTrue();
    assertThat(Refusals.leadsBack("MOVED 3999 :7002", remote)).isFalse();
    assertThat(Refusals.leadsBack("MOVED 3999 10.0.0.1:7001", remote)).isFalse();
    assertThat(Refusals.leadsBack("MOVED 3999", remote)).isFalse();
  }
}
