package dev.varve.engine.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StampClockTest {
  private final AtomicLong micros = new AtomicLong(1_000_000);

  @Test
  void followsTheSystemClockAndNeverGivesAStampTwice() {
    StampClock clock = new StampClock(micros::get, Long.MIN_VALUE);

    assertThat(clock.reserve(10, 1)).isEqualTo(1_000_000);
    assertThat(clock.next()).isEqualTo(1_000_010);
    assertThat(clock.driftMicros()).isEqualTo(11);
    micros.set(2_000_000);
    assertThat(clock.next()).isEqualTo(2_000_000);
    assertThat(clock.last()).isEqualTo(2_000_000);
  }

  @Test
  void continuesAfterTheLastStampOfAnEarlierProcess() {
    StampClock clock = new StampClock(micros::get, 9_000_000_000L);

    assertThat(clock.next()).isEqualTo(9_000_000_001L);
    assertThat(clock.driftMicros()).isEqualTo(9_000_000_002L - 1_000_000);
  }

  @Test
  void startsAReservationAtAWholeUnit() {
    StampClock clock = new StampClock(micros::get, Long.MIN_VALUE);

    assertThat(clock.next()).isEqualTo(1_000_000);
    assertThat(clock.reserve(1, 1000)).isEqualTo(1_001_000);
    assertThat(clock.reserve(1001, 1000)).isEqualTo(1_002_000);
    assertThat(clock.reserve(5, 1000)).isEqualTo(1_004_000);
    assertThat(clock.next()).isEqualTo(1_004_005);
  }

  @Test
  void keepsRisingWhenTheSystemClockIsSetBack() {
    StampClock clock = new StampClock(micros::get, Long.MIN_VALUE);
    clock.next();
    micros.addAndGet(-500_000_000);

    long started = System.nanoTime();
    assertThat(clock.reserve(100, 1)).isEqualTo(1_000_001);
    assertThat(clock.next()).isEqualTo(1_000_101);
    assertThat(System.nanoTime() - started).isLessThan(1_000_000_000L);
    assertThat(clock.driftMicros()).isEqualTo(500_000_102);
  }

  @Test
  void delaysWritersThatOutrunTheClock() throws InterruptedException {
    StampClock clock = new StampClock(micros::get, Long.MIN_VALUE);
    clock.reserve(6_000_000, 1);
    Thread waiting = Thread.ofVirtual().start(clock::next);
    await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
    assertThat(clock.last()).isEqualTo(6_999_999);

    micros.addAndGet(2_000_000);
    assertThat(waiting.join(Duration.ofSeconds(5))).isTrue();
    assertThat(clock.last()).isEqualTo(7_000_000);
  }
}
