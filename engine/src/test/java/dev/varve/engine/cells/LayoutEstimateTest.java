package dev.varve.engine.cells;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.cells.LayoutEstimate.Read;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Estimates of layouts agree with what their declarations say by arithmetic. */
class LayoutEstimateTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int MINUTES = 24 * 60;
  private static final Batch POINT = point(GroupKey.of("cpu", Tags.of("host", "a")));

  private static Batch point(GroupKey key) {
    return new BatchBuilder().add(key, 1_700_000_000_000L, new Value.Real(42.5)).build();
  }

  static List<String> layouts() {
    return CellPreview.layouts().stream().map(CellPreview.NamedLayout::name).toList();
  }

  private static LayoutEstimate one(String layout) {
    return LayoutEstimate.of(layout, Map.of(), POINT, MINUTE).getFirst();
  }

  private static Read read(LayoutEstimate estimate, String what) {
    return estimate.reads().stream()
        .filter(read -> read.what().equals(what))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void countsADayOfEveryLayout(String layout) {
    for (LayoutEstimate estimate : LayoutEstimate.of(layout, Map.of(), POINT, MINUTE)) {
      assertThat(estimate.refused()).isEmpty();
      assertThat(estimate.samples()).isEqualTo(4 * MINUTES);
      assertThat(estimate.data().rows()).isBetween(1L, estimate.data().cells());
      assertThat(estimate.data().bytes()).isPositive();
      assertThat(estimate.rowsOfWrite()).isBetween(1L, 8L);
      assertThat(estimate.reads()).hasSize(3);
      for (Read read : estimate.reads()) {
        assertThat(read.refused()).isNull();
        assertThat(read.ranges()).isPositive();
        assertThat(read.read().cells())
            .isBetween(1L, estimate.data().cells() + estimate.index().cells());
      }
    }
  }

  @Test
  void countsRowsByTheBucket() {
    String yaml =
        """
        layout: mine
        key: [metric, tags, {bucket: 6h}]
        families: {d: {qualifier: [offset, field]}}
        """;
    LayoutEstimate estimate = one(yaml);
    assertThat(estimate.data().rows()).isEqualTo(4 * 4);
    assertThat(estimate.data().cells()).isEqualTo(4 * MINUTES);
    assertThat(estimate.rowsOfWrite()).isEqualTo(4);
    Read hour = read(estimate, "1 series, 1 hour");
    assertThat(hour.wanted()).isEqualTo(60);
    assertThat(hour.read().rows()).isEqualTo(1);
    assertThat(hour.read().cells()).isEqualTo(60);
    assertThat(read(estimate, "1 series, 1 day").read().rows()).isEqualTo(4);
    assertThat(read(estimate, "4 series, 1 hour").read().cells()).isEqualTo(240);
  }

  /** A row an hour in which time precedes the tags, so that a day of one series reads all. */
  @Test
  void seesThatALayoutReadsTheRowsOfOthers() {
    LayoutEstimate estimate = one("opentsdb");
    assertThat(estimate.data().rows()).isEqualTo(4 * 24);
    assertThat(estimate.index().cells()).isPositive();
    Read day = read(estimate, "1 series, 1 day");
    assertThat(day.wanted()).isEqualTo(MINUTES);
    assertThat(day.read().cells()).isEqualTo(4 * MINUTES);
  }

  @Test
  void countsBlocksCompressed() {
    LayoutEstimate blocks = one("blocks");
    assertThat(blocks.data().bytes()).isLessThan(one("buckets").data().bytes() / 10);
    assertThat(blocks.rowsOfWrite()).isEqualTo(1);
  }

  @Test
  void namesWhatALayoutRefuses() {
    Batch text =
        new BatchBuilder()
            .add(GroupKey.of("cpu", Tags.of("host", "a")), 1_700_000_000_000L, new Value.Text("x"))
            .build();
    LayoutEstimate refused =
        LayoutEstimate.of("heroic", Map.of(), text, Duration.ofHours(1)).getFirst();
    assertThat(refused.samples()).isZero();
    assertThat(refused.refused()).isNotEmpty().hasSizeLessThanOrEqualTo(10);
    assertThatThrownBy(() -> LayoutEstimate.of("buckets", Map.of(), POINT, Duration.ofMillis(10)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 second to 1 hour");
    assertThatThrownBy(
            () -> LayoutEstimate.of("buckets", Map.of(), new BatchBuilder().build(), MINUTE))
        .hasMessageContaining("a point with a sample");
  }

  @Test
  void aPointWithoutTagsIsOneSeries() {
    LayoutEstimate estimate =
        LayoutEstimate.of("buckets", Map.of(), point(GroupKey.of("cpu", Tags.EMPTY)), MINUTE)
            .getFirst();
    assertThat(estimate.series()).isEqualTo(1);
    assertThat(estimate.reads()).hasSize(2);
  }
}
