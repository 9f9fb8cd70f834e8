package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Resolution;
import org.junit.jupiter.api.Test;

class WriteTimesTest {
  @Test
  void writesCellsOfAClockAtTheirOwnTimeInMicroseconds() {
    assertThat(new ClockTimes(Resolution.MILLISECONDS).ofPut(1_700_000_000_123L))
        .isEqualTo(1_700_000_000_123_000L);
    assertThat(new ClockTimes(Resolution.MICROSECONDS).ofPut(7)).isEqualTo(7);
    assertThat(new ClockTimes(Resolution.NANOSECONDS).ofPut(7_999)).isEqualTo(7);
  }

  @Test
  void deletesOfAClockHideNoPutOfTheirMutation() {
    ClockTimes times = new ClockTimes(Resolution.MILLISECONDS);
    assertThat(times.ofDelete(5)).isEqualTo(4_999);
    assertThat(times.ofDelete(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void refusesATimeThatIsNoWriteTime() {
    ClockTimes times = new ClockTimes(Resolution.SECONDS);
    assertThatThrownBy(() -> times.ofPut(Long.MAX_VALUE / 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cell time 4611686018427387903 s");
    assertThatThrownBy(() -> new ClockTimes(Resolution.MICROSECONDS).ofPut(Long.MIN_VALUE))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void timesOfArrivalRiseWhateverTheCellTimes() {
    long last = 0;
    for (int i = 0; i < 1000; i++) {
      ArrivalTimes times = new ArrivalTimes();
      assertThat(times.ofDelete(-i)).isGreaterThan(last);
      assertThat(times.ofPut(-i)).isEqualTo(times.ofDelete(Long.MAX_VALUE) + 1);
      last = times.ofPut(-i);
    }
    assertThat(ArrivalTimes.last()).isGreaterThanOrEqualTo(last);
  }
}
