package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Domain;
import dev.varve.layout.Layout;
import dev.varve.layout.RowSamples;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * What is encoded comes back, whatever the parts, bit for bit; of one instant the last accepted.
 */
class RoundTripTest {
  private static final List<String> KEYS =
      List.of(
          "[metric, tags, resource, bucket: 1d]",
          "[metric, tags, resource, bucket: {width: month, label: text}]",
          "[metric, bucket: {width: week, order: descending}, tags, resource]",
          "[salt: 3, metric, tags, bucket: {width: 1h}, resource]",
          "[salt: {buckets: 512, of: [metric, tags, bucket]}, metric, bucket: year, tags, resource]",
          "[hash: 5, metric, tag: host, tags, resource, bucket: 2h]",
          "[metric, tags, resource, time]",
          "[literal: X, metric, tags, time: {order: descending}, resource: host, resource]",
          "[metric, bucket: 1d, tags, resource, bucket: {width: 1h}]");

  private static final List<String> BUCKETED =
      List.of(
          "{d: {qualifier: [offset, field]}}",
          "{d: {qualifier: [field, offset: 6]}}",
          "{d: {qualifier: [field, offset, sequence]}}",
          "{d: {qualifier: [offset: {bytes: 8, unit: 1ms}, fixed: x, field], versions: all}}",
          "{d: {qualifier: [offset], value: all, versions: all}}",
          "{d: {qualifier: [field, value, offset], value: empty}}",
          "{d: {qualifier: [offset, field, value], value: empty}}",
          "{d: {qualifier: [field], time: event}}",
          "{d: {qualifier: [field], time: {shifted: 1000}},"
              + " e: {fields: [a], qualifier: [fixed: x], time: event}}",
          "{p: {fields: ['', value], qualifier: [offset, sequence], value: all},"
              + " d: {qualifier: [field, offset]}}");

  private static final List<String> SINGLE =
      List.of(
          "{d: {qualifier: [field]}}",
          "{d: {qualifier: [fixed: e], value: all, versions: all}}",
          "{d: {qualifier: [sequence, field]}}",
          "{d: {qualifier: [field, value], value: empty}}");

  record Point(GroupKey key, String field, long time, Value value) {}

  @Property(tries = 400)
  void encodedSamplesAreDecodedUnchanged(
      @ForAll("layouts") Layout layout, @ForAll("points") List<Point> points, @ForAll long seed) {
    Random random = new Random(seed);
    Map<Series, Map<Long, Value>> expected = new HashMap<>();
    Cells cells = new Cells(layout);
    long stamp = 1_700_000_000_000_000L;
    BatchBuilder batch = new BatchBuilder();
    for (Point point : points) {
      if (layout.domain().times().contains(point.time())) {
        batch.add(point.key(), point.field(), point.time(), point.value());
        expected
            .computeIfAbsent(point.key().field(point.field()), series -> new HashMap<>())
            .put(point.time(), point.value());
      }
      if (random.nextInt(3) == 0) {
        stamp = flush(batch, cells, stamp);
      }
    }
    flush(batch, cells, stamp);
    assertThat(cells.refusals).isEmpty();
    assertThat(decoded(layout, cells)).isEqualTo(expected);
  }

  private static long flush(BatchBuilder batch, Cells cells, long stamp) {
    long next = stamp;
    for (SampleGroup group : batch.build().groups()) {
      cells.add(group, next);
      next += group.size();
    }
    return next;
  }

  private static Map<Series, Map<Long, Value>> decoded(Layout layout, Cells cells) {
    Map<Series, Map<Long, Value>> values = new HashMap<>();
    Map<Series, Map<Long, Long>> stamps = new HashMap<>();
    Cells.decode(
        layout,
        cells.stored(),
        (key, samples) -> {
          assertThat(samples.damages()).isEmpty();
          for (RowSamples.Vector vector : samples.vectors()) {
            add(key.field(vector.field()), vector.samples(), values, stamps);
          }
        });
    return values;
  }

  private static void add(
      Series series,
      Samples samples,
      Map<Series, Map<Long, Value>> values,
      Map<Series, Map<Long, Long>> stamps) {
    for (int i = 0; i < samples.size(); i++) {
      long stamp = samples.stamp(i);
      Map<Long, Long> known = stamps.computeIfAbsent(series, s -> new HashMap<>());
      if (stamp >= known.getOrDefault(samples.time(i), Long.MIN_VALUE)) {
        known.put(samples.time(i), stamp);
        values.computeIfAbsent(series, s -> new HashMap<>()).put(samples.time(i), samples.value(i));
      }
    }
  }

  @Provide
  Arbitrary<Layout> layouts() {
    List<Layout> layouts = new ArrayList<>();
    for (String key : KEYS) {
      for (String families : key.contains("time") ? SINGLE : BUCKETED) {
        String yaml = "layout: x\nkey: " + key + "\nfamilies: " + families;
        layouts.add(new DeclaredLayout(DeclarationReader.read(yaml, Map.of())));
      }
    }
    assertThat(layouts)
        .allSatisfy(
            layout -> assertThat(layout.domain().alphabet()).isEqualTo(Domain.Alphabet.UTF8));
    return Arbitraries.of(layouts);
  }

  @Provide
  Arbitrary<List<Point>> points() {
    Arbitrary<String> text =
        Arbitraries.of(
            "", "a", "b", "ab", "a\0", "\0", "\0\u00ff", "ÿ", "value", "host", "\ud83d\ude00");
    Arbitrary<Tags> tags = Arbitraries.maps(text, text).ofMaxSize(2).map(Tags::of);
    Arbitrary<GroupKey> keys = Combinators.combine(text, tags, tags).as(GroupKey::new);
    Arbitrary<Long> times =
        Arbitraries.oneOf(
            Arbitraries.longs().between(1_700_000_000_000L, 1_700_000_000_003L),
            Arbitraries.longs().between(-3, 3),
            Arbitraries.longs().between(1_425_168_000_000L - 2, 1_425_168_000_000L + 2),
            Arbitraries.longs());
    Arbitrary<Value> values =
        Arbitraries.oneOf(
            Arbitraries.longs().map(Value.Int64::new),
            Arbitraries.longs().map(bits -> new Value.Real(Double.longBitsToDouble(bits))),
            Arbitraries.of(0.0, -0.0, 42.0, Double.NaN).map(Value.Real::new),
            text.map(Value.Text::new));
    return keys.list()
        .ofMinSize(1)
        .ofMaxSize(3)
        .flatMap(some ->
            Combinators.combine(Arbitraries.of(some), text, times, values)
                .as(Point::new)
                .list()
                .ofMaxSize(12));
  }
}
