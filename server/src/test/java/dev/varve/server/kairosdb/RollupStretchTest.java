package dev.varve.server.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.server.kairosdb.Properties.Length;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** The windows of a roll-up do not depend on the time at which it runs. */
class RollupStretchTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  private static long at(String time) {
    return Instant.parse(time).toEpochMilli();
  }

  private static List<String> stretches(
      String first, String last, long count, TimeUnit unit, ZoneId zone) {
    return RollupStretch.between(at(first), at(last), new Length(count, unit), zone).stream()
        .map(one -> Instant.ofEpochMilli(one.from()) + " " + Instant.ofEpochMilli(one.end()))
        .toList();
  }

  @Test
  void startAnewAtMidnight() {
    assertThat(
            stretches(
                "2024-03-01T22:10:00Z",
                "2024-03-02T00:20:00Z",
                7,
                TimeUnit.MINUTES,
                ZoneOffset.UTC))
        .containsExactly(
            "2024-03-01T22:10:00Z 2024-03-02T00:00:00Z",
            "2024-03-02T00:00:00Z 2024-03-02T00:21:00Z");
  }

  @Test
  void followTheClockOfTheZone() {
    assertThat(stretches("2024-03-30T12:00:00Z", "2024-03-31T12:00:00Z", 1, TimeUnit.DAYS, BERLIN))
        .containsExactly("2024-03-29T23:00:00Z 2024-03-31T22:00:00Z");
    assertThat(stretches("2024-03-31T05:30:00Z", "2024-03-31T05:30:00Z", 6, TimeUnit.HOURS, BERLIN))
        .containsExactly("2024-03-31T05:00:00Z 2024-03-31T11:00:00Z");
  }

  @Test
  void ofMonthsBeginWithJanuary() {
    for (ZoneId zone : List.of(ZoneOffset.UTC, BERLIN, ZoneId.of("America/New_York"))) {
      RollupStretch quarter =
          RollupStretch.between(
                  at("2024-05-05T00:00:00Z"),
                  at("2024-05-05T00:00:00Z"),
                  new Length(3, TimeUnit.MONTHS),
                  zone)
              .getFirst();
      assertThat(Instant.ofEpochMilli(quarter.from()).atZone(zone).toLocalDateTime())
          .hasToString("2024-04-01T00:00");
      assertThat(Instant.ofEpochMilli(quarter.end()).atZone(zone).toLocalDateTime())
          .hasToString("2024-07-01T00:00");
    }
  }

  @Test
  void areBounded() {
    assertThatThrownBy(() ->
            stretches(
                "1900-01-01T00:00:00Z", "2024-01-01T00:00:00Z", 1, TimeUnit.HOURS, ZoneOffset.UTC))
        .isInstanceOf(QueryRefusedException.class)
        .hasMessageContaining("at most 10,000 days");
  }

  @Property(tries = 200)
  void adjoinAndCoverTheRange(
      @ForAll @LongRange(min = 1_000_000_000_000L, max = 1_900_000_000_000L) long first,
      @ForAll @LongRange(min = 0, max = 20_000_000_000L) long length,
      @ForAll @IntRange(min = 1, max = 100) int count,
      @ForAll TimeUnit unit) {
    List<RollupStretch> all =
        RollupStretch.between(first, first + length, new Length(count, unit), BERLIN);
    assertThat(all.getFirst().from()).isLessThanOrEqualTo(first);
    assertThat(all.getLast().end()).isGreaterThan(first + length);
    for (int i = 1; i < all.size(); i++) {
      assertThat(all.get(i).from()).isEqualTo(all.get(i - 1).end());
    }
  }
}
