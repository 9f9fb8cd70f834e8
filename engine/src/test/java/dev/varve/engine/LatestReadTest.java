package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Latest;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/** A read of the latest samples ends every series like a read of all samples. */
class LatestReadTest {
  private static final long NOW = TestEngine.START_MICROS / 1000;

  @Property(tries = 40)
  void theLatestNumberIsThatOfAFullRead(@ForAll long seed) throws InterruptedException {
    Random random = new Random(seed);
    try (TestEngine test =
        new TestEngine(TestEngine.dataset("main", new BlockLayout(Resolution.MILLISECONDS)))) {
      for (int round = 0; round < 12; round++) {
        change(test, random);
        long from = NOW + random.nextInt(3000) - 100;
        TimeRange times =
            random.nextBoolean()
                ? TimeRange.ALL
                : new TimeRange(from, from + 1 + random.nextInt(3000));
        ReadRequest all = ReadRequest.of(Selector.metric("m"), times);
        assertThat(ends(test.read(all.with(new Latest(null))), null))
            .isEqualTo(ends(test.read(all), null));
        assertThat(ends(test.read(all.with(new Latest(StaleMarker.BITS))), StaleMarker.BITS))
            .isEqualTo(ends(test.read(all), StaleMarker.BITS));
      }
    }
  }

  private static void change(TestEngine test, Random random) throws InterruptedException {
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> test.seal();
      case 3 -> test.restart();
      case 4 -> {
        long from = NOW + random.nextInt(3000);
        TimeRange times = new TimeRange(from, from + random.nextInt(1, 1000));
        test.dataset().deletes().begin(Selector.metric("m"), times);
      }
      default -> {
        long start = NOW + random.nextInt(2000);
        for (int i = 0; i < 50; i++) {
          GroupKey key = GroupKey.of("m", Tags.of("host", "h" + random.nextInt(3)));
          test.put(key, start + random.nextInt(1000), value(random));
        }
      }
    }
  }

  private static Value value(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> new Value.Text("t");
      case 1 -> new Value.Int64(random.nextInt(9));
      case 2, 3 -> new Value.Real(StaleMarker.VALUE);
      default -> new Value.Real(random.nextInt(9));
    };
  }

  /** Returns the latest number of each series that counts. */
  private static Map<Series, Sample> ends(Map<Series, List<Sample>> read, @Nullable Long except) {
    Map<Series, Sample> ends = new HashMap<>();
    read.forEach((series, samples) ->
        samples.stream()
            .filter(sample -> counts(sample.value(), except))
            .forEach(sample -> ends.put(series, sample)));
    return ends;
  }

  private static boolean counts(Value value, @Nullable Long except) {
    return switch (value) {
      case Value.Text _, Value.Raw _ -> false;
      case Value.Int64 _ -> true;
      case Value.Real real -> except == null || Double.doubleToRawLongBits(real.value()) != except;
    };
  }
}
