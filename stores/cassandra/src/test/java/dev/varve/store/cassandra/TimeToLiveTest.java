package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

class TimeToLiveTest {
  private static final long TEN_YEARS = Duration.ofDays(3650).toSeconds();

  private static int seconds(long life, String now) {
    return new TimeToLive(life, InstantSource.fixed(Instant.parse(now))).seconds();
  }

  @Test
  void letsCellsEndWhereCassandraCanTellTheEnd() {
    assertThat(seconds(TEN_YEARS, "2026-11-21T00:00:00Z")).isEqualTo((int) TEN_YEARS);
    assertThat(seconds(0, "2026-11-21T00:00:00Z")).isZero();
  }

  @Test
  void keepsCellsForEverWhoseEndLiesBeyond() {
    assertThat(seconds(TEN_YEARS, "2028-06-01T00:00:00Z")).isZero();
    assertThat(seconds(60, "2038-01-18T00:00:00Z")).isZero();
    assertThat(seconds(60, "2050-01-01T00:00:00Z")).isZero();
  }

  @Test
  void takesNoSecondsForEver() {
    assertThat(TimeToLive.isLonger(0, 5)).isTrue();
    assertThat(TimeToLive.isLonger(6, 5)).isTrue();
    assertThat(TimeToLive.isLonger(5, 0)).isFalse();
    assertThat(TimeToLive.isLonger(0, 0)).isFalse();
    assertThat(TimeToLive.shown(0)).isEqualTo("ever");
    assertThat(TimeToLive.shown(864_000)).isEqualTo("10 days");
    assertThat(TimeToLive.shown(90)).isEqualTo("90 s");
  }
}
