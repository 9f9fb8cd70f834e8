package dev.varve.engine;

import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A table that delegates to another one. */
class TableAround implements Table {
  private final Table table;

  TableAround(Table table) {
    this.table = table;
  }

  @Override
  public TableSpec spec() {
    return table.spec();
  }

  @Override
  public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
    return table.apply(batch, durability);
  }

  @Override
  public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
    return table.read(plan, resume);
  }

  @Override
  public <P extends Power> Optional<P> power(Class<P> power) {
    return table.power(power);
  }

  @Override
  public void close() {
    table.close();
  }
}
