package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.home.ClockTable;
import dev.varve.engine.home.DeleteTable.DeleteRecord;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.HomeExport;
import dev.varve.engine.home.IdentityTable.Made;
import dev.varve.engine.home.IdentityTable.MadePeriod;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.engine.home.MarkerTable.Written;
import dev.varve.engine.home.ServerId;
import dev.varve.engine.home.ServiceTable;
import dev.varve.layout.LayoutIdentity;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreProviders;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * This build opens data and backups of an earlier build, including a journal left by a kill. It
 * refuses later formats by name.
 *
 * <p>The datasets {@code blocks} and {@code cells} have equal samples, one a minute from 2026 on:
 * 300 of {@code cpu} with host a; 239 with host b, whose first hour was deleted; 300 of {@code dev}
 * in a field of integers and one of strings. The last 100 of each were only in the journal.
 */
class FormatsTest {
  /** The home of dataset {@code main} in format 1: every table of it, a few cells in each. */
  static final String HOME = "formats-2026-11.home";

  private static final String CONFIG =
      """
      data: data
      memory: 8MB
      datasets:
        blocks: {}
        cells: {layout: buckets}
      """;

  private static final String LAYOUTS =
      """
      data: data
      memory: 8MB
      datasets:
        kairosdb: {layout: kairosdb}
        opentsdb: {layout: opentsdb}
        heroic: {layout: heroic}
        tall: {layout: tall-narrow}
        packed: {layout: single-timestamp-packed}
      """;

  /** First row of entries and blocks; rows before it record how far the journal is sealed. */
  private static final Bytes FIRST = Bytes.of((byte) 1);

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void unpackBlocks() throws IOException {
    unpack("formats-2026-11.zip");
    Files.writeString(
        folder.resolve("varve.yaml"), CONFIG.replace("data: ", "data: " + folder + "/"));
  }

  private void unpack(String name) throws IOException {
    unpack(name, folder);
  }

  /** Unpacks a directory of an earlier build. */
  static void unpack(String name, Path folder) throws IOException {
    try (InputStream file =
            Objects.requireNonNull(FormatsTest.class.getResourceAsStream(name), name);
        ZipInputStream zip = new ZipInputStream(file)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path target = folder.resolve(entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(target);
        } else {
          Files.createDirectories(Objects.requireNonNull(target.getParent()));
          Files.copy(zip, target);
        }
      }
    }
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    var line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private List<String> query(String selector, String dataset) {
    int code =
        run(
            "query",
            selector,
            "--dataset",
            dataset,
            "--from",
            "2026-01-01",
            "--to",
            "2026-01-02",
            "--output",
            "csv",
            "--config",
            folder.resolve("varve.yaml").toString());
    assertThat(code).as("%s", err).isZero();
    return out.toString().lines().skip(1).toList();
  }

  @Test
  void opensDataOfAnEarlierBuild() {
    for (String dataset : List.of("blocks", "cells")) {
      List<String> cpu = query("cpu", dataset);
      assertThat(cpu)
          .hasSize(300 + 239)
          .contains("cpu,host=a,1767225600000,0.0", "cpu,host=a,1767243540000,149.5")
          .contains("cpu,host=b,1767229260000,1030.5", "cpu,host=b,1767243540000,1149.5")
          .doesNotContain("cpu,host=b,1767229200000,1030.0");
      assertThat(query("dev", dataset))
          .hasSize(600)
          .contains("dev,\"host=a,__field__=n\",1767243540000,299")
          .contains("dev,\"host=a,__field__=state\",1767243540000,up");
    }
    assertThat(run("check", "--config", folder.resolve("varve.yaml").toString()))
        .as("%s", err)
        .isZero();
  }

  /**
   * Each dataset has 80 samples of {@code cpu}, one a minute, with hosts a and b. The last 40 of
   * each were only in the log of RocksDB.
   */
  @Test
  void dataOfAnEarlierBuildInOtherLayoutsOpens() throws IOException {
    folder = Files.createDirectory(folder.resolve("layouts"));
    unpack("formats-2026-11-layouts.zip");
    Files.writeString(
        folder.resolve("varve.yaml"), LAYOUTS.replace("data: ", "data: " + folder + "/"));
    for (String dataset : List.of("kairosdb", "opentsdb", "heroic", "tall", "packed")) {
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 80; i++) {
        long time = 1767225600000L + 60_000L * i;
        expected.add("cpu,host=a,%d,%s".formatted(time, i / 2.0));
        expected.add("cpu,host=b,%d,%s".formatted(time, 1000 + i / 2.0));
      }
      assertThat(query("cpu", dataset)).as(dataset).containsExactlyInAnyOrderElementsOf(expected);
    }
    assertThat(run("check", "--config", folder.resolve("varve.yaml").toString()))
        .as("%s", out)
        .isZero();
  }

  @Test
  void backupsOfAnEarlierBuildAreVerifiedAndRestored() {
    String backups = folder.resolve("backups").toString();
    String config = folder.resolve("varve.yaml").toString();
    assertThat(run("backup", "verify", "--from", backups, "--config", config))
        .as("%s", err)
        .isZero();
    Path restored = folder.resolve("restored");
    assertThat(run("restore", "--from", backups, "--to", restored.toString()))
        .as("%s", err)
        .isZero();
    assertThat(restored.resolve("rocksdb")).isDirectory();
  }

  /** A home in a backup of an earlier build, in a store that has none. */
  @Test
  void homesInBackupsOfAnEarlierBuildAreRestored() throws IOException {
    Path file = folder.resolve("main.home");
    try (InputStream home = Objects.requireNonNull(FormatsTest.class.getResourceAsStream(HOME))) {
      Files.copy(home, file);
    }
    ServerId server = new ServerId(7);
    GroupKey cpu = new GroupKey("cpu", Tags.of("host", "a"), Tags.of("pod", "7"));
    long stamp = 1_767_225_600_000_000L;
    try (Store store = new MemoryStore()) {
      assertThat(HomeExport.restore(store, "main", server, file)).isEqualTo(14);
      try (Home home = Home.open(store, "main", server)) {
        assertThat(home.identity().made())
            .isEqualTo(
                new Made(
                    Resolution.MILLISECONDS,
                    "cassandra",
                    List.of(
                        new MadePeriod(
                            Long.MIN_VALUE,
                            List.of(new LayoutIdentity("buckets", Map.of("bucket", "1d"))))),
                    List.of(),
                    ""));
        assertThat(home.identity().created()).isEqualTo(stamp);
        assertThat(home.identity().catalogState().complete()).isTrue();
        SeriesIndex series = new SeriesIndex();
        home.series().load(series, stamp);
        assertThat(series.key(series.find(SeriesIdentity.of(cpu)))).isEqualTo(cpu);
        assertThat(home.markers().all())
            .containsExactly(
                new Marker(
                    server, stamp + 3, List.of(new Written(0, cpu, new TimeRange(1000, 1001)))));
        assertThat(home.attributes().of("cpu"))
            .containsExactly(new MetricMetadata("cpu", "gauge", "seconds", "Time."));
        assertThat(home.services().get(ServiceTable.row("svc", "k", "a")))
            .isEqualTo(new ServiceTable.Entry("k", "a", "hello", stamp + 5));
        assertThat(home.deletes().all())
            .containsExactly(
                new DeleteRecord(
                    server, stamp + 6, Selector.metric("cpu"), new TimeRange(1000, 2000)));
      }
      // The file has no mark of the clock, but what is written next is later than its cells.
      try (ClockTable clock = new ClockTable(store, server)) {
        assertThat(clock.mark()).isEqualTo(stamp + 6);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '|',
      value = {
        "format; 2; has format 02, but this version reads format 01: use a later version",
        "later-entry; 0; the entry 'later-entry' of table '.blocks.dataset' is unknown to this version"
      })
  void aLaterHomeIsRefusedByName(String qualifier, byte value, String refusal) {
    TableSpec identity =
        new TableSpec(
            ".blocks.dataset",
            List.of(FamilySpec.latest("d")),
            Resolution.MICROSECONDS,
            Partitioning.NONE);
    try (Store store = open();
        Table table = store.open(identity, Store.OpenMode.CREATE_IF_ABSENT)) {
      MutationBatch later = new MutationBatch();
      later.put(
          Bytes.utf8("dataset"), 0, Bytes.utf8(qualifier), Long.MAX_VALUE / 2, Bytes.of(value));
      assertThat(table.apply(later, Durability.SYNCED)).isEmpty();
    }
    String config = folder.resolve("varve.yaml").toString();
    assertThat(run("query", "cpu", "--last", "1h", "--config", config)).isEqualTo(1);
    assertThat(err.toString()).contains(".blocks.dataset", refusal);
  }

  /** Later formats are not damage: a repair must not remove them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "blocks.journal; j; a journal entry has format 2, but this version reads format 1",
        "blocks.blocks; h b t; a block has format 4, but this version reads format 3"
      })
  void refusesLaterFormatsByNameAndDoesNotRepairThem(
      String table, String families, String refusal) {
    TableSpec spec =
        new TableSpec(
            table,
            Stream.of(families.split(" ")).map(FamilySpec::latest).toList(),
            Resolution.MICROSECONDS,
            Partitioning.NONE);
    List<Bytes> later = withLaterFormat(spec);
    assertThat(later).isNotEmpty();
    String config = folder.resolve("varve.yaml").toString();
    run("check", "--repair", "--config", config);
    assertThat(out.toString()).doesNotContain("removed");
    // Sealing the journal may have added blocks.
    assertThat(values(spec)).containsAll(later);
    assertThat(run("query", "cpu", "--last", "1000d", "--dataset", "blocks", "--config", config))
        .isEqualTo(1);
    assertThat(err.toString()).contains("table '" + table + "', row ", refusal);
  }

  /** Raises the first byte of every value of a table's first family, with the right checksum. */
  private List<Bytes> withLaterFormat(TableSpec spec) {
    ByteOrder order =
        spec.name().endsWith(".blocks") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    try (Store store = open();
        Table table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT)) {
      MutationBatch later = new MutationBatch();
      each(
          table,
          (page, cell) -> {
            byte[] value = page.value(cell).toArray();
            value[0]++;
            CRC32C crc = new CRC32C();
            crc.update(value, 0, value.length - Integer.BYTES);
            ByteBuffer.wrap(value)
                .order(order)
                .putInt(value.length - Integer.BYTES, (int) crc.getValue());
            later.put(page.row(cell), 0, page.qualifier(cell), page.time(cell), Bytes.of(value));
          });
      assertThat(table.apply(later, Durability.SYNCED)).isEmpty();
    }
    return values(spec);
  }

  private List<Bytes> values(TableSpec spec) {
    List<Bytes> values = new ArrayList<>();
    try (Store store = open();
        Table table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT)) {
      each(table, (page, cell) -> values.add(page.value(cell)));
    }
    return values;
  }

  private Store open() {
    return StoreProviders.of("rocksdb").open(folder.resolve("data/rocksdb"), 8 << 20, Map.of());
  }

  private static void each(Table table, ObjIntConsumer<CellBatch> action) {
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.rows(Bytes.EMPTY, FIRST, null)), List.of(FamilySelect.latest(0)));
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          action.accept(page, cell);
        }
      }
    }
  }

  @Test
  void laterBackupsAreRefusedByTheirFormat() throws IOException {
    Path backups = folder.resolve("backups");
    Files.writeString(backups.resolve("varve-backups"), "varve-backups 2\n");
    assertThat(run("restore", "--from", backups.toString(), "--to", folder + "/restored"))
        .isEqualTo(1);
    assertThat(err.toString())
        .contains("has format 'varve-backups 2', but this version reads 'varve-backups 1'");
  }
}
