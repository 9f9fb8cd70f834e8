package dev.varve.engine.fill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The digest depends on times, kinds and bits of the samples, and on nothing else. */
class InstantsProperties {
  private static final GroupKey KEY = GroupKey.of("m", Tags.EMPTY);

  @Provide
  Arbitrary<Map<Long, Value>> samples() {
    Arbitrary<Value> values =
        Arbitraries.oneOf(
            Arbitraries.longs().between(-2, 2).map(Value.Int64::new),
            Arbitraries.of(0.0, -0.0, 1.0, Double.NaN, Double.longBitsToDouble(0x7ff0000000000002L))
                .map(Value.Real::new),
            Arbitraries.of("", "1", "ä").map(Value.Text::new));
    return Arbitraries.maps(Arbitraries.longs().between(-8, 8), values).ofMaxSize(12);
  }

  @Property(tries = 500)
  void isEqualForEqualSamplesAlone(
      @ForAll("samples") Map<Long, Value> some, @ForAll("samples") Map<Long, Value> others) {
    assertThat(digest(some, 1).equals(digest(others, 2)))
        .isEqualTo(new TreeMap<>(some).equals(new TreeMap<>(others)));
    assertThat(digest(some, 1)).isEqualTo(digest(new TreeMap<>(some), 2));
  }

  @Property(tries = 300)
  void differsIfOneSampleDoes(
      @ForAll("samples") Map<Long, Value> some, @ForAll long seed, @ForAll boolean removes) {
    if (some.isEmpty()) {
      return;
    }
    List<Long> times = new ArrayList<>(new TreeMap<>(some).keySet());
    long time = times.get(new Random(seed).nextInt(times.size()));
    Map<Long, Value> changed = new TreeMap<>(some);
    if (removes) {
      changed.remove(time);
    } else {
      changed.put(time, new Value.Int64(17));
    }
    assertThat(digest(changed, 1)).isNotEqualTo(digest(some, 1));
  }

  /** Returns the digest of samples that arrive in a random order. */
  private static String digest(Map<Long, Value> samples, long seed) {
    List<Long> order = new ArrayList<>(samples.keySet());
    Collections.shuffle(order, new Random(seed));
    BatchBuilder batch = new BatchBuilder();
    order.forEach(time -> {
      Value value = samples.get(time);
      if (value != null) {
        batch.add(KEY, time, value);
      }
    });
    SampleDigest digest = new SampleDigest();
    Batch built = batch.build();
    if (!built.groups().isEmpty()) {
      Instants instants = Instants.of(built.groups().getFirst(), "value");
      for (int i = 0; i < instants.size(); i++) {
        instants.addTo(digest, i);
      }
    }
    return digest.hex();
  }
}
