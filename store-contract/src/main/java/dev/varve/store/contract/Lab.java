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

/** An open store under test, with common operations of the tests. */
final class Lab implements AutoCloseable {
  /** Families of {@link #spec}: newest cell only, all versions by time, two versions. */
  static final int LATEST = 0;

  static final int ALL = 1;
  static final int TWO = 2;

  /** The shortest possible partitions: the first byte of the row key. */
  static final Partitioning FIRST_BYTE = (bytes, offset, length) -> Math.min(1, length);

  /** Upper bound on thinning, for any store: {@code -Dvarve.contract.oneIn=1} runs everything. */
  private static final int ONE_IN = Integer.getInteger("varve.contract.oneIn", Integer.MAX_VALUE);

  /** In partitioned tables, one in this many plans of a combination is read. */
  private static final int PLANS_IN_PARTITIONS = 11;

  private final StoreFixture fixture;
  private final Path directory;
  private final Partitioning partitioning;
  private Store store;

  /**
   * Opens a store.
   *
   * @param partitioning partitioning of the tables that {@link #table} opens
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

  /** Returns the spec of the three-family table, with this test's partitioning. */
  TableSpec tableSpec(String name) {
    TableSpec whole = spec(name);
    return new TableSpec(name, whole.families(), whole.timeUnit(), partitioning);
  }

  /** Opens the three-family table. */
  Table table(String name) {
    return store.open(tableSpec(name), OpenMode.CREATE_IF_ABSENT);
  }

  /** Returns the partition prefix of a row. */
  Bytes partitionOf(Bytes row) {
    return row.slice(0, partitioning.prefixLength(row.toArray(), 0, row.length()));
  }

  /**
   * Returns slices for all rows whose keys start with these bytes, one partition after the other in
   * this order.
   */
  List<Slice> slices(List<Bytes> firstBytes) {
    return firstBytes.stream().map(this::partitionOf).distinct().map(Slice::partition).toList();
  }

  List<Slice> slices(String... firstBytes) {
    return slices(Stream.of(firstBytes).map(Lab::text).toList());
  }

  /** Returns a plan that reads all cells of those rows. */
  ReadPlan allOf(String... firstBytes) {
    return ReadPlan.of(slices(firstBytes), allFamilies());
  }

  /**
   * Scales a number of repetitions down for this store, but to no fewer than two.
   *
   * @param onEmbedded the number for an embedded store
   */
  int times(int onEmbedded) {
    return Math.max(2, onEmbedded / oneIn());
  }

  /**
   * Returns the thinning factor: the test takes this fraction of the steps it takes on an embedded
   * store.
   */
  int oneIn() {
    return Math.min(ONE_IN, fixture.oneIn());
  }

  /** Returns the thinning factor for the plans of a combination. */
  int plansOneIn() {
    return partitioning.equals(Partitioning.NONE) || oneIn() == 1 ? 1 : PLANS_IN_PARTITIONS;
  }

  Capabilities capabilities() {
    return store.capabilities(tableSpec("any"));
  }

  /**
   * Returns the {@code n}-th cell time that the store can keep; number 0 is the first that is >= 0.
   */
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
      assertThat(page.size()).as("cells of a delivered page").isPositive();
      addAll(page, cells);
    }
    assertThat(page.size()).as("cells of the page after the last").isZero();
    return cells;
  }

  static void addAll(CellBatch page, List<Cell> cells) {
    for (int i = 0; i < page.size(); i++) {
      cells.add(page.cell(i));
    }
  }

  /** Reads all cells of a table that has the three families. */
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
