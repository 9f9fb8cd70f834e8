package dev.varve.engine.periods;

import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for a foreign table that does not exist, such as one that only later versions of its
 * server create. It is empty and rejects all writes.
 */
public record AbsentTable(TableSpec spec) implements Table {
  @Override
  public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
    RowOutcome outcome =
        new RowOutcome(
            Status.REJECTED,
            "table '%s' does not exist; foreign tables are never created".formatted(spec.name()));
    List<RowOutcome> outcomes = new ArrayList<>();
    for (int first = 0; first < batch.size(); first = batch.mutationEnd(first)) {
      outcomes.add(outcome);
    }
    return outcomes;
  }

  @Override
  public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
    return new NoCells();
  }

  @Override
  public <P extends Power> Optional<P> power(Class<P> power) {
    return Optional.empty();
  }

  @Override
  public void close() {}

  private record NoCells() implements CellCursor {
    @Override
    public boolean next(CellBatch into) {
      into.clear();
      return false;
    }

    @Override
    public @Nullable ResumeToken token() {
      return null;
    }

    @Override
    public ReadCost cost() {
      return ReadCost.NOTHING;
    }

    @Override
    public void cancel() {}

    @Override
    public void close() {}
  }
}
