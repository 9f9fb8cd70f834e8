package dev.varve.engine;

import dev.varve.store.Capabilities;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.Store;
import dev.varve.store.SyncedTo;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A store that decorates all cursors except those of the home. */
record WatchedStore(Store store, UnaryOperator<CellCursor> cursors) implements Store {
  @Override
  public String kind() {
    return store.kind();
  }

  @Override
  public boolean isEmbedded() {
    return store.isEmbedded();
  }

  @Override
  public SyncedTo syncedTo() {
    return store.syncedTo();
  }

  @Override
  public Capabilities capabilities(TableSpec spec) {
    return store.capabilities(spec);
  }

  @Override
  public List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
    return store.check(spec, needs);
  }

  @Override
  public Table open(TableSpec spec, OpenMode mode) {
    Table table = store.open(spec, mode);
    return spec.name().startsWith(".") ? table : new WatchedTable(table, cursors);
  }

  @Override
  public List<String> tables() {
    return store.tables();
  }

  @Override
  public void drop(String table) {
    store.drop(table);
  }

  @Override
  public Map<String, Double> figures() {
    return store.figures();
  }

  @Override
  public void close() {
    store.close();
  }

  private record WatchedTable(Table table, UnaryOperator<CellCursor> cursors) implements Table {
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
      return cursors.apply(table.read(plan, resume));
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
}
