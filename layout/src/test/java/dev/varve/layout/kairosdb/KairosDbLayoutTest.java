package dev.varve.layout.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.sun.management.ThreadMXBean;
import dev.varve.layout.CellDescription;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.ReadScope;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.layout.kairosdb.Cells.Point;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KairosDbLayoutTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("a", "b"));
  private static final String ROW_0_LONG =
      "6d00 0000000000000000 000b 6b6169726f735f6c6f6e67 613d623a";
  private static final String ROW_0_UNTYPED = "6d00 0000000000000000 613d623a";

  private final KairosDbLayout layout = KairosDbLayout.of(Map.of());
  private final KairosDbLayout legacy = KairosDbLayout.of(Map.of("unit", "legacy"));
  private final KairosDbLayout seconds = KairosDbLayout.of(Map.of("unit", "seconds"));

  // Round trips

  @Property
  void encodedSamplesAreDecodedUnchanged(
      @ForAll ColumnUnit unit, @ForAll("samples") List<Map.Entry<Long, Value>> samples) {
    KairosDbLayout of = KairosDbLayout.of(Map.of("unit", unit.name()));
    BatchBuilder batch = new BatchBuilder();
    Map<List<Object>, Value> expected =
        new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    for (Map.Entry<Long, Value> sample : samples) {
      batch.add(KEY, sample.getKey(), sample.getValue());
      RowWidth width = new RowWidth(unit.defaultWidth());
      if (unit.holds(sample.getKey() - width.rowTime(sample.getKey()))) {
        expected.put(List.of(sample.getKey(), sample.getValue().kind()), sample.getValue());
      }
    }
    Cells cells = Cells.encode(of, batch.build(), 5_000_000);
    Map<List<Object>, Value> found = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    for (Point point : Cells.decode(of, cells.of(Tables.DATA_POINTS))) {
      assertThat(point.key()).isEqualTo(KEY);
      assertThat(point.stamp()).isBetween(5_000_000 - 1000L * samples.size(), 5_000_000L);
      found.put(List.of(point.time(), point.value().kind()), point.value());
    }
    assertThat(found).isEqualTo(expected);
    assertThat(cells.refusals.size() + cells.of(Tables.DATA_POINTS).size())
        .isEqualTo(samples.size());
    for (int table = 0; table < of.tables().size(); table++) {
      for (Cell cell : cells.of(table)) {
        checkParts(cell, of.describe(table, cell));
      }
    }
  }

  @Provide
  static Arbitrary<List<Map.Entry<Long, Value>>> samples() {
    Arbitrary<Long> times =
        Arbitraries.oneOf(
            Arbitraries.longs().between(-4_000_000_000L, 4_000_000_000L),
            Arbitraries.longs().between(-20, 20).map(s -> s * 1000),
            Arbitraries.longs().between(Long.MIN_VALUE + 2_000_000_000L, Long.MAX_VALUE - 1));
    Arbitrary<Value> values =
        Arbitraries.oneOf(
            Arbitraries.longs().map(Value.Int64::new),
            Arbitraries.doubles().map(Value.Real::new),
            Arbitraries.of(Double.NaN, -0.0, Double.NEGATIVE_INFINITY).map(Value.Real::new),
            Arbitraries.strings().withCharRange(' ', '\ud7ff').ofMaxLength(5).map(Value.Text::new),
            Arbitraries.of("", "\0", "\ud83d\ude00").map(Value.Text::new));
    return times.flatMap(time -> values.map(value -> Map.entry(time, value))).list().ofMaxSize(12);
  }

  /** Checks that the parts of each coordinate cover it without gaps. */
  private static void checkParts(Cell cell, CellDescription description) {
    Map<String, Integer> at = new TreeMap<>();
    for (CellDescription.Part part : description.parts()) {
      assertThat(part.from()).isEqualTo(at.getOrDefault(part.coordinate(), 0));
      at.put(part.coordinate(), part.to());
    }
    assertThat(at.get("row")).isEqualTo(cell.row().length());
    assertThat(at.get("qualifier")).isEqualTo(cell.qualifier().length());
  }

  // Columns, row times and cell times

  @ParameterizedTest
  @CsvSource({
    "milliseconds, 1000, 0, 000003e8",
    "legacy, 1000, 0, 000007d0",
    "seconds, 1000, 0, 00000001",
    "milliseconds, 1814399999, 0, 6c258bff",
    "legacy, 1814399999, 0, d84b17fe",
    "seconds, 1814400, 1814400, 00000000",
    "milliseconds, -5, -10, 00000005",
    "legacy, -1814399999, -3628799998, d84b17fe",
    "milliseconds, -1814400000, -1814400000, 00000000",
    "seconds, -1000, -2000, 00000001",
  })
  void putsATimeIntoRowAndColumn(String unit, long time, long rowTime, String column) {
    Cells cells =
        Cells.encode(
            KairosDbLayout.of(Map.of("unit", unit)),
            new BatchBuilder().add(KEY, time, new Value.Int64(1)).build(),
            0);
    assertThat(cells.of(Tables.DATA_POINTS))
        .extracting(Cell::row, Cell::qualifier)
        .containsExactly(
            tuple(
                hex("6d00" + "%016x".formatted(rowTime) + "000b6b6169726f735f6c6f6e67613d623a"),
                hex(column)));
  }

  @Test
  void writesCellTimesInMillisecondsAndReadsThemAsStamps() {
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < 3; i++) {
      batch.add(KEY, i, new Value.Int64(i));
    }
    Cells cells = Cells.encode(layout, batch.build(), 1_700_000_000_123_998L);
    assertThat(cells.of(Tables.DATA_POINTS))
        .extracting(Cell::time)
        .containsExactly(1_700_000_000_123L, 1_700_000_000_123L, 1_700_000_000_124L);
    assertThat(cells.of(Tables.ROW_KEYS))
        .extracting(Cell::time)
        .containsExactly(1_700_000_000_123L);
    assertThat(Cells.decode(layout, cells.of(Tables.DATA_POINTS)))
        .extracting(Point::stamp)
        .containsExactly(1_700_000_000_123_000L, 1_700_000_000_123_000L, 1_700_000_000_124_000L);
    assertThat(
            Cells.decode(
                layout,
                List.of(new Cell(hex(ROW_0_LONG), 0, hex("00000000"), Long.MAX_VALUE, hex("00")))))
        .extracting(Point::stamp)
        .containsExactly(Long.MAX_VALUE / 1000 * 1000);
  }

  @Test
  void keepsKindsInRowsOfTheirOwn() {
    Batch batch =
        new BatchBuilder()
            .add(KEY, 0, new Value.Int64(1))
            .add(KEY, 0, new Value.Real(1))
            .add(KEY, 0, new Value.Text("1"))
            .build();
    Cells cells = Cells.encode(layout, batch, 0);
    assertThat(cells.of(Tables.DATA_POINTS))
        .extracting(Cell::row)
        .doesNotHaveDuplicates()
        .hasSize(3);
    assertThat(Cells.decode(layout, cells.of(Tables.DATA_POINTS)))
        .extracting(Point::time, Point::value)
        .containsExactlyInAnyOrder(
            tuple(0L, new Value.Int64(1)),
            tuple(0L, new Value.Real(1)),
            tuple(0L, new Value.Text("1")));
  }

  @Test
  void holdsTheRowWidthOfTheKeyspace() {
    KairosDbLayout hours = KairosDbLayout.of(Map.of("rowWidth", "3600000"));
    Cells cells =
        Cells.encode(hours, new BatchBuilder().add(KEY, 3_600_001, new Value.Int64(1)).build(), 0);
    assertThat(cells.of(Tables.DATA_POINTS))
        .extracting(Cell::row, Cell::qualifier)
        .containsExactly(
            tuple(
                hex("6d00 000000000036ee80 000b6b6169726f735f6c6f6e67 613d623a"), hex("00000001")));
  }

  @Test
  void readsNothingWhereOtherFieldsAreAskedFor() {
    ReadScope all = ReadScope.of(TimeRange.ALL);
    assertThat(layout.select(all)).hasSize(1);
    assertThat(layout.select(new ReadScope(TimeRange.ALL, Set.of("other"), all.versions(), false)))
        .isEmpty();
  }

  // Generations

  @Test
  void readsRowsWithoutADataType() {
    List<Cell> cells =
        List.of(
            cell(ROW_0_UNTYPED, "00000000", ""),
            cell(ROW_0_UNTYPED, "00000002", "ff"),
            cell(ROW_0_UNTYPED, "00000004", "ffffffffffffff01"),
            cell(ROW_0_UNTYPED, "00000007", "01 3fc00000"),
            cell(ROW_0_UNTYPED, "00000009", "02 3fb999999999999a"),
            cell(ROW_0_UNTYPED, "d84b17ff", "01 3dcccccd"));
    assertThat(Cells.decode(legacy, cells))
        .extracting(Point::key, Point::time, Point::value)
        .containsExactlyInAnyOrder(
            tuple(KEY, 0L, new Value.Int64(0)),
            tuple(KEY, 1L, new Value.Int64(255)),
            tuple(KEY, 2L, new Value.Int64(-255)),
            tuple(KEY, 3L, new Value.Real(1.5)),
            tuple(KEY, 4L, new Value.Real(0.1)),
            tuple(KEY, 1_814_399_999L, new Value.Real(0.10000000149011612)));
    for (Cell cell : cells) {
      checkParts(cell, legacy.describe(Tables.DATA_POINTS, cell));
    }
    assertThat(legacy.describe(Tables.DATA_POINTS, cells.get(3)).summary())
        .isEqualTo("m{a=\"b\"} kairos_legacy 1970-01-01T00:00:00.003Z (3) = 1.5");
  }

  @Test
  void readsShiftedColumnsOfTypedRows() {
    assertThat(Cells.decode(legacy, List.of(cell(ROW_0_LONG, "d84b17fe", "8002"))))
        .containsExactly(new Point(KEY, 1_814_399_999L, new Value.Int64(128), 0));
  }

  @Test
  void readsTheLastColumnOfARowBeforeTheFirstOfTheNext() {
    // The highest column has its highest bit set; a signed comparison would sort it first.
    assertThat(legacy.qualifierAt(0, 1_814_399_999L).orElseThrow())
        .isGreaterThan(legacy.qualifierAt(0, 1).orElseThrow());
  }

  // Damage

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          000000     | 00 | qualifier: 3 bytes, a column name has 4
          0000000000 | 00 | qualifier: 5 bytes, a column name has 4
          6c258c00   | 00 | qualifier: 6c258c00 is an offset of 1814400000 ms, which no sample has in a row of time 0 and width 1814400000
          ffffffff   | 00 | qualifier: ffffffff is an offset of 4294967295 ms, which no sample has in a row of time 0 and width 1814400000
          00000000   | '' | value: 0 bytes, a kairos_long has 1 to 10
          """)
  void refusesDamagedCells(String qualifier, String value, String reason) {
    Cell cell = cell(ROW_0_LONG, qualifier, value);
    assertThat(Cells.damage(layout, cell)).isEqualTo(reason);
    assertThatThrownBy(() -> layout.describe(Tables.DATA_POINTS, cell))
        .isInstanceOf(DamagedCellException.class)
        .hasMessage(reason);
  }

  @Test
  void refusesAFlagInATypedRow() {
    assertThat(Cells.damage(legacy, cell(ROW_0_LONG, "00000001", "00")))
        .isEqualTo("qualifier: 00000001 has its lowest bit set, in a row of type kairos_long");
  }

  @Test
  void refusesATimeThatBelongsIntoAnotherRow() {
    String row = "6d00 fffffffffffffff6 000b6b6169726f735f6c6f6e67 613d623a";
    assertThat(Cells.decode(layout, List.of(cell(row, "00000005", "00"))))
        .extracting(Point::time)
        .containsExactly(-5L);
    assertThat(Cells.damage(layout, cell(row, "00000004", "00")))
        .isEqualTo(
            "qualifier: 00000004 is an offset of 4 ms, which no sample has in a row of time -10 and"
                + " width 1814400000");
  }

  @Test
  void readsWhatUnitSecondsCutsBefore1970AsKairosDbDoes() {
    // A sample at -5 goes to row -10 with offset 5, which the column truncates to 0.
    String row = "6d00 fffffffffffffff6 000b6b6169726f735f6c6f6e67 613d623a";
    assertThat(Cells.decode(seconds, List.of(cell(row, "00000000", "00"))))
        .extracting(Point::time)
        .containsExactly(-10L);
    // The other candidate offset, (10 + 1814400) / 2, belongs to row 0; column 1 has no sample.
    assertThat(Cells.damage(seconds, cell(row, "00000001", "00")))
        .contains("is an offset of 1000 ms, which no sample has in a row of time -10");
  }

  @Test
  void oneDamagedCellHidesNoOther() {
    CellBatch batch = new CellBatch();
    batch.add(cell(ROW_0_LONG, "00000000", "02"));
    batch.add(cell(ROW_0_LONG, "00000001", "80"));
    batch.add(cell(ROW_0_LONG, "00000002", "04"));
    RowSamples out = new RowSamples();
    layout.decode(batch, 0, 3, out);
    assertThat(out.vectors().getFirst().samples().size()).isEqualTo(2);
    assertThat(out.damages())
        .containsExactly(
            new RowSamples.Damage(
                1, "value: byte 0, 80, says that more follow in a kairos_long of 1 bytes"));
  }

  // Refusals

  @Test
  void refusesTimesThatUnitSecondsWouldChange() {
    Batch batch =
        new BatchBuilder()
            .add(KEY, 1_700_000_000_000L, new Value.Int64(1))
            .add(KEY, 1_699_999_999_200L, new Value.Int64(2))
            .add(KEY, 999, new Value.Int64(3))
            .build();
    Cells cells = Cells.encode(seconds, batch, 0);
    assertThat(cells.refusals)
        .containsExactly(
            new Refusal(
                "kairosdb.time",
                "m{a=\"b\"}: time 1700000000000 ms would read back as 1699999999200 ms:"
                    + " unit=seconds only holds times that are whole seconds after their row"
                    + " time, here 1699998451200 ms"),
            new Refusal(
                "kairosdb.time",
                "m{a=\"b\"}: time 999 ms would read back as 0 ms: unit=seconds only holds times"
                    + " that are whole seconds after their row time, here 0 ms"));
    assertThat(Cells.decode(seconds, cells.of(Tables.DATA_POINTS)))
        .extracting(Point::time)
        .containsExactly(1_699_999_999_200L);
  }

  @Test
  void refusesTimesWhoseRowCannotBeComputed() {
    long lowest = layout.domain().times().from();
    Batch batch =
        new BatchBuilder()
            .add(KEY, lowest - 1, new Value.Int64(1))
            .add(KEY, Long.MAX_VALUE, new Value.Int64(2))
            .add(KEY, lowest, new Value.Int64(3))
            .add(KEY, Long.MAX_VALUE - 1, new Value.Int64(4))
            .build();
    Cells cells = Cells.encode(layout, batch, 0);
    assertThat(cells.refusals).extracting(Refusal::rule).containsOnly("kairosdb.time");
    assertThat(cells.refusedPlaces).containsExactly("0:0", "0:1");
    assertThat(Cells.decode(layout, cells.of(Tables.DATA_POINTS)))
        .extracting(Point::time)
        .containsExactly(lowest, Long.MAX_VALUE - 1);
  }

  @Test
  void refusesFieldsAndKeepsTheRest() {
    Batch batch =
        new BatchBuilder()
            .add(KEY, "other", 0, new Value.Int64(1))
            .add(KEY, 0, new Value.Int64(2))
            .add(KEY, "other", 1, new Value.Int64(3))
            .build();
    Cells cells = Cells.encode(layout, batch, 0);
    assertThat(cells.refusals)
        .containsOnly(
            new Refusal(
                "kairosdb.field",
                "KairosDB holds one value a sample, and m{a=\"b\"} has a field 'other'"))
        .hasSize(2);
    assertThat(Cells.decode(layout, cells.of(Tables.DATA_POINTS)))
        .extracting(Point::value)
        .containsExactly(new Value.Int64(2));
  }

  @Test
  void refusesTextsThatDoNotFitAndWritesNoIndexForThem() {
    Batch batch = new BatchBuilder().add(KEY, 0, new Value.Text("x".repeat(65_536))).build();
    Cells cells = Cells.encode(layout, batch, 0);
    assertThat(cells.refusals)
        .containsExactly(
            new Refusal(
                "kairosdb.text", "m{a=\"b\"}: the text takes 65536 bytes, and 65535 is the most"));
    for (int table = 0; table < layout.tables().size(); table++) {
      assertThat(cells.of(table)).isEmpty();
    }
  }

  @Test
  void refusesKeysByName() {
    refused(
        "kairosdb.resource",
        new GroupKey("m", Tags.of("a", "b"), Tags.of("host", "h")),
        "has no resource identifiers, and m{a=\"b\"}@{host=\"h\"} has 'host': make it a tag");
    refused(
        "kairosdb.text", GroupKey.of("", Tags.of("a", "b")), "the metric of {a=\"b\"} is empty");
    refused("kairosdb.text", GroupKey.of("a\0b", Tags.of("a", "b")), "has NUL as character 2");
    refused(
        "kairosdb.text", GroupKey.of("m", Tags.of("", "b")), "a tag name of m{=\"b\"} is empty");
    refused("kairosdb.text", GroupKey.of("m", Tags.of("a", "")), "the value of tag 'a'");
    refused("kairosdb.text", GroupKey.of("m", Tags.of("a", "\0")), "has NUL as character 1");
    refused("kairosdb.text", GroupKey.of("m\ud83d", Tags.of("a", "b")), "an unpaired surrogate");
    refused(
        "kairosdb.key",
        GroupKey.of("m", Tags.of("a", "x".repeat(65_508))),
        "a key of 65536 bytes, Cassandra takes 65535");
    assertThat(Cells.bind(layout, GroupKey.of("m", Tags.of("a", "x".repeat(65_507))))).isNotNull();
  }

  private void refused(String rule, GroupKey key, String reason) {
    assertThatThrownBy(() -> layout.bind(key, false))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.refusal().rule()).isEqualTo(rule))
        .hasMessageContaining(reason);
  }

  @Test
  void refusesAttributes() {
    Attribute attribute = new Attribute(KEY, "unit", null, new Value.Text("s"));
    assertThatThrownBy(() -> layout.encode(Cells.bind(layout, KEY), attribute, 0, new Cells()))
        .isInstanceOf(RefusedException.class)
        .hasMessage("KairosDB has no place for attributes, and m{a=\"b\"} has 'unit'");
  }

  // Parameters

  @Test
  void namesItsParametersInItsIdentity() {
    assertThat(layout.identity())
        .hasToString(
            "kairosdb{codec.tuple=1, rowWidth=1814400000, tagIndexed=, unit=milliseconds}");
    assertThat(KairosDbLayout.of(Map.of("unit", "SECONDS", "tagIndexed", "b,a(y,x)")).identity())
        .hasToString(
            "kairosdb{codec.tuple=1, rowWidth=1814400, tagIndexed=a(x,y);b, unit=seconds}");
    assertThat(legacy.identity()).isNotEqualTo(layout.identity());
  }

  @ParameterizedTest
  @ValueSource(strings = {"tagindex", "units", "rowwidht"})
  void refusesUnknownParameters(String name) {
    assertThatThrownBy(() -> KairosDbLayout.of(Map.of(name, "1")))
        .isInstanceOf(RefusedException.class)
        .hasMessageStartingWith("layout kairosdb has no parameter '" + name + "' (did you mean ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          unit     | minutes    | unit is 'minutes', and should be one of legacy, milliseconds, seconds
          rowWidth | 0          | rowWidth is '0', and should be a whole number from 1 to 2147483648
          rowWidth | 2147483649 | rowWidth is '2147483649', and should be a whole number from 1 to 2147483648
          """)
  void refusesParametersOutOfBounds(String name, String value, String reason) {
    assertThatThrownBy(() -> KairosDbLayout.of(Map.of(name, value)))
        .isInstanceOf(RefusedException.class)
        .hasMessage("layout kairosdb: " + reason);
  }

  @Test
  void holdsTheHighestOffsetThatTheWidestRowHas() {
    for (String unit : List.of("legacy", "milliseconds")) {
      KairosDbLayout wide = KairosDbLayout.of(Map.of("unit", unit, "rowWidth", "2147483648"));
      Batch batch = new BatchBuilder().add(KEY, Integer.MAX_VALUE, new Value.Int64(1)).build();
      assertThat(Cells.decode(wide, Cells.encode(wide, batch, 0).of(Tables.DATA_POINTS)))
          .extracting(Point::time)
          .containsExactly((long) Integer.MAX_VALUE);
    }
  }

  // Cost

  /**
   * The contract allows 1 byte per sample besides the output. Here both directions share one
   * budget.
   */
  @Test
  void allocatesNothingForASample() {
    int size = 20_000;
    long[] times = new long[size];
    double[] doubles = new double[size];
    long[] longs = new long[size];
    byte[] texts = new byte[4 * size];
    int[] ends = new int[size];
    for (int i = 0; i < size; i++) {
      times[i] = 1_700_000_000_000L + i;
      doubles[i] = i * 0.1;
      longs[i] = i * 31L;
      texts[4 * i] = (byte) 0xc3;
      texts[4 * i + 1] = (byte) 0xa9;
      ends[i] = 4 * (i + 1);
    }
    SampleGroup group =
        new SampleGroup(
            KEY,
            size,
            times,
            List.of(
                new Column.Doubles("value", doubles, null),
                new Column.Longs("value", longs, null),
                new Column.Texts("value", texts, ends, null)));
    Cells cells = new Cells();
    var binding = Cells.bind(layout, KEY);
    RowSamples out = new RowSamples();
    List<CellBatch> rows = new ArrayList<>();
    layout.encode(binding, group, 0, cells);
    CellBatch all = cells.data(Tables.DATA_POINTS).cells();
    for (int column = 0; column < 3; column++) {
      CellBatch row = new CellBatch();
      for (int i = column * size; i < (column + 1) * size; i++) {
        row.addFrom(all, i);
      }
      rows.add(row);
    }

    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      for (int table = 0; table < layout.tables().size(); table++) {
        cells.data(table).clear();
        cells.index(table).clear();
      }
      long before = allocated();
      layout.encode(binding, group, 0, cells);
      for (CellBatch row : rows) {
        layout.decode(row, 0, size, out);
      }
      least = Math.min(least, allocated() - before);
      assertThat(out.damages()).isEmpty();
      out.clear();
    }
    assertThat(least).isLessThan(3L * size);
  }

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  private static Cell cell(String row, String qualifier, String value) {
    return new Cell(hex(row), 0, hex(qualifier), 0, hex(value));
  }

  private static Bytes hex(String digits) {
    return Bytes.fromHex(digits.replace(" ", ""));
  }
}
