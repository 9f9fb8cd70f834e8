package dev.varve.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class AlignedStrandsTest {
  private static final double[] NUMBERS = {-1, -0.0, 0.0, 1, 2.5, Double.MAX_VALUE};

  /** Collects times and bits of values. */
  private static final class Collecting implements ResultSink {
    private final List<String> samples = new ArrayList<>();

    @Override
    public void begin(ResultSeries series) {}

    @Override
    public void samples(Samples of, int from, int to) {
      for (int i = from; i < to; i++) {
        samples.add(of.time(i) + " " + Double.doubleToRawLongBits(of.doubleAt(i)));
      }
    }

    @Override
    public void gap(long time) {}

    @Override
    public void end() {}
  }

  private static Samples strand(Random random, int size, long step) {
    Samples samples = new Samples(Kind.DOUBLE);
    for (int i = 0; i < size; i++) {
      samples.add(i * step, NUMBERS[random.nextInt(NUMBERS.length)], 0);
    }
    return samples;
  }

  @Property(tries = 200)
  void mergeAsTheHeapDoes(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 40) int strands,
      @ForAll @IntRange(max = 90) int size,
      @ForAll boolean descending) {
    Random random = new Random(seed);
    List<Samples> all = new ArrayList<>();
    for (int i = 0; i < strands; i++) {
      all.add(strand(random, size, 10));
    }
    assertThat(AlignedStrands.are(all)).isTrue();
    Collecting sorted = new Collecting();
    new AlignedStrands(all, descending).into(new Emitter(sorted));
    Collecting merged = new Collecting();
    new StrandHeap(all, descending).into(new Emitter(merged));
    assertThat(sorted.samples).isEqualTo(merged.samples).hasSize(strands * size);
  }

  @Test
  void areOfDoublesAtTheSameInstants() {
    Random random = new Random(1);
    Samples one = strand(random, 5, 10);
    assertThat(AlignedStrands.are(List.of(one, strand(random, 5, 11)))).isFalse();
    assertThat(AlignedStrands.are(List.of(one, strand(random, 4, 10)))).isFalse();
    assertThat(AlignedStrands.are(List.of(strand(random, 5, 0), strand(random, 5, 0)))).isFalse();
    Samples longs = new Samples(Kind.INT64);
    Samples nan = new Samples(Kind.DOUBLE);
    for (int i = 0; i < 5; i++) {
      longs.add(i * 10L, 1L, 0);
      nan.add(i * 10L, i == 3 ? Double.NaN : 1, 0);
    }
    assertThat(AlignedStrands.are(List.of(one, longs))).isFalse();
    assertThat(AlignedStrands.are(List.of(one, nan))).isFalse();
  }
}
