package dev.varve.engine.home;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.home.DeleteTable.DeleteRecord;
import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.engine.home.IdentityTable.Made;
import dev.varve.engine.home.IdentityTable.MadePeriod;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.engine.home.MarkerTable.Written;
import dev.varve.engine.home.SeriesTable.Whole;
import dev.varve.engine.request.ReadGuard;
import dev.varve.layout.LayoutIdentity;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.memory.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The worked example in docs/engine.md matches the cells that the code writes and reads. */
class HomePageTest {
  private static final Path PAGE = Path.of("../docs/engine.md");
  private static final Pattern CELL =
      Pattern.compile("(?m)^([a-z]+) +([0-9a-f]+) +([0-9a-f]+|-) +([0-9a-f]+|-) *$");
  private static final GroupKey CPU =
      new GroupKey("cpu", Tags.of("host", "a"), Tags.of("pod", "7"));

  private static final MetricMetadata SAID = new MetricMetadata("cpu", "gauge", "seconds", "Time.");

  private static final DeleteRecord GONE =
      new DeleteRecord(null, 256, Selector.metric("cpu"), new TimeRange(1000, 2000));

  private final Store store = new MemoryStore();
  private final Home home = Home.open(store, "main", null);

  @AfterEach
  void close() {
    home.close();
    store.close();
  }

  private void writeTheExample() {
    home.identity()
        .make(
            new Made(
                Resolution.MILLISECONDS,
                "rocksdb",
                List.of(
                    new MadePeriod(
                        Long.MIN_VALUE,
                        List.of(new LayoutIdentity("buckets", Map.of("bucket", "1d"))))),
                List.of(),
                ""),
            1);
    home.identity()
        .catalogState(
            new CatalogState(
                false, 1, new ResumeToken(0, Bytes.utf8("r"), 0, Bytes.utf8("q"), 9, 5, 5, 1, 1)),
            2);
    SeriesIdentity identity = SeriesIdentity.of(CPU);
    MutationBatch edits = new MutationBatch();
    SeriesTable.putKey(edits, identity, CPU, 3);
    SeriesTable.putField(edits, identity, "value", Kind.DOUBLE, 3);
    SeriesTable.putExtent(edits, identity, new TimeRange(1000, 2000), 17, 3);
    assertThat(home.series().table().apply(edits, Durability.SYNCED)).isEmpty();
    MutationBatch marker = new MutationBatch();
    MarkerTable.put(
        marker, new Marker(null, 255, List.of(new Written(0, CPU, new TimeRange(1000, 1001)))));
    assertThat(home.markers().table().apply(marker, Durability.SYNCED)).isEmpty();
    MutationBatch said = new MutationBatch();
    AttributeTable.put(said, SAID, 4);
    home.attributes().apply(said);
    home.services().put(ServiceTable.row("svc", "k", "a"), "hello", 5);
    home.deletes().put(home.deletes().of(256, GONE.selector(), GONE.times()));
    try (ClockTable clock = new ClockTable(store, null)) {
      clock.reach(1000, 24);
    }
  }

  /** Returns the cells of a home that differ if several servers share its store. */
  private List<String> writeAsOneOfSeveral() {
    ServerId server = new ServerId(0x1122334455667788L);
    try (Store shared = new MemoryStore();
        Home several = Home.open(shared, "main", server);
        ClockTable clock = new ClockTable(shared, server)) {
      assertThat(several.identity().claim(false, 1)).isTrue();
      ChangeTable changes = Objects.requireNonNull(several.changes());
      changes.announce(List.of(SeriesIdentity.of(CPU)), () -> 120_000_000, () -> 255);
      MutationBatch marker = new MutationBatch();
      MarkerTable.put(
          marker,
          several
              .markers()
              .of(List.of(new Written(0, CPU, new TimeRange(1000, 1001))), () -> 255)
              .getFirst());
      assertThat(several.markers().table().apply(marker, Durability.SYNCED)).isEmpty();
      several.deletes().put(several.deletes().of(256, GONE.selector(), GONE.times()));
      clock.reach(1000, 24);
      List<String> written = new ArrayList<>();
      for (Table table :
          List.of(
              several.identity().table(),
              changes.table(),
              several.markers().table(),
              several.deletes().table(),
              clock.table())) {
        String name = table.spec().name();
        cells(table)
            .forEach(cell -> written.add(name.substring(name.lastIndexOf('.') + 1) + " " + cell));
      }
      assertThat(several.markers().all())
          .containsExactly(
              new Marker(server, 255, List.of(new Written(0, CPU, new TimeRange(1000, 1001)))));
      assertThat(several.deletes().all())
          .containsExactly(new DeleteRecord(server, 256, GONE.selector(), GONE.times()));
      assertThat(changes.announcementsOfOthers(0, 5)).isEmpty();
      return written;
    }
  }

  @Test
  void showsTheCellsThatAreWritten() throws IOException {
    writeTheExample();
    List<String> written = new ArrayList<>();
    for (String table :
        List.of(
            ".main.dataset",
            ".main.series",
            ".main.markers",
            ".main.attributes",
            ".main.services",
            ".main.deletes",
            ".clock")) {
      String shown = table.substring(table.lastIndexOf('.') + 1);
      for (String cell : cells(table)) {
        written.add(shown + " " + cell);
      }
    }

    written.addAll(writeAsOneOfSeveral());
    List<String> documented = new ArrayList<>();
    Matcher matcher = CELL.matcher(Files.readString(PAGE));
    while (matcher.find()) {
      documented.add(
          String.join(" ", matcher.group(1), matcher.group(2), matcher.group(3), matcher.group(4)));
    }
    assertThat(documented).containsExactlyElementsOf(written);
  }

  private List<String> cells(String name) {
    return cells(
        switch (name) {
          case ".main.series" -> home.series().table();
          case ".main.markers" -> home.markers().table();
          case ".main.attributes" -> home.attributes().table();
          case ".main.services" -> home.services().table();
          case ".main.deletes" -> home.deletes().table();
          case ".clock" -> new ClockTable(store, null).table();
          default -> home.identity().table();
        });
  }

  private static List<String> cells(Table table) {
    List<String> cells = new ArrayList<>();
    CellBatch page = new CellBatch();
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          cells.add(
              "%s %s %s".formatted(page.row(i), shown(page.qualifier(i)), shown(page.value(i))));
        }
      }
    }
    return cells;
  }

  private static String shown(Bytes bytes) {
    return bytes.isEmpty() ? "-" : bytes.hex();
  }

  @Test
  void readsBackWhatItWrote() {
    writeTheExample();

    assertThat(home.identity().made())
        .isEqualTo(
            new Made(
                Resolution.MILLISECONDS,
                "rocksdb",
                List.of(
                    new MadePeriod(
                        Long.MIN_VALUE,
                        List.of(new LayoutIdentity("buckets", Map.of("bucket", "1d"))))),
                List.of(),
                ""));
    assertThat(home.identity().catalogState().complete()).isFalse();
    assertThat(home.identity().catalogState().token())
        .isEqualTo(new ResumeToken(0, Bytes.utf8("r"), 0, Bytes.utf8("q"), 9, 5, 5, 1, 1));
    assertThat(home.markers().all())
        .containsExactly(
            new Marker(null, 255, List.of(new Written(0, CPU, new TimeRange(1000, 1001)))));
    assertThat(home.attributes().all(10, ReadGuard.NONE)).containsExactly(SAID);
    assertThat(home.attributes().of("cpu")).containsExactly(SAID);
    assertThat(home.attributes().of("cp")).isEmpty();
    assertThat(home.services().get(ServiceTable.row("svc", "k", "a")))
        .isEqualTo(new ServiceTable.Entry("k", "a", "hello", 5));
    assertThat(home.services().get(ServiceTable.row("svc", "k", ""))).isNull();
    assertThat(home.deletes().all()).containsExactly(GONE);
    SeriesIndex index = new SeriesIndex();
    home.series().load(index, 9);
    int series = index.find(SeriesIdentity.of(CPU));
    assertThat(index.key(series)).isEqualTo(CPU);
    assertThat(index.hasField(series, "value", Kind.DOUBLE)).isTrue();
    assertThat(index.extent(series)).isEqualTo(new TimeRange(1000, 2000));
    assertThat(index.count(series)).isEqualTo(17);
    try (ClockTable clock = new ClockTable(store, null)) {
      assertThat(clock.mark()).isEqualTo(1024);
    }
  }

  @Test
  void makesOneExtentOfManyAndLosesNone() {
    SeriesIdentity identity = SeriesIdentity.of(CPU);
    MutationBatch edits = new MutationBatch();
    SeriesTable.putKey(edits, identity, CPU, 1);
    for (int i = 0; i < 20; i++) {
      SeriesTable.putExtent(edits, identity, new TimeRange(10L * i, 10L * i + 5), i, 1);
    }
    assertThat(home.series().table().apply(edits, Durability.SYNCED)).isEmpty();
    home.series().load(new SeriesIndex(), 2);

    assertThat(cells(".main.series")).hasSize(2);
    SeriesIndex index = new SeriesIndex();
    home.series().load(index, 3);
    assertThat(index.extent(0)).isEqualTo(new TimeRange(0, 195));
    assertThat(index.count(0)).isEqualTo(19);
  }

  /** Two writers that make a series at once add their extents and kinds, in whatever order. */
  @Test
  void oneCellHasAllOfANewSeries() {
    SeriesIdentity identity = SeriesIdentity.of(CPU);
    MutationBatch edits = new MutationBatch();
    SeriesTable.putKey(edits, identity, CPU, 2);
    SeriesTable.putWhole(
        edits, identity, new Whole(CPU, "f", Kind.DOUBLE, new TimeRange(1000, 2000), 17, 7, 2), 3);
    SeriesTable.putWhole(
        edits, identity, new Whole(CPU, "f", Kind.INT64, new TimeRange(5000, 6000), 4, 7, 2), 4);
    assertThat(home.series().table().apply(edits, Durability.SYNCED)).isEmpty();
    SeriesIndex index = new SeriesIndex();
    home.series().load(index, 9);
    int series = index.find(identity);
    assertThat(index.hasField(series, "f", Kind.DOUBLE)).isTrue();
    assertThat(index.hasField(series, "f", Kind.INT64)).isTrue();
    assertThat(index.extent(series)).isEqualTo(new TimeRange(1000, 6000));
    assertThat(index.count(series)).isEqualTo(17);
    assertThat(index.numbers().find(series, "f")).isEqualTo(7);
    assertThat(index.numbers().metric(7)).isEqualTo(2);
    assertThat(cells(".main.series"))
        .contains(
            "1144e9c0944d9d75bc829f28b1c02c15 000100000000000003e800000000000007d066"
                + " 00000007000000020000000000000011"
                + "02036370750104686f737401610103706f640137");

    MutationBatch removal = new MutationBatch();
    SeriesTable.putRemoved(removal, identity, 3);
    assertThat(home.series().table().apply(removal, Durability.SYNCED)).isEmpty();
    SeriesIndex again = new SeriesIndex();
    home.series().load(again, 9);
    assertThat(again.find(identity)).as("written after it was removed").isNotNegative();
    SeriesTable.putRemoved(removal, identity, 4);
    assertThat(home.series().table().apply(removal, Durability.SYNCED)).isEmpty();
    SeriesIndex gone = new SeriesIndex();
    home.series().load(gone, 9);
    assertThat(gone.find(identity)).isNegative();
  }

  /** Earlier builds had 128 bits of XXH3 over the whole key as its row. */
  @Test
  void movesRowsOfEarlierBuilds() {
    SeriesIdentity former = new SeriesIdentity(0x695b1cafc62b2e7bL, 0xc053ec3ed4b62a9fL);
    Bytes row = Bytes.of(former.toArray());
    byte[] key = SeriesIdentity.encode(CPU);
    key[0] = SeriesIdentity.FORMER_VERSION;
    MutationBatch edits = new MutationBatch();
    edits.put(row, 0, Bytes.fromHex("00"), 3, Bytes.of(key));
    SeriesTable.putField(edits, former, "value", Kind.DOUBLE, 4);
    SeriesTable.putNumber(edits, former, "value", 7, 2, 5);
    for (int i = 0; i < 20; i++) {
      SeriesTable.putExtent(edits, former, new TimeRange(10L * i, 10L * i + 5), i, 6);
    }
    assertThat(home.series().table().apply(edits, Durability.SYNCED)).isEmpty();

    for (int load = 0; load < 3; load++) {
      SeriesIndex index = new SeriesIndex();
      home.series().load(index, 9 + load);
      int series = index.find(SeriesIdentity.of(CPU));
      assertThat(index.key(series)).isEqualTo(CPU);
      assertThat(index.hasField(series, "value", Kind.DOUBLE)).isTrue();
      assertThat(index.numbers().find(series, "value")).isEqualTo(7);
      assertThat(index.extent(series)).isEqualTo(new TimeRange(0, 195));
      assertThat(index.count(series)).isEqualTo(19);
      assertThat(cells(".main.series"))
          .isNotEmpty()
          .allMatch(cell -> cell.contains(Bytes.of(SeriesIdentity.of(CPU).toArray()).hex()));
    }
    assertThat(cells(".main.series")).as("with one extent").hasSize(4);
  }

  /** The cell that says so moves with its time. */
  @Test
  void aKeyThatAnEarlierBuildRemovedStaysRemoved() {
    SeriesIdentity former = new SeriesIdentity(0x695b1cafc62b2e7bL, 0xc053ec3ed4b62a9fL);
    byte[] key = SeriesIdentity.encode(CPU);
    key[0] = SeriesIdentity.FORMER_VERSION;
    MutationBatch edits = new MutationBatch();
    edits.put(Bytes.of(former.toArray()), 0, Bytes.fromHex("00"), 3, Bytes.of(key));
    SeriesTable.putRemoved(edits, former, 4);
    assertThat(home.series().table().apply(edits, Durability.SYNCED)).isEmpty();
    for (int load = 0; load < 2; load++) {
      SeriesIndex index = new SeriesIndex();
      home.series().load(index, 9 + load);
      assertThat(index.find(SeriesIdentity.of(CPU))).isNegative();
    }
    MutationBatch again = new MutationBatch();
    SeriesTable.putKey(again, SeriesIdentity.of(CPU), CPU, 20);
    assertThat(home.series().table().apply(again, Durability.SYNCED)).isEmpty();
    SeriesIndex index = new SeriesIndex();
    home.series().load(index, 21);
    assertThat(index.find(SeriesIdentity.of(CPU))).isNotNegative();
  }

  @Test
  void dropsEveryTableOfAHomeAndNoOther() {
    Home.open(store, "other", new ServerId(7)).close();
    List<String> others = new ArrayList<>(store.tables());
    others.removeIf(table -> table.startsWith(".main."));
    assertThat(others).hasSize(9);
    Home.open(store, "main", new ServerId(7)).close();
    Home.drop(store, "main");
    assertThat(store.tables()).containsExactlyElementsOf(others);
  }

  @Test
  void namesWhatIsDamaged() {
    MutationBatch edits = new MutationBatch();
    edits.put(Bytes.fromHex("00".repeat(16)), 0, Bytes.fromHex("00"), 1, Bytes.fromHex("0103"));
    assertThat(home.series().table().apply(edits, Durability.SYNCED)).isEmpty();

    Assertions.assertThatThrownBy(() -> home.series().load(new SeriesIndex(), 1))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("table '.main.series' is damaged: row 0000")
        .hasMessageContaining("a text of 3 bytes, 0 are left");
  }
}
