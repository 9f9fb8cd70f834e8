package dev.varve.layout.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Binding;
import dev.varve.layout.Directory;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.ReadScope;
import dev.varve.layout.Step;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.layout.plan.Planner;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class KairosDbDirectoryTest {
  private static final long WEEKS = 1_814_400_000L;
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));

  private final KairosDbLayout layout = KairosDbLayout.of(Map.of("unit", "legacy"));
  private final Keyspace keyspace = new Keyspace(layout);

  private static Directory.Listing listing(
      Keyspace keyspace, KairosDbLayout layout, List<TagFilter> filters, TimeRange times) {
    return keyspace.run(layout.directory().orElseThrow().rows("m", filters, times));
  }

  private static List<Directory.Row> rows(
      Keyspace keyspace, KairosDbLayout layout, TimeRange times) {
    Directory.Listing listing = listing(keyspace, layout, List.of(), times);
    assertThat(listing.damaged()).isEmpty();
    return listing.rows();
  }

  private List<Directory.Row> rows(TimeRange times) {
    return rows(keyspace, layout, times);
  }

  private static Bytes row(GroupKey key, long rowTime, DataType type) {
    return new KeyBytes()
        .utf8(key.metric())
        .u8(0)
        .i64(rowTime)
        .raw(type.inKey())
        .raw(TagString.of(key.tags()))
        .toBytes();
  }

  private void oldIndex(GroupKey key, long rowTime, DataType type) {
    keyspace.put(
        Tables.ROW_KEY_INDEX,
        new Cell(Bytes.utf8(key.metric()), 0, row(key, rowTime, type), 0, Bytes.EMPTY));
  }

  @Test
  void listsTheRowsThatMayHoldATime() {
    keyspace.write(KEY, 5, new Value.Int64(1));
    keyspace.write(KEY, WEEKS + 5, new Value.Real(1));
    keyspace.write(GroupKey.of("n", KEY.tags()), 5, new Value.Int64(1));
    Directory.Row first = new Directory.Row(row(KEY, 0, DataType.LONG), KEY);
    Directory.Row second = new Directory.Row(row(KEY, WEEKS, DataType.DOUBLE), KEY);
    assertThat(rows(TimeRange.ALL)).containsExactly(first, second);
    assertThat(rows(new TimeRange(WEEKS - 1, WEEKS))).containsExactly(first);
    assertThat(rows(new TimeRange(WEEKS - 1, WEEKS + 1))).containsExactly(first, second);
    assertThat(rows(new TimeRange(WEEKS, WEEKS + 1))).containsExactly(second);
    assertThat(rows(new TimeRange(2 * WEEKS, 3 * WEEKS))).isEmpty();
    assertThat(rows(new TimeRange(7, 7))).isEmpty();
    for (String never : List.of("", "m\0", "m\ud800")) {
      Step<Directory.Listing> step =
          layout.directory().orElseThrow().rows(never, List.of(), TimeRange.ALL);
      assertThat(keyspace.run(step)).isEqualTo(new Directory.Listing(List.of(), List.of()));
    }
  }

  @Test
  void listsRowsOfBothGenerationsOnce() {
    keyspace.write(KEY, 5, new Value.Int64(1));
    oldIndex(KEY, 0, DataType.LONG);
    oldIndex(KEY, 0, DataType.UNTYPED);
    oldIndex(KEY, WEEKS, DataType.DOUBLE);
    assertThat(rows(new TimeRange(0, 2 * WEEKS)))
        .extracting(Directory.Row::row)
        .containsExactly(
            row(KEY, 0, DataType.LONG),
            row(KEY, 0, DataType.UNTYPED),
            row(KEY, WEEKS, DataType.DOUBLE));
    assertThat(rows(new TimeRange(0, WEEKS))).hasSize(2);
  }

  @Property
  void listsPageByPageWhatItListsAtOnce(
      @ForAll @Size(max = 12) List<@LongRange(min = -3, max = 3) Long> weeks,
      @ForAll @LongRange(min = 1, max = 5) long most) {
    Keyspace own = new Keyspace(layout);
    for (int i = 0; i < weeks.size(); i++) {
      GroupKey key = GroupKey.of("m", Tags.of("host", "h" + i % 4));
      if (i % 3 == 0) {
        own.put(
            Tables.ROW_KEY_INDEX,
            new Cell(
                Bytes.utf8("m"), 0, row(key, weeks.get(i) * WEEKS, DataType.LONG), 0, Bytes.EMPTY));
      } else {
        own.write(key, weeks.get(i) * WEEKS + i, new Value.Int64(i));
      }
    }
    Directory directory = layout.directory().orElseThrow();
    for (TimeRange times : List.of(TimeRange.ALL, new TimeRange(-WEEKS, WEEKS + 1))) {
      Set<Directory.Row> paged = new HashSet<>();
      Bytes place = null;
      do {
        Directory.Page page = own.run(directory.page("m", times, place, (int) most));
        assertThat(page.listing().rows()).hasSizeLessThanOrEqualTo(2 * (int) most);
        paged.addAll(page.listing().rows());
        place = page.place();
      } while (place != null);
      assertThat(paged).containsExactlyInAnyOrderElementsOf(rows(own, layout, times));
    }
  }

  @Test
  void findsOldRowsOnBothSidesOf1970() {
    for (long rowTime : List.of(-2 * WEEKS, -WEEKS, -10L, 0L, WEEKS)) {
      oldIndex(KEY, rowTime, DataType.LONG);
    }
    assertThat(rowTimes(TimeRange.ALL))
        .containsExactlyInAnyOrder(-2 * WEEKS, -WEEKS, -10L, 0L, WEEKS);
    assertThat(rowTimes(new TimeRange(0, 1))).containsExactly(0L);
    assertThat(rowTimes(new TimeRange(-5, 1))).contains(-10L, 0L).doesNotContain(-2 * WEEKS, WEEKS);
    assertThat(rowTimes(new TimeRange(-5, 0))).contains(-10L).doesNotContain(-2 * WEEKS, 0L);
    assertThat(rowTimes(new TimeRange(-WEEKS, -5))).contains(-WEEKS, -10L).doesNotContain(0L);
    assertThat(rowTimes(new TimeRange(-2 * WEEKS, -WEEKS))).containsExactly(-2 * WEEKS);
  }

  private List<Long> rowTimes(TimeRange times) {
    return rows(times).stream()
        .map(row -> layout.rows().time(row.row().toArray(), 0, row.row().length()))
        .toList();
  }

  @Property(tries = 200)
  void missesNoRowOfARange(
      @ForAll @Size(max = 8)
          Set<@LongRange(min = -4_000_000_000L, max = 4_000_000_000L) Long> times,
      @ForAll @LongRange(min = -4_000_000_000L, max = 4_000_000_000L) long from,
      @ForAll @LongRange(max = 4_000_000_000L) long length) {
    Keyspace fresh = new Keyspace(layout);
    Set<Bytes> wanted = new TreeSet<>();
    RowWidth width = new RowWidth(WEEKS);
    for (long time : times) {
      fresh.write(KEY, time, new Value.Int64(1));
      if (time >= from && time < from + length) {
        wanted.add(row(KEY, width.rowTime(time), DataType.LONG));
      }
    }
    List<Directory.Row> found = rows(fresh, layout, new TimeRange(from, from + length));
    assertThat(found).extracting(Directory.Row::row).containsAll(wanted).doesNotHaveDuplicates();
    assertThat(found).extracting(Directory.Row::row).isSorted();
    assertThat(found).extracting(Directory.Row::key).allMatch(KEY::equals);
  }

  @Test
  void looksUpTheValuesOfAllSeriesThatAreRead() {
    KairosDbLayout indexed = KairosDbLayout.of(Map.of("tagIndexed", "m(host)"));
    Keyspace tagged = new Keyspace(indexed);
    GroupKey a = GroupKey.of("m", Tags.of("host", "a", "dc", "x"));
    GroupKey b = GroupKey.of("m", Tags.of("host", "b", "dc", "y"));
    GroupKey c = GroupKey.of("m", Tags.of("host", "c", "dc", "x"));
    for (GroupKey key : List.of(a, b, c)) {
      tagged.write(key, 5, new Value.Int64(1));
    }
    List<? extends Binding> bindings =
        Stream.of(a, b).map(key -> tagged.run(indexed.bind(key, false)).orElseThrow()).toList();
    ReadScope scope =
        new ReadScope(new TimeRange(0, WEEKS), null, ReadScope.Versions.LATEST, false);
    Plan plan = tagged.run(Planner.plan(indexed, PlanRequest.of(bindings, scope)));
    assertThat(plan.notes()).contains("the index names 2 rows, of which 2 are of matching series");
  }

  @Test
  void looksUpOneValueOfAnIndexedTag() {
    KairosDbLayout indexed = KairosDbLayout.of(Map.of("tagIndexed", "m(host)"));
    Keyspace tagged = new Keyspace(indexed);
    GroupKey a = GroupKey.of("m", Tags.of("host", "a", "dc", "x"));
    GroupKey b = GroupKey.of("m", Tags.of("host", "b", "dc", "x"));
    GroupKey none = GroupKey.of("m", Tags.of("dc", "x"));
    for (GroupKey key : List.of(a, b, none)) {
      tagged.write(key, 5, new Value.Int64(1));
      tagged.write(key, WEEKS + 5, new Value.Int64(1));
    }
    TagFilter hostA = new TagFilter.Equal("host", "a");
    assertThat(keys(tagged, indexed, hostA)).containsOnly(a).hasSize(2);
    assertThat(keys(tagged, indexed, new TagFilter.In("host", Set.of("a", "b"))))
        .containsOnly(a, b)
        .hasSize(4);
    assertThat(keys(tagged, indexed, new TagFilter.In("host", Set.of("a", "b")), hostA))
        .containsOnly(a);
    // The caller applies filters that the index cannot.
    assertThat(keys(tagged, indexed, new TagFilter.Equal("dc", "x")))
        .containsOnly(a, b, none)
        .hasSize(6);
    assertThat(keys(tagged, indexed, new TagFilter.Equal("dc", "x"), hostA)).containsOnly(a);
    assertThat(keys(tagged, indexed, new TagFilter.Equal("host", ""))).containsOnly(a, b, none);
    assertThat(keys(tagged, indexed, new TagFilter.In("host", Set.of("", "a"))))
        .containsOnly(a, b, none);
    assertThat(keys(tagged, indexed, new TagFilter.Equal("__name__", "m"), hostA)).containsOnly(a);
    assertThat(keys(tagged, indexed, new TagFilter.Prefix("host", "a"))).containsOnly(a, b, none);
    assertThat(keys(tagged, indexed, new TagFilter.NotEqual("host", "a"))).containsOnly(a, b, none);
  }

  private static List<GroupKey> keys(
      Keyspace keyspace, KairosDbLayout layout, TagFilter... filters) {
    Directory.Listing listing =
        listing(keyspace, layout, List.of(filters), new TimeRange(0, 2 * WEEKS));
    assertThat(listing.damaged()).isEmpty();
    return listing.rows().stream().map(Directory.Row::key).toList();
  }

  @Test
  void takesNoLabelForAnIndexedTag() {
    KairosDbLayout indexed = KairosDbLayout.of(Map.of("tagIndexed", "*"));
    Keyspace tagged = new Keyspace(indexed);
    tagged.write(KEY, 5, new Value.Int64(1));
    assertThat(keys(tagged, indexed, new TagFilter.Equal("__name__", "m"))).containsExactly(KEY);
    assertThat(keys(tagged, indexed, new TagFilter.Equal("__field__", "value")))
        .containsExactly(KEY);
    assertThat(keys(tagged, indexed, new TagFilter.Equal("host", "b"))).isEmpty();
  }

  @Test
  void writesACellForEachIndexedTag() {
    KairosDbLayout indexed = KairosDbLayout.of(Map.of("tagIndexed", "m"));
    GroupKey key = GroupKey.of("m", Tags.of("host", "a", "dc", "x"));
    Cells cells =
        Cells.encode(indexed, new BatchBuilder().add(key, 5, new Value.Real(1)).build(), 0);
    IndexReader reader = new IndexReader(new RowWidth(WEEKS), ColumnUnit.MILLISECONDS);
    List<IndexReader.Columns> columns =
        cells.of(Tables.TAG_INDEXED_ROW_KEYS).stream().map(reader::tagIndexedRowKeys).toList();
    assertThat(columns)
        .extracting(c -> c.text(Tables.SINGLE_TAG_PAIR))
        .containsExactlyInAnyOrder("dc=x", "host=a");
    assertThat(columns)
        .extracting(IndexReader.Columns::rowKey)
        .containsOnly(row(key, 0, DataType.DOUBLE));
    assertThat(columns.getFirst().qualifier().get(1).value()).isEqualTo(1750428808);
    assertThat(cells.of(Tables.ROW_KEYS)).hasSize(1);
  }

  @Test
  void oneDamagedEntryHidesNoOther() {
    keyspace.write(KEY, 5, new Value.Int64(1));
    GroupKey plugin = GroupKey.of("m", Tags.of("host", "b"));
    keyspace.put(
        Tables.ROW_KEYS,
        new Cell(
            tuple("m", 0L),
            0,
            new KeyBytes().raw(Tuple.texts("kairos_complex")).raw(tags(plugin)).toBytes(),
            0,
            Bytes.EMPTY));
    // As version 1.1.2 wrote a=b=c; the meaning is ambiguous.
    Bytes raw = row(GroupKey.of("m", Tags.of("a", "b")), 0, DataType.LONG).slice(0, 23);
    keyspace.put(
        Tables.ROW_KEY_INDEX,
        new Cell(Bytes.utf8("m"), 0, raw.concat(Bytes.utf8("a=b=c:")), 0, Bytes.EMPTY));
    keyspace.put(
        Tables.ROW_KEY_TIME_INDEX, new Cell(Tuple.texts("m"), 0, timeColumns(7), 0, Bytes.EMPTY));

    Directory.Listing listing = listing(keyspace, layout, List.of(), new TimeRange(0, WEEKS));
    assertThat(listing.rows()).extracting(Directory.Row::key).containsExactly(KEY);
    assertThat(listing.damaged()).hasSize(3);
    assertThat(listing.damaged().get(0))
        .startsWith("table row_key_index, row 6d, qualifier 6d00")
        .contains("the '=' at byte 26 of a tag value escapes neither ':' nor '='");
    assertThat(listing.damaged().get(1))
        .startsWith("table row_key_time_index")
        .endsWith("column row_time: 7 is not possible with a row width of 1814400000 ms");
    assertThat(listing.damaged().get(2))
        .startsWith("table row_keys")
        .endsWith(
            "qualifier: data_type 'kairos_complex' is not kairos_long, kairos_double or"
                + " kairos_string");
  }

  @Test
  void listsNoRowWhoseKeyCannotBeAskedFor() {
    // The row key would just fit; the map of tags in the index would not.
    Map<String, String> many = new TreeMap<>();
    for (int i = 0; i < 6_000; i++) {
      many.put("%04d".formatted(i), "v");
    }
    CellBatch index = new CellBatch();
    index.add(
        new Cell(
            Bytes.utf8("m"),
            0,
            row(GroupKey.of("m", Tags.of(many)), 0, DataType.LONG),
            0,
            Bytes.EMPTY));
    Directory.Listing listing = answer(List.of(index, new CellBatch()));
    assertThat(listing.rows()).isEmpty();
    assertThat(listing.damaged())
        .singleElement()
        .asString()
        .contains("metric and tags make a key of 78004 bytes, Cassandra takes 65535");
  }

  /** Returns the listing if the first look into the index finds these cells. */
  private Directory.Listing answer(List<CellBatch> cells) {
    if (layout.directory().orElseThrow().rows("m", List.of(), TimeRange.ALL)
            instanceof Step.Look<Directory.Listing> look
        && look.then().apply(cells) instanceof Step.Done<Directory.Listing>(var listing)) {
      return listing;
    }
    throw new AssertionError("the directory does not look, or looks again");
  }

  @Test
  void listsTheNamesOfAllMetrics() {
    Directory directory = layout.directory().orElseThrow();
    assertThat(keyspace.run(directory.metrics())).isEmpty();
    for (String metric : List.of("b", "a", "\ud83d\ude00", "\uffee", "b")) {
      keyspace.write(GroupKey.of(metric, KEY.tags()), 5, new Value.Int64(1));
    }
    // Other lists in the table, as in versions before 1.2.
    keyspace.put(
        Tables.STRING_INDEX,
        new Cell(Bytes.utf8("tag_names"), 0, Bytes.utf8("host"), 0, Bytes.EMPTY));
    assertThat(keyspace.run(directory.metrics()))
        .containsExactly("a", "b", "\ud83d\ude00", "\uffee");
  }

  private static Bytes tuple(String metric, long rowTime) {
    KeyBytes out = new KeyBytes();
    Tuple.text(metric, out);
    return out.raw(timeColumns(rowTime)).toBytes();
  }

  private static Bytes timeColumns(long rowTime) {
    KeyBytes out = new KeyBytes().raw(Tables.DATA_POINTS_COLUMN);
    Tuple.timestamp(rowTime, out);
    return out.toBytes();
  }

  private static Bytes tags(GroupKey key) {
    KeyBytes out = new KeyBytes();
    Tuple.map(key.tags(), out);
    return out.toBytes();
  }
}
