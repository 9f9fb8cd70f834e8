package dev.varve.store.rocksdb;

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
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An open table. Several may share one entry. */
final class RocksTable implements Table {
  private final RocksStore store;
  private final TableEntry entry;
  private final TableSpec spec;
  private final Admission admission;
  private final boolean readOnly;
  private volatile boolean closed;

  RocksTable(RocksStore store, TableEntry entry, TableSpec spec, boolean readOnly) {
    this.store = store;
    this.entry = entry;
    this.spec = spec;
    this.admission = new Admission(spec, store.capabilities(spec));
    this.readOnly = readOnly;
  }

  @Override
  public TableSpec spec() {
    return spec;
  }

  @Override
  public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
    ensureOpen();
    return readOnly
        ? ReadOnly.refuse(spec, batch)
        : new Application(store, entry, batch).run(admission, durability);
  }

  @Override
  public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
    ensureOpen();
    entry.ensureThere();
    return new RocksCursor(store, entry, plan, resume);
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
    store.gate().ensureOpen();
    if (closed) {
      throw new StoreException("table '%s' is closed".formatted(spec.name()));
    }
  }
}
