package dev.varve.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.Capabilities;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An open store under test, and what tests do with it again and again. */
final class Lab implements AutoCloseable {
  /** Families of {@link #spec}: the newest cell only, all versions by time, two versions. */
  static final int LATEST = 0;

  static final int ALL = 1;
  static final int TWO = 2;

  /** Of the partitions that are as short as they can be. */
  static final Partitioning FIRST_BYTE = (bytes, offset, length) -> Math.min(1, length);

  /** No store thins its tests more: {@code -Dvarve.contract.oneIn=1} for all that there is. */
  private static final int ONE_IN = Integer.getInteger("varve.contract.oneIn", Integer.MAX_VALUE);

  /** Only one in so many of the plans of a combination is read again in tables of partitions. */
  private static final int PLANS_IN_PARTITIONS = 11;

  private final StoreFixture fixture;
  private final Path directory;
  private final Partitioning partitioning;
  private Store store;

  /**
   * Opens a store.
   *
   * @param partitioning of the tables that {@link #table} opens
   */
  Lab(StoreFixture fixture, Path directory, Partitioning partitioning) {
    this.fixture = fixture;
    this.directory = directory;
    this.partitioning = partitioning;
    this.store = fixture.open(directory);
  }

  Store store() {
    return store;
  }

  /** Closes the store and opens it again. */
  void reopen() {
    store.close();
    store = fixture.open(directory);
  }

  @Override
  public void close() {
    store.close();
  }

  static TableSpec spec(String name) {
    return spec(
        name,
        FamilySpec.latest("latest"),
        new FamilySpec("all", TimeUse.DATA, FamilySpec.ALL_VERSIONS),
        new FamilySpec("two", TimeUse.DATA, 2));
  }

  static TableSpec spec(String name, FamilySpec... families) {
    return new TableSpec(name, List.of(families), Resolution.MILLISECONDS, Partitioning.NONE);
  }

  /** The table with the three families, in the partitions of this test. */
  TableSpec tableSpec(String name) {
    TableSpec whole = spec(name);
    return new TableSpec(name, whole.families(), whole.timeUnit(), partitioning);
  }

  /** Opens the table with the three families. */
  Table table(String name) {
    return store.open(tableSpec(name), OpenMode.CREATE_IF_ABSENT);
  }

  /** What the partition of a row begins with. */
  Bytes partitionOf(Bytes row) {
    return row.slice(0, partitioning.prefixLength(row.toArray(), 0, row.length()));
  }

  /** Every row of a table whose row keys begin with these bytes, by partitions in this order. */
  List<Slice> slices(List<Bytes> firstBytes) {
    return firstBytes.stream().map(this::partitionOf).distinct().map(Slice::partition).toList();
  }

  List<Slice> slices(String... firstBytes) {
    return slices(Stream.of(firstBytes).map(Lab::text).toList());
  }

  /** Reads all cells of such a table. */
  ReadPlan allOf(String... firstBytes) {
    return ReadPlan.of(slices(firstBytes), allFamilies());
  }

  /** Of what a test does so many times, how often it does it on this store; at least twice. */
  int times(int onEmbedded) {
    return Math.max(2, onEmbedded / oneIn());
  }

  /** Every how many of its steps a test takes that takes all of them on an embedded store. */
  int oneIn() {
    return Math.min(ONE_IN, fixture.oneIn());
  }

  /** Every how many of the plans of a combination are read on this store. */
  int plansOneIn() {
    return partitioning.equals(Partitioning.NONE) || oneIn() == 1 ? 1 : PLANS_IN_PARTITIONS;
  }

  Capabilities capabilities() {
    return store.capabilities(tableSpec("any"));
  }

  /** The {@code n}-th of the cell times that the store can keep, 0 being the first that is >= 0. */
  long time(long n) {
    Capabilities.CellTimes times = capabilities().cellTimes();
    return times == null ? n : n * times.granularity();
  }

  static Bytes text(String text) {
    return Bytes.utf8(text);
  }

  static Cell cell(String row, int family, String qualifier, long time, String value) {
    return new Cell(text(row), family, text(qualifier), time, text(value));
  }

  static MutationBatch puts(List<Cell> cells) {
    MutationBatch batch = new MutationBatch();
    for (Cell cell : cells) {
      batch.put(cell.row(), cell.family(), cell.qualifier(), cell.time(), cell.value());
    }
    return batch;
  }

  static void put(Table table, Cell... cells) {
    apply(table, puts(List.of(cells)));
  }

  static void apply(Table table, MutationBatch batch) {
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
  }

  static List<Cell> read(Table table, ReadPlan plan) {
    return read(table, plan, null);
  }

  static List<Cell> read(Table table, ReadPlan plan, @Nullable ResumeToken resume) {
    try (CellCursor cursor = table.read(plan, resume)) {
      return drain(cursor);
    }
  }

  static List<Cell> drain(CellCursor cursor) {
    List<Cell> cells = new ArrayList<>();
    CellBatch page = new CellBatch();
    while (cursor.next(page)) {
      assertThat(page.size()).as("cells of a page that was delivered").isPositive();
      addAll(page, cells);
    }
    assertThat(page.size()).as("cells of the page behind the last").isZero();
    return cells;
  }

  static void addAll(CellBatch page, List<Cell> cells) {
    for (int i = 0; i < page.size(); i++) {
      cells.add(page.cell(i));
    }
  }

  /** All cells of a table that has the three families. */
  static List<Cell> readAll(Table table) {
    return read(table, everything());
  }

  static ReadPlan everything() {
    return ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), allFamilies());
  }

  static List<FamilySelect> allFamilies() {
    return List.of(FamilySelect.all(LATEST), FamilySelect.all(ALL), FamilySelect.all(TWO));
  }

  static ReadPlan row(String row) {
    return ReadPlan.of(List.of(Slice.row(Bytes.EMPTY, text(row))), allFamilies());
  }

  static List<String> values(List<Cell> cells) {
    return cells.stream().map(cell -> cell.value().toUtf8()).toList();
  }
}
