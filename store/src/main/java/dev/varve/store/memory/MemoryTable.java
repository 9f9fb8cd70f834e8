package dev.varve.store.memory;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.adapter.ReadOnly;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An open table of the memory store. Several may share the same cells. */
final class MemoryTable implements Table {
  private final MemoryStore store;
  private final TableSpec spec;
  private final MemoryCells cells;
  private final boolean readOnly;
  private volatile boolean closed;

  MemoryTable(MemoryStore store, TableSpec spec, MemoryCells cells, boolean readOnly) {
    this.store = store;
    this.spec = spec;
    this.cells = cells;
    this.readOnly = readOnly;
  }

  @Override
  public TableSpec spec() {
    return spec;
  }

  @Override
  public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
    ensureOpen();
    return readOnly ? ReadOnly.refuse(spec, batch) : cells.apply(batch);
  }

  @Override
  public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
    ensureOpen();
    return new MemoryCursor(store, cells.now(), plan, resume);
  }

  @Override
  public <P extends Power> Optional<P> power(Class<P> power) {
    Powers powers = new Powers();
    return !readOnly && power.isInstance(powers)
        ? Optional.of(power.cast(powers))
        : Optional.empty();
  }

  @Override
  public void close() {
    closed = true;
  }

  private void ensureOpen() {
    store.ensureOpen();
    if (closed) {
      throw new StoreException("table '%s' is closed".formatted(spec.name()));
    }
  }

  private final class Powers implements Power.ConditionalPut, Power.Increment, Power.RangeDelete {
    @Override
    public boolean putIf(Cell cell, @Nullable Bytes expected) {
      ensureOpen();
      return cells.putIf(cell, expected);
    }

    @Override
    public long add(Bytes row, int family, Bytes qualifier, long amount, long time) {
      ensureOpen();
      return cells.add(row, family, qualifier, amount, time);
    }

    @Override
    public void deleteRows(Bytes from, @Nullable Bytes to) {
      ensureOpen();
      cells.deleteRows(from, to);
    }
  }
}
