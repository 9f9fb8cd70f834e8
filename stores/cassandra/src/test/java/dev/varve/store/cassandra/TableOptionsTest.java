package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.store.Upkeep;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TableOptionsTest {
  private static String compaction(@Nullable Duration retention, @Nullable Duration bucket) {
    return TableOptions.compaction(new Upkeep(retention, bucket, List.of()));
  }

  private static String windows(int size, String unit) {
    return "'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': '%s', 'compaction_window_size': %d"
        .formatted(unit, size);
  }

  @Test
  void makes25WindowsOfTheRetention() {
    assertThat(compaction(Duration.ofDays(100), Duration.ofHours(1))).isEqualTo(windows(4, "DAYS"));
    assertThat(compaction(Duration.ofDays(10), null)).isEqualTo(windows(10, "HOURS"));
    assertThat(compaction(Duration.ofMinutes(10), null)).isEqualTo(windows(1, "MINUTES"));
  }

  @Test
  void makesNoWindowShorterThanABucket() {
    assertThat(compaction(Duration.ofDays(100), Duration.ofDays(21)))
        .isEqualTo(windows(21, "DAYS"));
  }

  @Test
  void leavesCellsThatAreKeptForEverToTheUsualWay() {
    assertThat(compaction(null, Duration.ofDays(1)))
        .isEqualTo("'class': 'SizeTieredCompactionStrategy'");
    assertThat(compaction(Duration.ofDays(365 * 30), null))
        .isEqualTo("'class': 'SizeTieredCompactionStrategy'");
  }

  @Test
  void keepsCellsForTheWholeRetention() {
    assertThat(TableOptions.timeToLive(new Upkeep(Duration.ofMillis(1500), null, List.of())))
        .isEqualTo(2);
    assertThat(TableOptions.timeToLive(Upkeep.NONE)).isZero();
  }
}
