package dev.varve.engine;

import dev.varve.model.Bytes;
import dev.varve.store.Capabilities;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.SyncedTo;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A store that simulates power loss: unsynced writes are lost from some point on, as {@link
 * Durability} specifies. It can also fail individual writes in every way that a store may.
 */
final class PowerLossStore implements Store {
  /** The outcome of a write. */
  enum Fate {
    WELL,
    NOT_APPLIED,
    UNKNOWN_BUT_APPLIED,
    UNKNOWN_AND_LOST,
    /** This and all later calls fail, as if the process were about to end. */
    POWER_LOSS
  }

  private record Logged(TableSpec spec, MutationBatch batch) {}

  private final MemoryStore live = new MemoryStore();
  private final Map<String, TableSpec> specs = new HashMap<>();
  private final List<Logged> log = new ArrayList<>();
  private int synced;
  private int writes;
  private boolean lost;
  private Fates fates = (write, table) -> Fate.WELL;

  interface Fates {
    /**
     * Decides the outcome of a write.
     *
     * @param write the number of the write, starting at 0
     */
    Fate of(int write, String table);
  }

  synchronized PowerLossStore fates(Fates ofWrite) {
    fates = ofWrite;
    return this;
  }

  /** Returns another handle of a table that was opened before. */
  synchronized Table openAgain(String table) {
    return live.open(Objects.requireNonNull(specs.get(table)), OpenMode.READ_WRITE);
  }

  /** Lets all later calls fail. */
  synchronized void lose() {
    lost = true;
  }

  synchronized boolean isLost() {
    return lost;
  }

  synchronized int writes() {
    return writes;
  }

  /** Returns whether a power loss may lose writes. */
  synchronized boolean hasUnsynced() {
    return synced < log.size();
  }

  /** Returns the state that a new process finds: all synced writes and some of the later ones. */
  synchronized PowerLossStore afterPowerLoss(Random random) {
    PowerLossStore found = new PowerLossStore();
    specs.values().forEach(spec -> found.open(spec, OpenMode.CREATE_IF_ABSENT));
    int end = synced + random.nextInt(log.size() - synced + 1);
    for (Logged logged : log.subList(0, end)) {
      found.log.add(logged);
      try (Table table = found.live.open(logged.spec(), OpenMode.READ_WRITE)) {
        if (!table.apply(logged.batch(), Durability.SYNCED).isEmpty()) {
          throw new AssertionError("what was applied once is applied again");
        }
      }
    }
    found.synced = end;
    return found;
  }

  private synchronized List<RowOutcome> apply(
      Table table, MutationBatch batch, Durability durability) {
    ensureThere();
    Fate fate = fates.of(writes++, table.spec().name());
    return switch (fate) {
      case WELL -> applied(table, batch, durability);
      case NOT_APPLIED -> all(batch, new RowOutcome(Status.NOT_APPLIED, "busy"));
      case UNKNOWN_BUT_APPLIED -> {
        applied(table, batch, Durability.ORDERED);
        yield all(batch, new RowOutcome(Status.UNKNOWN, "no answer"));
      }
      case UNKNOWN_AND_LOST -> all(batch, new RowOutcome(Status.UNKNOWN, "no answer"));
      case POWER_LOSS -> {
        lost = true;
        ensureThere();
        yield List.of();
      }
    };
  }

  private List<RowOutcome> applied(Table table, MutationBatch batch, Durability durability) {
    MutationBatch copy = new MutationBatch();
    for (int edit = 0; edit < batch.size(); edit++) {
      copy.addFrom(batch, edit);
    }
    log.add(new Logged(table.spec(), copy));
    if (durability == Durability.SYNCED) {
      synced = log.size();
    }
    return table.apply(batch, durability);
  }

  private static List<RowOutcome> all(MutationBatch batch, RowOutcome outcome) {
    List<RowOutcome> outcomes = new ArrayList<>();
    for (int first = 0; first < batch.size(); first = batch.mutationEnd(first)) {
      outcomes.add(outcome);
    }
    return outcomes;
  }

  private synchronized void ensureThere() {
    if (lost) {
      throw new StoreException("the power is gone", null, true);
    }
  }

  @Override
  public String kind() {
    return "memory";
  }

  @Override
  public boolean isEmbedded() {
    return live.isEmbedded();
  }

  @Override
  public SyncedTo syncedTo() {
    return live.syncedTo();
  }

  @Override
  public Capabilities capabilities(TableSpec spec) {
    return live.capabilities(spec);
  }

  @Override
  public List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
    return live.check(spec, needs);
  }

  @Override
  public synchronized Table open(TableSpec spec, OpenMode mode) {
    ensureThere();
    specs.put(spec.name(), spec);
    return new LoggedTable(live.open(spec, mode));
  }

  @Override
  public List<String> tables() {
    return live.tables();
  }

  @Override
  public void drop(String table) {
    throw new UnsupportedOperationException("no test drops a table");
  }

  @Override
  public Map<String, Double> figures() {
    return live.figures();
  }

  @Override
  public void close() {}

  private final class LoggedTable
      implements Table, Power.ConditionalPut, Power.Increment, Power.RangeDelete {
    private final Table table;

    private LoggedTable(Table table) {
      this.table = table;
    }

    @Override
    public TableSpec spec() {
      return table.spec();
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
      return PowerLossStore.this.apply(table, batch, durability);
    }

    @Override
    public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
      ensureThere();
      return table.read(plan, resume);
    }

    @Override
    public <P extends Power> Optional<P> power(Class<P> power) {
      return power.isInstance(this) ? Optional.of(power.cast(this)) : Optional.empty();
    }

    @Override
    public boolean putIf(Cell cell, @Nullable Bytes expected) {
      synchronized (PowerLossStore.this) {
        ensureThere();
        boolean put = table.power(Power.ConditionalPut.class).orElseThrow().putIf(cell, expected);
        if (put) {
          logCell(cell);
        }
        return put;
      }
    }

    @Override
    public long add(Bytes row, int family, Bytes qualifier, long amount, long time) {
      synchronized (PowerLossStore.this) {
        ensureThere();
        long sum =
            table
                .power(Power.Increment.class)
                .orElseThrow()
                .add(row, family, qualifier, amount, time);
        byte[] bytes = ByteBuffer.allocate(8).putLong(sum).array();
        logCell(new Cell(row, family, qualifier, time, Bytes.of(bytes)));
        return sum;
      }
    }

    @Override
    public void deleteRows(Bytes from, @Nullable Bytes to) {
      synchronized (PowerLossStore.this) {
        ensureThere();
        List<FamilySelect> families = new ArrayList<>();
        for (int family = 0; family < table.spec().families().size(); family++) {
          families.add(FamilySelect.all(family));
        }
        MutationBatch deletes = new MutationBatch();
        CellBatch page = new CellBatch();
        Slice rows = Slice.rows(Bytes.EMPTY, from, to);
        try (CellCursor cursor = table.read(ReadPlan.of(List.of(rows), families), null)) {
          while (cursor.next(page)) {
            for (int cell = 0; cell < page.size(); cell++) {
              deletes.deleteRow(page.row(cell));
            }
          }
        }
        if (!deletes.isEmpty()) {
          applied(table, deletes, Durability.ORDERED);
        }
      }
    }

    private void logCell(Cell cell) {
      MutationBatch batch = new MutationBatch();
      batch.put(cell.row(), cell.family(), cell.qualifier(), cell.time(), cell.value());
      log.add(new Logged(table.spec(), batch));
      synced = log.size();
    }

    @Override
    public void close() {
      table.close();
    }
  }
}
