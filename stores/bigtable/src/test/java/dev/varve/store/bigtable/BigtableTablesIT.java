package dev.varve.store.bigtable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
import dev.varve.devstores.BigtableEmulator;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Collected;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import dev.varve.store.Upkeep;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests beyond the contract: times within a millisecond, foreign tables, races. */
class BigtableTablesIT {
  private static final long TIME = 1_700_000_000_123_456L;
  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes Q = Bytes.utf8("q");
  private static final TableSpec SPEC =
      new TableSpec(
          "t", List.of(FamilySpec.latest("points")), Resolution.MICROSECONDS, Partitioning.NONE);

  @TempDir private Path directory;
  private BigtableEmulator emulator;
  private Clients clients;
  private Store store;

  @BeforeEach
  void start() {
    emulator = BigtableEmulator.start(directory);
    clients = Clients.open(BigtableOptions.parse(emulator.options()));
    store = open(Map.of());
  }

  @AfterEach
  void stop() {
    store.close();
    clients.close();
    emulator.close();
  }

  private Store open(Map<String, String> more) {
    Map<String, String> options = new HashMap<>(emulator.options());
    options.putAll(more);
    return new BigtableStoreProvider().open(directory, 0, options);
  }

  private static void put(Table table, Bytes qualifier, long time, String value) {
    MutationBatch batch = new MutationBatch();
    batch.put(ROW, 0, qualifier, time, Bytes.utf8(value));
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
  }

  private static void delete(Table table, TimeRange times) {
    MutationBatch batch = new MutationBatch();
    batch.deleteColumn(ROW, 0, Q, times);
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
  }

  private static List<Cell> read(Table table, TimeRange times) {
    List<Cell> cells = new ArrayList<>();
    CellBatch page = new CellBatch();
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.partition(Bytes.EMPTY)),
            List.of(new FamilySelect(0, List.of(), times, 1)));
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          cells.add(page.cell(i));
        }
      }
    }
    return cells;
  }

  private static Cell cell(long time, String value) {
    return new Cell(ROW, 0, Q, time, Bytes.utf8(value));
  }

  @Test
  void timesWithinAMillisecondComeBack() {
    Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
    put(table, Q, TIME, "first");
    put(table, Q, TIME + 1, "second");
    assertThat(read(table, TimeRange.ALL)).containsExactly(cell(TIME + 1, "second"));
    assertThat(read(table, new TimeRange(TIME + 1, TIME + 2))).hasSize(1);
    assertThat(read(table, new TimeRange(TIME, TIME + 1))).isEmpty();
    assertThat(read(table, new TimeRange(TIME + 2, Long.MAX_VALUE))).isEmpty();
  }

  @Test
  void timesWithinAMillisecondAreDeletedByTheMicrosecond() {
    Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
    put(table, Q, TIME - 5_000, "older");
    put(table, Q, TIME, "newest");
    delete(table, new TimeRange(TIME + 1, TIME + 9));
    delete(table, new TimeRange(0, TIME));
    delete(table, new TimeRange(TIME - 5_000, TIME - 4_999));
    assertThat(read(table, TimeRange.ALL)).containsExactly(cell(TIME, "newest"));
    delete(table, new TimeRange(TIME, TIME + 1));
    assertThat(read(table, TimeRange.ALL)).isEmpty();
  }

  @Test
  void powersKeepTimesWithinAMillisecond() {
    Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
    Power.ConditionalPut puts = table.power(Power.ConditionalPut.class).orElseThrow();
    assertThat(puts.putIf(cell(TIME, "a"), null)).isTrue();
    assertThat(puts.putIf(cell(TIME, "b"), null)).isFalse();
    assertThat(puts.putIf(cell(TIME + 1, "b"), Bytes.utf8("x"))).isFalse();
    assertThat(puts.putIf(cell(TIME - 9_999, "b"), Bytes.utf8("a"))).isTrue();
    assertThat(read(table, TimeRange.ALL)).containsExactly(cell(TIME, "b"));
    Power.Increment adds = table.power(Power.Increment.class).orElseThrow();
    assertThat(adds.add(ROW, 0, Bytes.utf8("sum"), 5, TIME)).isEqualTo(5);
    assertThat(adds.add(ROW, 0, Bytes.utf8("sum"), 2, TIME + 1)).isEqualTo(7);
    assertThat(read(table, TimeRange.ALL).getLast().time()).isEqualTo(TIME + 1);
  }

  @Test
  void theHigherTimeIsSeenWhicheverPutArrivesLast() {
    Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
    put(table, Q, TIME + 1_000, "later");
    put(table, Q, TIME, "earlier, tried again");
    assertThat(read(table, TimeRange.ALL)).containsExactly(cell(TIME + 1_000, "later"));
    assertThat(store.capabilities(SPEC).clockStepMicros(SPEC)).isEqualTo(1_000);
  }

  @Test
  void aConditionalPutIsHeldAgainstTheTimeOfWhatItReplaces() {
    TableSpec versions =
        new TableSpec(
            "v",
            List.of(new FamilySpec("f", TimeUse.DATA, FamilySpec.ALL_VERSIONS)),
            Resolution.MILLISECONDS,
            Partitioning.NONE);
    Table table = store.open(versions, OpenMode.CREATE_IF_ABSENT);
    Power.ConditionalPut puts = table.power(Power.ConditionalPut.class).orElseThrow();
    put(table, Q, 2000, "a");
    assertThat(puts.putIf(cell(1000, "b"), Bytes.utf8("a"))).isTrue();
    put(table, Q, 3000, "b");
    assertThat(puts.putIf(cell(1000, "c"), Bytes.utf8("b"))).isTrue();
    assertThat(read(table, TimeRange.ALL)).containsExactly(cell(3000, "c"));
  }

  @Test
  void aReadGoesOnForLongerThanTheTimeout() throws InterruptedException {
    try (Store impatient = open(Map.of("timeout", "500ms", "attempt-timeout", "400ms"))) {
      Table table = impatient.open(SPEC, OpenMode.CREATE_IF_ABSENT);
      Bytes value = Bytes.of(new byte[4_000]);
      int rows = 4_000;
      MutationBatch batch = new MutationBatch();
      for (int row = 0; row < rows; row++) {
        batch.put(Bytes.utf8("row%06d".formatted(row)), 0, Q, TIME, value);
        if (batch.size() == 100) {
          assertThat(store.open(SPEC, OpenMode.READ_WRITE).apply(batch, Durability.SYNCED))
              .isEmpty();
          batch.clear();
        }
      }
      CellBatch page = new CellBatch();
      ReadPlan plan =
          ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
      Double failedBefore = impatient.figures().get("requests_failed_total");
      int found = 0;
      int pages = 0;
      try (CellCursor cursor = table.read(plan, null)) {
        while (cursor.next(page)) {
          found += page.size();
          if (pages++ < 2) {
            Thread.sleep(700);
          }
        }
      }
      assertThat(found).isEqualTo(rows);
      assertThat(impatient.figures().get("requests_failed_total")).isEqualTo(failedBefore);
    }
  }

  @Test
  void timesBefore1970AreRejected() {
    Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
    MutationBatch batch = new MutationBatch();
    batch.put(ROW, 0, Q, -1, Q);
    assertThat(table.apply(batch, Durability.SYNCED))
        .extracting(RowOutcome::status)
        .containsExactly(Status.REJECTED);
  }

  @Test
  void aTableOfAnotherProgramIsReadAndWrittenAsItStands() {
    TableSpec foreign = SPEC.attached("metrics");
    assertThatThrownBy(() -> store.open(foreign, OpenMode.CREATE_IF_ABSENT))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("has no table 'metrics'");
    clients
        .admin()
        .createTable(CreateTableRequest.of("metrics").addFamily("points").addFamily("events"));
    RowMutation theirs =
        RowMutation.create(TableId.of("metrics"), "row")
            .setCell("points", bytes("q"), 1_700_000_000_123_000L, bytes("theirs"));
    clients.data().mutateRow(theirs);
    Table table = store.open(foreign, OpenMode.READ_ONLY);
    assertThat(read(table, TimeRange.ALL)).containsExactly(cell(1_700_000_000_123_000L, "theirs"));
    assertThat(store.tables()).isEmpty();
    assertThat(clients.admin().listTables()).as("nothing is made").containsExactly("metrics");
    Table written = store.open(foreign, OpenMode.READ_WRITE);
    put(written, Q, TIME + 5_000, "ours");
    Row row = clients.data().readRow(TableId.of("metrics"), "row");
    assertThat(row.getCells("points").getFirst().getValue()).isEqualTo(bytes("ours"));
    assertThat(row.getCells("points").getFirst().getTimestamp()).isEqualTo(1_700_000_000_128_000L);
    assertThat(read(table, TimeRange.ALL)).containsExactly(cell(1_700_000_000_128_000L, "ours"));
    TableSpec absent =
        new TableSpec(
                "t", List.of(FamilySpec.latest("absent")), Resolution.SECONDS, Partitioning.NONE)
            .attached("metrics");
    assertThatThrownBy(() -> store.open(absent, OpenMode.READ_ONLY))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("has no family 'absent', only [events, points]");
    store.drop("metrics");
    assertThat(clients.admin().listTables()).containsExactly("metrics");
  }

  @Test
  void aFamilyThatATableOfAnotherProgramLacksIsEmpty() {
    clients.admin().createTable(CreateTableRequest.of("metrics").addFamily("points"));
    TableSpec foreign =
        new TableSpec(
                "t",
                List.of(FamilySpec.latest("points"), FamilySpec.latest("later")),
                Resolution.MILLISECONDS,
                Partitioning.NONE)
            .attached("metrics");
    Table table = store.open(foreign, OpenMode.READ_WRITE);
    put(table, Q, 5, "x");
    List<FamilySelect> both = List.of(FamilySelect.latest(0), FamilySelect.latest(1));
    ReadPlan plan = ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), both);
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      assertThat(cursor.next(page)).isTrue();
      assertThat(page.size()).isEqualTo(1);
      assertThat(cursor.next(page)).isFalse();
    }
    MutationBatch batch = new MutationBatch();
    batch.put(ROW, 1, Q, 5, Q);
    assertThat(table.apply(batch, Durability.SYNCED))
        .singleElement()
        .satisfies(outcome -> {
          assertThat(outcome.status()).isEqualTo(Status.REJECTED);
          assertThat(outcome.reason()).contains("was created without family 'later'");
        });
  }

  @Test
  void valuesThatNobodyWantsStayInBigtable() {
    clients.admin().createTable(CreateTableRequest.of("metrics").addFamily("points"));
    Table table = store.open(SPEC.attached("metrics"), OpenMode.READ_WRITE);
    put(table, Q, TIME, "a value of some length");
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan.withoutValues(), null)) {
      assertThat(cursor.next(page)).isTrue();
      assertThat(page.value(0)).isEqualTo(Bytes.EMPTY);
      assertThat(cursor.cost().bytesRead()).as("row and qualifier").isEqualTo(4);
    }
  }

  private static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  @Test
  void namesThatBigtableDoesNotTakeAreRefused() {
    TableSpec named =
        new TableSpec(
            "t", List.of(FamilySpec.latest("a:b")), Resolution.SECONDS, Partitioning.NONE);
    assertThat(store.check(named, Set.of())).singleElement().asString().contains("family 'a:b'");
    assertThat(store.check(SPEC.attached("t".repeat(51)), Set.of()))
        .singleElement()
        .asString()
        .contains("at most 50 characters");
    assertThat(store.check(SPEC.named(".varve"), Set.of()))
        .singleElement()
        .asString()
        .contains("the bigtable store's catalog");
    TableSpec versions =
        new TableSpec(
            "t",
            List.of(new FamilySpec("f", TimeUse.CLOCK, 2)),
            Resolution.NANOSECONDS,
            Partitioning.NONE);
    assertThat(store.check(versions, Set.of()))
        .singleElement()
        .asString()
        .contains("keeps versions by a clock of ns");
  }

  @Test
  void versionsOfAClockAreToldApartByTheMicrosecond() {
    TableSpec versions =
        new TableSpec(
            "a-name-that-is-longer-than-bigtable-takes-by-far-and-ends-in-1",
            List.of(new FamilySpec("f", TimeUse.CLOCK, 2)),
            Resolution.MICROSECONDS,
            Partitioning.NONE);
    Table table = store.open(versions, OpenMode.CREATE_IF_ABSENT);
    put(table, Q, TIME + 1, "second");
    put(table, Q, TIME, "first");
    put(table, Q, TIME + 2, "third");
    Table other =
        store.open(versions.named(versions.name().replace('1', '2')), OpenMode.CREATE_IF_ABSENT);
    put(other, Q, TIME, "other");

    assertThat(read(table, TimeRange.ALL)).containsExactly(cell(TIME + 2, "third"));
    assertThat(read(table, new TimeRange(TIME + 1, TIME + 2)))
        .containsExactly(cell(TIME + 1, "second"));
    assertThat(read(other, TimeRange.ALL)).containsExactly(cell(TIME, "other"));
    assertThat(store.tables()).contains(versions.name());
  }

  @Test
  void deletedCellsAreGoneAfterTheWeekThatGoogleStates() {
    Instant deleted = Instant.now();
    Collected collected = store.collected(SPEC, deleted);
    assertThat(collected.gone()).isFalse();
    assertThat(collected.from()).isEqualTo(deleted.plus(Duration.ofDays(7)));
    assertThat(collected.certain()).isTrue();
    assertThat(collected.text()).contains("gcloud bigtable backups list");
    assertThat(store.collected(SPEC, deleted.minus(Duration.ofDays(7)))).isEqualTo(Collected.GONE);
  }

  private long keptFor(String table) {
    FamilySpec family = SPEC.families().getFirst();
    return Objects.requireNonNull(
        Creation.age(
            family,
            clients.admin().getTable(table).getColumnFamilies().getFirst().getGCRule().toProto()));
  }

  private static TableSpec keeping(int days) {
    return SPEC.with(new Upkeep(Duration.ofDays(days), null, List.of()));
  }

  @Test
  void aLongerRetentionIsPassedOnAndAShorterOneDeletesNothing() {
    long day = 86_400;
    store.open(keeping(10), OpenMode.CREATE_IF_ABSENT);
    assertThat(keptFor("varve-t")).isEqualTo(11 * day);
    store.open(keeping(20), OpenMode.READ_ONLY);
    assertThat(keptFor("varve-t")).isEqualTo(11 * day);
    store.open(keeping(20), OpenMode.READ_WRITE);
    assertThat(keptFor("varve-t")).isEqualTo(21 * day);
    store.open(keeping(5), OpenMode.CREATE_IF_ABSENT);
    assertThat(keptFor("varve-t")).isEqualTo(21 * day);
    store.open(SPEC, OpenMode.READ_WRITE);
    assertThat(keptFor("varve-t")).isEqualTo(Creation.FOREVER);
  }

  @Test
  void aDropThatWasCutOffIsEnded() {
    put(store.open(SPEC, OpenMode.CREATE_IF_ABSENT), Q, TIME, "old");
    clients
        .data()
        .mutateRow(
            RowMutation.create(TableId.of("varve-.varve"), "t")
                .setCell("t", bytes("dropping"), 0, ByteString.EMPTY));
    assertThat(store.tables()).isEmpty();
    assertThatThrownBy(() -> store.open(SPEC, OpenMode.READ_WRITE))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("has no table 't'");
    assertThat(read(store.open(SPEC, OpenMode.CREATE_IF_ABSENT), TimeRange.ALL)).isEmpty();
  }

  @Test
  void aDropThatWasTakenOverDropsNothingMadeSince() {
    put(store.open(SPEC, OpenMode.CREATE_IF_ABSENT), Q, TIME, "old");
    BigtableOptions options = BigtableOptions.parse(emulator.options());
    TableCatalog first = new TableCatalog(clients, options, Duration.ofMinutes(5));
    TableCatalog second = new TableCatalog(clients, options, Duration.ofMillis(300));
    ByteString claim = Objects.requireNonNull(first.claimDrop("t"));
    assertThat(second.claimDrop("t")).isNull();
    assertThat(SPEC.differenceFrom(second.create(SPEC))).isNull();
    put(store.open(SPEC, OpenMode.READ_WRITE), Q, TIME, "new");
    first.finishDrop("t", claim);
    assertThat(read(store.open(SPEC, OpenMode.READ_WRITE), TimeRange.ALL))
        .containsExactly(cell(TIME, "new"));
    store.drop("t");
    assertThat(store.tables()).isEmpty();
    assertThat(clients.admin().listTables()).containsExactly("varve-.varve");
    store.drop("t");
  }

  @Test
  void withoutTransactionsNoPowersAreThere() {
    try (Store plain = open(Map.of("transactions", "false"))) {
      Table table = plain.open(SPEC, OpenMode.CREATE_IF_ABSENT);
      assertThat(table.power(Power.ConditionalPut.class)).isEmpty();
      assertThat(plain.check(SPEC, Set.of(Power.Increment.class)))
          .containsExactly(
              "table 't' needs Increment, which the bigtable store does not support while option transactions is false");
      put(table, Q, TIME, "a");
      put(table, Bytes.utf8("r"), TIME, "b");
      MutationBatch batch = new MutationBatch();
      batch.deleteQualifiers(ROW, 0, Bytes.EMPTY, Bytes.utf8("r"));
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
      assertThat(read(table, TimeRange.ALL))
          .extracting(Cell::qualifier)
          .containsExactly(Bytes.utf8("r"));
    }
  }

  @Test
  void aRangeOfQualifiersIsDeletedWholeBesideAWriter() throws Exception {
    Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
    AtomicBoolean done = new AtomicBoolean();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> writer =
          threads.submit(() -> {
            for (int i = 0; !done.get(); i++) {
              MutationBatch batch = new MutationBatch();
              for (int column = 0; column < 4; column++) {
                batch.put(ROW, 0, Bytes.utf8("q" + column), TIME + i, Bytes.utf8("v" + i));
              }
              assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
            }
          });
      int empty = 0;
      for (int i = 0; i < 150; i++) {
        MutationBatch batch = new MutationBatch();
        batch.deleteQualifiers(ROW, 0, Q, Bytes.utf8("r"));
        assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
        List<Cell> cells = read(table, TimeRange.ALL);
        empty += cells.isEmpty() ? 1 : 0;
        assertThat(cells.size()).as("%s", cells).isIn(0, 4);
        assertThat(cells.stream().map(Cell::value).distinct().count()).isLessThanOrEqualTo(1);
      }
      done.set(true);
      writer.get();
      assertThat(empty).as("reads between a delete and a put").isPositive();
    }
  }
}
