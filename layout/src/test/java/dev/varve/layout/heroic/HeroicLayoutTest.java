package dev.varve.layout.heroic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Binding;
import dev.varve.layout.CellDescription;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.ReadScope;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.layout.Step;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRefusedException;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.layout.plan.Planner;
import dev.varve.model.Attribute;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.Slice;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeroicLayoutTest {
  private static final HeroicLayout LAYOUT = HeroicLayout.of(Map.of());
  private static final GroupKey KEY = GroupKey.of("k", Tags.of("a", "b"));

  /** One line of {@code heroic-cells.tsv}. */
  record Point(
      String name, GroupKey key, long time, long bits, Bytes row, Bytes qualifier, Bytes value) {
    static Point of(String[] fields) {
      return new Point(
          fields[0],
          Recorded.key(fields[1], fields[2], fields[3]),
          Long.parseLong(fields[4]),
          Long.parseUnsignedLong(fields[5], 16),
          Bytes.fromHex(fields[6]),
          Bytes.fromHex(fields[7]),
          Bytes.fromHex(fields[8]));
    }

    double number() {
      return Double.longBitsToDouble(bits);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Point> points() {
    return Recorded.lines("heroic-cells.tsv").stream().map(Point::of);
  }

  @ParameterizedTest
  @MethodSource("points")
  void writesTheCellsThatHeroicWrote(Point point) {
    Cell cell = cell(point.key(), point.time(), point.number());

    assertThat(cell).isEqualTo(new Cell(point.row(), 0, point.qualifier(), 7, point.value()));
  }

  @ParameterizedTest
  @MethodSource("points")
  void readsTheCellsThatHeroicWrote(Point point) {
    Cell cell = new Cell(point.row(), 0, point.qualifier(), 9, point.value());
    Samples samples = decode(cell).samples("value", Kind.DOUBLE);

    assertThat(LAYOUT.identify(point.row())).isEqualTo(Step.done(point.key()));
    assertThat(samples.size()).isEqualTo(1);
    assertThat(samples.time(0)).isEqualTo(point.time());
    assertThat(samples.stamp(0)).isEqualTo(9);
    assertThat(Double.doubleToRawLongBits(samples.doubleAt(0))).isEqualTo(point.bits());
  }

  @Test
  void writesLengthsAsTheOriginalSerializerDoes() {
    KeyBytes out = new KeyBytes();
    for (String[] fact : facts("varint")) {
      out.clear();
      Varint.write(Integer.parseInt(fact[1]), out);
      assertThat(out.toBytes().hex()).as(fact[1]).isEqualTo(fact[2]);
      byte[] bytes = out.toBytes().toArray();
      assertThat(Varint.end(bytes, 0, bytes.length)).isEqualTo(bytes.length);
      assertThat(Varint.value(bytes, 0, bytes.length)).isEqualTo(Integer.parseInt(fact[1]));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"8080808080", "808080808000", "ff", "fffefefe07"})
  void refusesLengthsThatNobodyWrites(String hex) {
    byte[] bytes = Bytes.fromHex(hex).toArray();

    assertThatThrownBy(() -> Varint.value(bytes, 0, Varint.end(bytes, 0, bytes.length)))
        .isInstanceOf(DamagedCellException.class);
  }

  @Test
  void keepsDistributionsAsTheyCame() {
    for (String[] fact : facts("distribution")) {
      Value raw = new Value.Raw(Bytes.fromHex(fact[2]));
      Cell cell =
          new HeroicCells(LAYOUT)
              .add(new Attribute(KEY, "distribution", 1_300_000_000_000L, raw), 5)
              .only();

      assertThat(cell.family()).isEqualTo(1);
      assertThat(cell.qualifier().hex()).isEqualTo("ae09c800");
      assertThat(cell.value().hex()).isEqualTo(fact[2]);
      assertThat(decode(cell).attributes())
          .containsExactly(new RowSamples.Found("distribution", 1_300_000_000_000L, raw));
    }
  }

  @Test
  void writesEveryNanAsTheOne() {
    Cell cell = cell(KEY, 0, Double.longBitsToDouble(0xfff8_0000_0000_0001L));

    assertThat(cell.value().hex()).isEqualTo("7ff8000000000000");
  }

  @Test
  void refusesWhatHeroicCannotHoldAndKeepsTheRest() {
    BatchBuilder batch = new BatchBuilder();
    batch.add(KEY, -1, new Value.Real(1));
    batch.add(KEY, 5, new Value.Int64(1));
    batch.add(KEY, "other", 6, new Value.Real(1));
    batch.add(KEY, 7, new Value.Real(1));
    batch.add(KEY, Long.MAX_VALUE, new Value.Real(1));
    HeroicCells cells = new HeroicCells(LAYOUT).add(batch.build().groups().getFirst(), 0);

    assertThat(cells.refusals())
        .containsExactly(
            "heroic.time 0/0", "heroic.time 0/4", "heroic.kind 1/1", "heroic.field 2/2");
    assertThat(cells.only().qualifier().hex()).isEqualTo("00000007");
  }

  @Test
  void saysWhichTimesItHolds() {
    Value raw = new Value.Raw(Bytes.of((byte) 1));
    assertThatThrownBy(() ->
            new HeroicCells(LAYOUT).add(new Attribute(KEY, "distribution", Long.MAX_VALUE, raw), 0))
        .hasMessageContaining(
            "time 9223372036854775807 is out of range: the layout holds times from 0 to 9223372036854775806")
        .hasMessageNotContaining("1970");
    assertThatThrownBy(
            () -> new HeroicCells(LAYOUT).add(new Attribute(KEY, "distribution", -1L, raw), 0))
        .hasMessageContaining("time -1 is out of range")
        .hasMessageContaining("Heroic cannot tell times before 1970 from others");
  }

  @Test
  void readsResourceTextsThatHeroicCutAsTheyStand() {
    // Heroic truncates the resource value a<lone surrogate>b to a; the row does not show it.
    Bytes cut =
        Bytes.fromHex(
            "010161" + "00" + "0000000000000000" + "0100" + "05" + "01" + "0172" + "0161");
    assertThat(LAYOUT.identify(cut))
        .isEqualTo(Step.done(new GroupKey("a", Tags.EMPTY, Tags.of(Map.of("r", "a")))));
  }

  @Test
  void refusesAttributesThatAreNoDistributions() {
    HeroicCells cells = new HeroicCells(LAYOUT);
    Value raw = new Value.Raw(Bytes.of((byte) 1));

    assertRefused("heroic.attribute", () -> cells.add(new Attribute(KEY, "unit", 1L, raw), 0));
    assertRefused(
        "heroic.attribute", () -> cells.add(new Attribute(KEY, "distribution", null, raw), 0));
    assertRefused(
        "heroic.attribute",
        () -> cells.add(new Attribute(KEY, "distribution", 1L, new Value.Text("t")), 0));
    assertRefused("heroic.time", () -> cells.add(new Attribute(KEY, "distribution", -1L, raw), 0));
  }

  @Test
  void refusesHalfSurrogatePairsInsteadOfCuttingTheText() {
    assertRefused("heroic.text", () -> LAYOUT.bind(GroupKey.of("a\ud800b", Tags.EMPTY), true));
    assertRefused("heroic.text", () -> LAYOUT.bind(GroupKey.of("a", Tags.of("\udc00", "b")), true));
    assertRefused("heroic.text", () -> LAYOUT.bind(GroupKey.of("a", Tags.of("b", "\ud800")), true));
    assertThat(cell(GroupKey.of("\ud83d\ude00", Tags.EMPTY), 0, 1).row().hex())
        .isEqualTo("0402f09f9880000000000000000000");
  }

  @Test
  void refusesRowsThatHeroicWroteOfHalfSurrogatePairs() {
    Bytes cutAtOneOfThreeUnits = Bytes.fromHex("010361" + "00" + "0000000000000000");

    assertThatThrownBy(() -> LAYOUT.identify(cutAtOneOfThreeUnits))
        .isInstanceOf(DamagedCellException.class)
        .hasMessageContaining("1 UTF-16 units and says 3");
  }

  @Test
  void refusesRowKeysThatHeroicDrops() {
    String longest = "x".repeat(3999 - 4 - 1 - 8);

    assertThat(cell(GroupKey.of(longest, Tags.EMPTY), 0, 1).row().length()).isEqualTo(3999);
    assertRefused("heroic.rowkey", () -> LAYOUT.bind(GroupKey.of(longest + "x", Tags.EMPTY), true));
  }

  @Test
  void takesNoParameters() {
    assertThatThrownBy(() -> HeroicLayout.of(Map.of("period", "1h")))
        .isInstanceOf(RefusedException.class)
        .hasMessage("layout heroic has no parameters, but 'period' was given");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                     | no number of at most five bytes at byte 0
          01016b                                 | no number of at most five bytes at byte 3
          05016b                                 | the text at byte 0 has 5 bytes, 1 are left
          0101ff 00 0000000000000000             | the text at byte 0 is not UTF-8
          0301eda080 00 0000000000000000        | the text at byte 0 is not UTF-8
          0201 6b6b 00 0000000000000000          | has 2 UTF-16 units and says 1
          01016b 02 010162 010163 010161 010164 0000000000000000 | name at byte 10 does not come after
          01016b 02 010161 010163 010161 010164 0000000000000000 | name at byte 10 does not come after
          01016b 00 00000000                     | a base of 8 bytes is expected at byte 4, 4 are left
          01016b 00 0000000000000001             | the base at byte 4 is 1
          01016b 00 ffffffff00000000             | the base at byte 4 is -4294967296
          01016b 00 0000000000000000 02 00 01 00 | one entry of resource identifiers
          01016b 00 0000000000000000 01 01 01 00 | one entry of resource identifiers
          01016b 00 0000000000000000 01 00 01 00 | no resource identifier at byte 12
          01016b 00 0000000000000000 01 00 00    | no resource identifier at byte 12
          01016b 00 0000000000000000 01 00 06 01 0161 0162    | have 6 bytes, 5 are left
          01016b 00 0000000000000000 01 00 04 01 0161 0162    | has 1 bytes, 0 are left
          01016b 00 0000000000000000 01 00 06 01 0161 0162 00 | end 1 bytes early
          01016b 00 0000000000000000 01 00 05 01 0161 0162 00 | 1 extra bytes after
          """)
  void refusesDamagedRowKeys(String hex, String reason) {
    Bytes row = Bytes.fromHex(hex.replace(" ", ""));

    assertThatThrownBy(() -> LAYOUT.identify(row))
        .isInstanceOf(DamagedCellException.class)
        .hasMessageContaining(reason);
    assertThat(
            decode(new Cell(row, 0, Bytes.fromHex("00000000"), 0, Bytes.of(new byte[8]))).damages())
        .singleElement()
        .satisfies(damage -> assertThat(damage.reason()).contains(reason));
  }

  @Test
  void namesDamagedCellsAndReadsTheOthersOfTheRow() {
    Bytes row = cell(KEY, 0, 1).row();
    Bytes one = Bytes.fromHex("3ff0000000000000");
    CellBatch cells = new CellBatch();
    cells.add(new Cell(row, 0, Bytes.fromHex("000001"), 0, one));
    cells.add(new Cell(row, 0, Bytes.fromHex("00000002"), 0, one));
    cells.add(new Cell(row, 0, Bytes.fromHex("00000003"), 0, Bytes.fromHex("00")));
    cells.add(new Cell(row, 0, Bytes.fromHex("00000004"), 0, Bytes.fromHex("7ff8000000000001")));
    cells.add(new Cell(row, 2, Bytes.fromHex("00000005"), 0, Bytes.utf8("{}")));
    RowSamples out = new RowSamples();
    LAYOUT.decode(cells, 0, cells.size(), out);

    assertThat(out.samples("value", Kind.DOUBLE).size()).isEqualTo(1);
    assertThat(out.samples("value", Kind.DOUBLE).time(0)).isEqualTo(2);
    assertThat(out.damages()).extracting(RowSamples.Damage::cell).containsExactly(0, 2, 3, 4);
    assertThat(out.damages())
        .extracting(RowSamples.Damage::reason)
        .containsExactly(
            "qualifier: 3 bytes, and should be 4",
            "value: 1 bytes, and should be 8",
            "value: NaN as 7ff8000000000001, and Heroic writes 7ff8000000000000",
            "family events: cells of versions before 0.10.1 are described but not read");
  }

  @Test
  void describesTheSeedAsTheDocumentationOfHeroicPrintsIt() {
    Point seed = points().findFirst().orElseThrow();
    CellDescription description =
        LAYOUT.describe(0, new Cell(seed.row(), 0, seed.qualifier(), 0, seed.value()));

    assertThat(description.summary())
        .isEqualTo(
            "system,cpu-type=idle,site=gew,system-component=cpu,unit=%,what=cpu-idle-percentage,"
                + "1297080123392,database.example.com,pod-example-123-abc 2919876608 42.0");
    assertThat(description.parts())
        .containsExactly(
            new CellDescription.Part("row", "metric", "system", 0, 8),
            new CellDescription.Part(
                "row",
                "tags",
                "cpu-type=idle,site=gew,system-component=cpu,unit=%,what=cpu-idle-percentage",
                8,
                95),
            new CellDescription.Part("row", "base", "1297080123392", 95, 103),
            new CellDescription.Part(
                "row",
                "resource",
                "host=database.example.com,podname=pod-example-123-abc",
                103,
                161),
            new CellDescription.Part(
                "qualifier", "offset", "2919876608 (2011-03-13T07:06:40Z)", 0, 4),
            new CellDescription.Part("value", "double", "42.0", 0, 8));
  }

  @Test
  void describesEventsThatItDoesNotRead() {
    Cell event =
        new Cell(cell(KEY, 0, 1).row(), 2, Bytes.fromHex("00000001"), 0, Bytes.utf8("{\"a\":1}"));

    assertThat(LAYOUT.describe(0, event).summary()).isEqualTo("k,a=b,0 1 {\"a\":1}");
  }

  /** The original excludes the start of the range; Varve includes it and has the same end. */
  @Test
  void readsTheRowsThatHeroicReads() {
    for (String[] scan : Recorded.lines("heroic-reads.tsv")) {
      Binding binding = bind(Recorded.key(scan[1], scan[2], ""));
      Slice slice =
          slices(binding, Long.parseLong(scan[3]), Long.parseLong(scan[4]) + 1).stream()
              .filter(candidate -> candidate.fromRow().hex().equals(scan[5]))
              .findFirst()
              .orElseThrow();

      assertThat(slice.partition().hex()).isEqualTo(scan[5]);
      assertThat(slice.partition().prefixEnd()).isEqualTo(Bytes.fromHex(scan[6]));
      boolean readsToEnd = scan[8].equals("ffffffff");
      assertThat(slice.fromQualifier().hex()).isEqualTo(scan[7].equals("00000000") ? "" : scan[7]);
      assertThat(slice.toQualifier())
          .isEqualTo(
              readsToEnd
                  ? Bytes.EMPTY
                  : new KeyBytes().u32(Long.parseLong(scan[8], 16) + 1).toBytes());
    }
  }

  @Test
  void readsOneSliceARowSinceEachIsAPartition() {
    List<Slice> slices = slices(bind(KEY), 0, 3L << 32);

    assertThat(slices)
        .extracting(slice -> slice.partition().hex())
        .hasSize(3)
        .doesNotHaveDuplicates();
  }

  @Test
  void saysWhatAnOpenRangeWouldTake() {
    PlanRequest all = PlanRequest.of(List.of(bind(KEY)), ReadScope.of(TimeRange.ALL));

    assertThatThrownBy(() -> Planner.plan(LAYOUT, all))
        .isInstanceOf(PlanRefusedException.class)
        .hasMessageContaining("the time range holds more than 100,000 buckets of base: narrow it");
  }

  private static List<Slice> slices(Binding binding, long from, long to) {
    PlanRequest request = PlanRequest.of(List.of(binding), ReadScope.of(new TimeRange(from, to)));
    if (Planner.plan(LAYOUT, request) instanceof Step.Done<Plan>(Plan plan)) {
      return plan.groups().getFirst().strands().getFirst().read().slices();
    }
    throw new AssertionError("Heroic looks nothing up");
  }

  private static Cell cell(GroupKey key, long time, double value) {
    SampleGroup group =
        new BatchBuilder().add(key, time, new Value.Real(value)).build().groups().getFirst();
    return new HeroicCells(LAYOUT).add(group, 7).only();
  }

  private static Binding bind(GroupKey key) {
    return new HeroicCells(LAYOUT).bind(key);
  }

  private static RowSamples decode(Cell cell) {
    CellBatch cells = new CellBatch();
    cells.add(cell);
    RowSamples out = new RowSamples();
    LAYOUT.decode(cells, 0, 1, out);
    return out;
  }

  private static List<String[]> facts(String kind) {
    return Recorded.lines("heroic-values.tsv").stream()
        .filter(fact -> fact[0].equals(kind))
        .toList();
  }

  private static void assertRefused(String rule, ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class,
            refused -> assertThat(refused.refusal().rule()).isEqualTo(rule));
  }
}
