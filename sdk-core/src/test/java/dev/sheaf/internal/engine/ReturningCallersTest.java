package dev.sheaf.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What the callers do meanwhile happens when they are asked whether they yield. */
class ReturningCallersTest {

  private static final int MANY = 64;

  private final Room room = new Room(1_000, 1_000_000);
  private long now;
  private int asked;

  @Test
  void manyAreExpected_waitsUntilEnoughHaveCome() {
    returning(this::comesBack).await(MANY);
    assertThat(room.commands()).isEqualTo(ReturningCallers.ENOUGH_COMMANDS);
  }

  @Test
  void someAreExpected_waitsForHalfOfThem() {
    returning(this::comesBack).await(6);
    assertThat(room.commands()).isEqualTo(3);
  }

  @Test
  void enoughHaveComeAlready_doesNotWait() {
    assertThat(room.tryTake(ReturningCallers.ENOUGH_COMMANDS, 0)).isTrue();
    returning(this::comesBack).await(MANY);
    assertThat(asked).isZero();
  }

  @Test
  void aLoneCaller_isNotWaitedFor() {
    assertThat(room.tryTake(1, 0)).isTrue();
    returning(this::comesBack).await(2);
    assertThat(asked).isZero();
  }

  @Test
  void threadsPark_doesNotWait() {
    returning(() -> false).await(MANY);
    assertThat(asked).isEqualTo(1);
  }

  @Test
  void threadsPark_fromNowOn_waitsNoLonger() {
    returning(() -> asked < 3).await(MANY);
    assertThat(asked).isEqualTo(3);
  }

  @Test
  void nobodyComesBack_waitsNoLongerThanAFewYields() {
    returning(() -> true).await(MANY);
    assertThat(asked).isEqualTo(ReturningCallers.MAX_YIELDS);
  }

  @Test
  void aYieldTakesLong_isTheLast() {
    returning(
            () -> {
              now += ReturningCallers.MAX_NANOS;
              return true;
            })
        .await(MANY);
    assertThat(asked).isEqualTo(2);
  }

  private boolean comesBack() {
    // The first question is asked before anybody had a turn.
    return asked == 1 || room.tryTake(1, 0);
  }

  private ReturningCallers returning(BooleanSupplier threadsYield) {
    return new ReturningCallers(
        () -> {
          asked++;
          return threadsYield.getAsBoolean();
        },
        () -> now,
        room);
  }
}
