package dev.varve.query.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.varve.engine.request.ReadRequest;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class ReadProgressTest {
  private static final ReadRequest REQUEST =
      ReadRequest.of(Selector.metric("m"), new TimeRange(0, 1000))
          .with(ReadRequest.Order.SERIES_BY_SERIES);

  private final ReadProgress progress = new ReadProgress();

  @Test
  void saysNothingWhereNothingWasRead() {
    assertThat(progress.ofAll(5)).isEqualTo(-1);
    progress.matched(4);
    ReadProgress.Part part = progress.begin(REQUEST, () -> 4);
    assertThat(progress.share()).isZero();
    assertThat(progress.ofAll(5)).isEqualTo(-1);
    part.end();
  }

  @Test
  void tellsPartOfASeriesByItsTimes() {
    progress.matched(1);
    ReadProgress.Part part = progress.begin(REQUEST, () -> 1);
    part.keyBegun();
    part.readUpTo(250);
    assertThat(progress.share()).isEqualTo(0.25);
    assertThat(progress.ofAll(100)).isEqualTo(400);
  }

  @Test
  void countsHalfOfASeriesWhereTheRangeHasNoEnds() {
    progress.matched(2);
    ReadProgress.Part part =
        progress.begin(
            ReadRequest.of(Selector.metric("m"), TimeRange.ALL)
                .with(ReadRequest.Order.SERIES_BY_SERIES),
            () -> 2);
    part.keyBegun();
    part.readUpTo(7);
    assertThat(progress.share()).isEqualTo(0.25);
  }

  @Test
  void saysNothingWhereKeysAlternateUntilAllIsRead() {
    progress.matched(2);
    ReadProgress.Part part =
        progress.begin(ReadRequest.of(Selector.metric("m"), new TimeRange(0, 1000)), () -> 2);
    part.keyBegun();
    part.readUpTo(250);
    part.keyBegun();
    part.readUpTo(250);
    assertThat(progress.share()).isZero();
    part.exhausted();
    assertThat(progress.share()).isEqualTo(1);
  }

  @Test
  void countsKeysWithoutSamplesWhenTheirPartIsRead() {
    progress.matched(10);
    ReadProgress.Part part = progress.begin(REQUEST, () -> 5);
    part.exhausted();
    part.end();
    part.end();
    assertThat(progress.share()).isEqualTo(0.5);
  }

  /** Progress never exceeds the whole, even if something is counted twice. */
  @Property
  void foretellsWhatEvenSeriesTake(
      @ForAll @IntRange(min = 1, max = 500) int keys,
      @ForAll @IntRange(min = 1, max = 800) int begun,
      @ForAll @IntRange(min = 1, max = 1000) int upTo) {
    ReadProgress even = new ReadProgress();
    even.matched(keys);
    ReadProgress.Part part = even.begin(REQUEST, () -> keys);
    for (int i = 0; i < begun; i++) {
      part.keyBegun();
    }
    part.readUpTo(upTo);
    double share = Math.min(1, (begun - 1 + upTo / 1000.0) / keys);
    assertThat(even.share()).isEqualTo(share, within(1e-9));
    long soFar = Math.round(1e12 * share);
    if (soFar > 0 && share < 0.9) {
      assertThat((double) even.ofAll(soFar)).isBetween(0.999e12, 1.101e12);
    }
  }
}
