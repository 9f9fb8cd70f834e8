package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.check.AffectedSeries;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
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
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreProviders;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.contract.CrashImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Damages values of blocks and of the journal, which the store cannot notice, and repairs them. */
class BlockRepairTest {
  private static final ReadRequest ALL = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
  private static final BlockLayout LAYOUT = new BlockLayout(Resolution.MILLISECONDS);
  private static final long START = 1_700_000_000_000L;
  private static final long DAY = 86_400_000;

  @TempDir Path directory;
  @TempDir Path crashed;

  private final List<CheckFinding> found = new ArrayList<>();

  @ParameterizedTest
  @CsvSource({"0,head", "1,body"})
  void aDamagedBlockIsRemovedAndListed(int family, String what) {
    write(directory);
    var before = all(directory);
    edit(
        directory,
        "main.blocks",
        LAYOUT.tables().getFirst(),
        (cell, edits) -> {
          if (cell.family() == family && edits.isEmpty()) {
            edits.put(cell.row(), family, cell.qualifier(), cell.time(), flipped(cell.value()));
          }
        });
    assertThatThrownBy(() -> all(directory)).isInstanceOf(CorruptDataException.class);

    Repaired repaired = repair(directory);
    assertThat(repaired.damages()).as(what).isEqualTo(1);
    assertThat(repaired.sound()).isTrue();
    assertThat(found.getFirst().text()).contains("main.blocks", "it is removed", "checksum");
    assertOnlyListedIsLost(before, all(directory));
    assertThat(repair(directory).damages()).isZero();
  }

  @Test
  void aDamagedEntryOfTheJournalIsRemovedAndListed() throws IOException {
    try (Engine engine = Engine.open(config(directory))) {
      for (int i = 0; i < 20; i++) {
        put(engine, "h" + i % 3, START + i * 1000L);
      }
      CrashImage.copy(directory, crashed);
    }
    var before = all(directory);
    edit(
        crashed,
        "main.journal",
        LAYOUT.tables().get(1),
        (cell, edits) -> {
          if (cell.row().toArray()[0] == 1 && edits.isEmpty()) {
            edits.put(cell.row(), 0, cell.qualifier(), cell.time(), flipped(cell.value()));
          }
        });
    assertThatThrownBy(() -> Engine.open(config(crashed)).close())
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("main.journal")
        .hasMessageContaining("varve check --repair");

    Repaired repaired = repair(crashed);
    assertThat(repaired.damages()).isEqualTo(1);
    assertThat(repaired.sound()).isTrue();
    assertThat(found.getFirst().text()).contains("main.journal", "it is removed");
    var after = all(crashed);
    assertThat(count(after)).isEqualTo(19);
    assertOnlyListedIsLost(before, after);
    assertThat(repair(crashed).damages()).isZero();
  }

  @Test
  void samplesOfASeriesWhoseNameIsLostAreKept() {
    write(directory);
    var before = all(directory);
    TableSpec home =
        new TableSpec(
            ".main.series",
            List.of(FamilySpec.latest("s")),
            Resolution.MICROSECONDS,
            (bytes, offset, length) -> Math.min(1, length));
    edit(
        directory,
        ".main.series",
        home,
        (cell, edits) -> {
          if (edits.isEmpty()) {
            edits.deleteRow(cell.row());
          }
        });
    assertThat(count(all(directory))).isLessThan(count(before));

    Repaired repaired = repair(directory);
    assertThat(repaired.sound()).isTrue();
    assertThat(found.stream().map(CheckFinding::text))
        .anyMatch(text -> text.contains("lost the names of 1 series"));
    var after = all(directory);
    assertThat(count(after)).isEqualTo(count(before));
    assertThat(after.keySet())
        .filteredOn(series -> series.key().tags().has(SeriesNumbers.LOST))
        .hasSize(1);
    // The series comes again, under another number, and nothing is mixed up.
    try (Engine engine = Engine.open(config(directory))) {
      for (int host = 0; host < 5; host++) {
        put(engine, "h" + host, START + 300 * DAY);
      }
    }
    assertThat(count(all(directory))).isEqualTo(count(before) + 5);
    assertThat(repair(directory).damages()).isZero();
  }

  private static Bytes flipped(Bytes value) {
    byte[] bytes = value.toArray();
    bytes[bytes.length / 2] ^= 4;
    return Bytes.of(bytes);
  }

  private void assertOnlyListedIsLost(
      Map<Series, List<Sample>> before, Map<Series, List<Sample>> after) {
    List<AffectedSeries> affected =
        found.stream()
            .filter(one -> one.severity() == Severity.DAMAGE)
            .flatMap(one -> one.affected().stream())
            .toList();
    assertThat(affected).hasSize(1);
    assertThat(count(after)).isLessThan(count(before));
    before.forEach((series, samples) -> {
      List<Sample> left = after.getOrDefault(series, List.of());
      assertThat(samples).containsAll(left);
      for (Sample sample : samples) {
        if (!left.contains(sample)) {
          assertThat(affected.getFirst().series()).isEqualTo(series.toString());
          assertThat(sample.time())
              .isBetween(
                  affected.getFirst().from().toEpochMilli(),
                  affected.getFirst().to().toEpochMilli());
        }
      }
    });
  }

  private static long count(Map<Series, List<Sample>> samples) {
    return samples.values().stream().mapToLong(List::size).sum();
  }

  private static EngineConfig config(Path of) {
    DatasetConfig dataset = DatasetConfig.of("main", LAYOUT);
    return new EngineConfig(of, 32L << 20, List.of(dataset), "main");
  }

  private static void write(Path to) {
    Random random = new Random(5);
    try (Engine engine = Engine.open(config(to))) {
      BatchBuilder batch = new BatchBuilder();
      for (int i = 0; i < 2000; i++) {
        batch.add(
            GroupKey.of("m", Tags.of("host", "h" + random.nextInt(5))),
            START + i * DAY / 200,
            new Value.Real(random.nextDouble()));
      }
      assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
    }
  }

  private static void put(Engine engine, String host, long time) {
    BatchBuilder batch = new BatchBuilder();
    batch.add(GroupKey.of("m", Tags.of("host", host)), time, new Value.Real(time));
    assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
  }

  private static Map<Series, List<Sample>> all(Path of) {
    try (Engine engine = Engine.open(config(of))) {
      return TestEngine.read(engine.defaultDataset(), ALL);
    }
  }

  /** Reads all cells of a table and applies the edits to which they lead. */
  private static void edit(
      Path of, String name, TableSpec spec, BiConsumer<Cell, MutationBatch> change) {
    MutationBatch edits = new MutationBatch();
    try (Store store =
            StoreProviders.of("rocksdb").open(of.resolve("rocksdb"), 32L << 20, Map.of());
        Table table = store.open(spec.named(name), OpenMode.CREATE_IF_ABSENT)) {
      List<FamilySelect> families = new ArrayList<>();
      for (int family = 0; family < spec.families().size(); family++) {
        families.add(FamilySelect.all(family));
      }
      List<Slice> slices = new ArrayList<>();
      if (spec.partitioning().equals(Partitioning.NONE)) {
        slices.add(Slice.partition(Bytes.EMPTY));
      } else {
        for (int first = 0; first < 256; first++) {
          slices.add(Slice.partition(Bytes.of((byte) first)));
        }
      }
      CellBatch page = new CellBatch();
      try (CellCursor cursor = table.read(ReadPlan.of(slices, families), null)) {
        while (cursor.next(page)) {
          for (int cell = 0; cell < page.size(); cell++) {
            change.accept(page.cell(cell), edits);
          }
        }
      }
      assertThat(edits.isEmpty()).isFalse();
      table.apply(edits, Durability.SYNCED);
    }
  }

  private Repaired repair(Path of) {
    found.clear();
    return Engine.repair(config(of), new CheckRun(0, now -> {}, found::add, () -> false));
  }
}
