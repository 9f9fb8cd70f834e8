package dev.varve.store.hbase;

import dev.varve.store.Admission;
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
import dev.varve.store.adapter.RowOrder;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An open table. */
final class HBaseTable implements Table {
  private final HBaseStore store;
  private final TableEntry entry;
  private final Admission admission;
  private final boolean readOnly;
  private volatile boolean closed;

  HBaseTable(HBaseStore store, TableEntry entry, boolean readOnly) {
    this.store = store;
    this.entry = entry;
    this.admission = new Admission(entry.spec(), store.capabilities(entry.spec()));
    this.readOnly = readOnly;
  }

  @Override
  public TableSpec spec() {
    return entry.spec();
  }

  /**
   * Applies a batch. Every write is synced, because HBase has one log per server and no order among
   * them.
   */
  @Override
  public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
    ensureOpen();
    return readOnly
        ? ReadOnly.refuse(entry.spec(), batch)
        : RowOrder.apply(
            batch,
            store.capabilities(spec()).limits().editsPerRow(),
            admission::refusal,
            ordered -> new Application(store, entry, ordered).run(admission));
  }

  @Override
  public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
    ensureOpen();
    entry.ensureThere();
    return new HBaseCursor(store, entry, plan, resume);
  }

  @Override
  public <P extends Power> Optional<P> power(Class<P> power) {
    TablePowers powers = new TablePowers(store, entry, admission, this::ensureOpen);
    return !readOnly && power.isInstance(powers)
        ? Optional.of(power.cast(powers))
        : Optional.empty();
  }

  @Override
  public void close() {
    closed = true;
  }

  private void ensureOpen() {
    store.calls().ensureOpen();
    if (closed) {
      throw new StoreException("table '%s' is closed".formatted(entry.spec().name()));
    }
  }
}
