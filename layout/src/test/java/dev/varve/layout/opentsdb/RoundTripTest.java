package dev.varve.layout.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowShape;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Samples read back bit for bit with all parameters, compacted or not. */
class RoundTripTest {
  private static final String LETTERS =
      "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_./\u00E4\u00DF\u00B5\u00FF";
  private static final long LATER = RowKeys.LAST_TIME + 2L * RowKeys.HOUR_MILLIS;

  record Sample(long time, Value value) {}

  record Group(GroupKey key, List<Sample> samples) {}

  @Property(tries = 200)
  void keepsTheLastAcceptedOfEveryInstant(
      @ForAll("parameters") Map<String, String> parameters, @ForAll("groups") List<Group> groups) {
    OpenTsdbLayout layout = OpenTsdbLayout.of(parameters);
    Map<String, Value> accepted = new TreeMap<>();
    try (TsdbTables tables = new TsdbTables(layout)) {
      for (Group group : groups) {
        tables.write(
            layout,
            group.key(),
            group.samples().stream().mapToLong(Sample::time).toArray(),
            group.samples().stream().map(Sample::value).toArray(Value[]::new));
        group
            .samples()
            .forEach(sample -> accepted.put(group.key() + " " + sample.time(), sample.value()));
      }
      assertThat(tables.refusals).isEmpty();
      assertThat(tables.newest(layout)).isEqualTo(accepted);

      compactEveryRow(layout, tables);
      assertThat(tables.newest(layout)).isEqualTo(accepted);
      assertThat(tables.damages).isEmpty();
      assertThat(tables.cells(OpenTsdbLayout.DATA).size())
          .as("one cell a row")
          .isEqualTo(rows(tables.cells(OpenTsdbLayout.DATA)));
    }
  }

  private static void compactEveryRow(OpenTsdbLayout layout, TsdbTables tables) {
    CellBatch cells = tables.cells(OpenTsdbLayout.DATA);
    MutationBatch out = new MutationBatch();
    int from = 0;
    for (int i = 1; i <= cells.size(); i++) {
      if (i == cells.size() || !cells.sameRow(i, i - 1)) {
        layout.compact(cells, from, i, LATER, out);
        from = i;
      }
    }
    tables.apply(OpenTsdbLayout.DATA, out);
  }

  private static int rows(CellBatch cells) {
    int rows = 0;
    for (int i = 0; i < cells.size(); i++) {
      rows += i == 0 || !cells.sameRow(i, i - 1) ? 1 : 0;
    }
    return rows;
  }

  @Property
  void ordersTheRowsOfASeriesByTimeWithinAnEra(
      @ForAll("parameters") Map<String, String> parameters,
      @ForAll("times") long one,
      @ForAll("times") long other) {
    Assume.that(era(one) == era(other));
    OpenTsdbLayout layout = OpenTsdbLayout.of(parameters);
    try (TsdbTables tables = new TsdbTables(layout)) {
      KeyInput input =
          new KeyInput(tables.bind(layout, GroupKey.of("m", Tags.of("k", "v", "l", "w"))));
      int order =
          row(layout.rows(), input.time(one)).compareTo(row(layout.rows(), input.time(other)));
      assertThat(Integer.signum(order))
          .isEqualTo(Long.compare(one / RowKeys.HOUR_MILLIS, other / RowKeys.HOUR_MILLIS));
    }
  }

  private static long era(long time) {
    return (time / RowKeys.HOUR_MILLIS * RowKeys.HOUR_SECONDS) >>> 32;
  }

  private static Bytes row(RowShape shape, KeyInput input) {
    KeyBytes out = new KeyBytes();
    shape.encode(input, out);
    return out.toBytes();
  }

  /** Any cell is either read or refused; no other exception is thrown. */
  @Property(tries = 2000)
  void readsOrRefusesAnyCell(
      @ForAll("bytes") byte[] qualifier,
      @ForAll("bytes") byte[] value,
      @ForAll("bytes") byte[] tail) {
    OpenTsdbLayout layout = OpenTsdbLayout.of(Map.of());
    byte[] row = Bytes.fromHex(HandMadeRow.KEY).concat(Bytes.of(tail)).toArray();
    CellBatch cells = new CellBatch();
    cells.add(row, 0, row.length, 0, qualifier, 0, qualifier.length, 1, value, 0, value.length);
    RowSamples out = new RowSamples();
    layout.decode(cells, 0, 1, out);

    boolean read = !out.vectors().isEmpty() || !out.attributes().isEmpty();
    assertThat(out.damages().isEmpty()).isEqualTo(read);
  }

  @Provide
  Arbitrary<byte[]> bytes() {
    Arbitrary<Byte> telling =
        Arbitraries.of((byte) 0, (byte) 1, (byte) 5, (byte) 6, (byte) 0xf0, (byte) ':', (byte) '{');
    return Arbitraries.frequencyOf(Tuple.of(1, Arbitraries.bytes()), Tuple.of(1, telling))
        .array(byte[].class)
        .ofMaxSize(12);
  }

  @Provide
  Arbitrary<Map<String, String>> parameters() {
    Arbitrary<String> width = Arbitraries.of("1", "2", "3", "8");
    return Combinators.combine(
            width,
            width,
            width,
            Arbitraries.of("0", "1", "2", "8"),
            Arbitraries.integers().between(1, 256),
            Arbitraries.of("auto", "milliseconds"),
            Arbitraries.of("8", "4"))
        .as((metric, tagk, tagv, salt, buckets, time, floats) ->
            Map.of(
                "metricWidth", metric,
                "tagkWidth", tagk,
                "tagvWidth", tagv,
                "saltWidth", salt,
                "saltBuckets", buckets.toString(),
                "time", time,
                "float", floats));
  }

  @Provide
  Arbitrary<List<Group>> groups() {
    return Combinators.combine(keys(), samples().list().ofMinSize(1).ofMaxSize(12))
        .as(Group::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(6);
  }

  private static Arbitrary<GroupKey> keys() {
    Arbitrary<String> rare = Arbitraries.strings().withChars(LETTERS).ofMinLength(1).ofMaxLength(9);
    Arbitrary<String> name = Arbitraries.oneOf(Arbitraries.of("a", "b"), rare);
    return Combinators.combine(name, Arbitraries.maps(name, name).ofMinSize(1).ofMaxSize(8))
        .as((metric, tags) -> GroupKey.of(metric, Tags.of(tags)));
  }

  private Arbitrary<Sample> samples() {
    Arbitrary<Value> integers = Arbitraries.longs().map(Value.Int64::new);
    Arbitrary<Value> reals =
        Arbitraries.longs()
            .map(Double::longBitsToDouble)
            .filter(Double::isFinite)
            .map(Value.Real::new);
    Arbitrary<Value> floats =
        Arbitraries.integers()
            .map(Float::intBitsToFloat)
            .filter(Float::isFinite)
            .map(f -> new Value.Real(f));
    return Combinators.combine(times(), Arbitraries.oneOf(integers, reals, floats)).as(Sample::new);
  }

  @Provide
  Arbitrary<Long> times() {
    long hour = HandMadeRow.BASE;
    return Arbitraries.oneOf(
        Arbitraries.longs().between(1, RowKeys.LAST_TIME),
        Arbitraries.longs().between(0, 4).map(s -> hour + 1000 * s),
        Arbitraries.longs().between(0, 4).map(s -> hour + 3_599_996 + s));
  }
}
