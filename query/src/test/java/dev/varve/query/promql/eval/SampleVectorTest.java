package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.StaleMarker;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class SampleVectorTest {
  @Property
  void findsTheFirstSampleAfterATimeWhateverTheGuess(
      @ForAll @Size(max = 80) List<@IntRange(min = 1, max = 9) Integer> steps,
      @ForAll @IntRange(max = 400) int time,
      @ForAll @IntRange(max = 90) int from,
      @ForAll @IntRange(max = 90) int guess) {
    SampleVector samples = new SampleVector();
    int at = 0;
    int after = 0;
    for (int step : steps) {
      at += step;
      samples.add(at, 1);
      after += at <= time ? 1 : 0;
    }
    assertThat(samples.after(time, Math.min(from, after), guess)).isEqualTo(after);
  }

  @Property
  void dropsStalenessMarkersOnly(@ForAll @Size(max = 30) boolean[] stale) {
    SampleVector samples = new SampleVector();
    int kept = 0;
    for (int i = 0; i < stale.length; i++) {
      samples.add(i, stale[i] ? StaleMarker.VALUE : i);
      kept += stale[i] ? 0 : 1;
    }
    samples.dropStale();
    assertThat(samples.size()).isEqualTo(kept);
    for (int i = 0, next = 0; i < stale.length; i++) {
      if (!stale[i]) {
        assertThat(samples.time(next)).isEqualTo(i);
        assertThat(samples.value(next++)).isEqualTo(i);
      }
    }
  }
}
