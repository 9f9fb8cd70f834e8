package dev.varve.engine.periods;

import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Simulates steps without writing: claims succeed, and counters continue from their stored values.
 * Used once, by one thread.
 */
final class RehearsedSteps {
  private record Column(int table, Bytes row, int family, Bytes qualifier) {}

  private final SettledSteps steps;
  private final PlacedLayout layout;
  private final Map<Column, Long> sums = new HashMap<>();

  RehearsedSteps(SettledSteps steps, PlacedLayout layout) {
    this.steps = steps;
    this.layout = layout;
  }

  <T> T run(Step<T> step) {
    Step<T> next = step;
    while (true) {
      switch (next) {
        case Step.Done<T>(T value) -> {
          return value;
        }
        case Step.Look<T>(var reads, var settled, var then) ->
            next =
                then.apply(steps.run(new Step.Look<List<CellBatch>>(reads, settled, Step::done)));
        case Step.Claim<T> claim -> next = claim.then().apply(true);
        case Step.Remove<T> remove -> next = remove.then().get();
        case Step.Count<T>(var table, var row, var family, var qualifier, var amount, var then) -> {
          Column column = new Column(table, row, family, qualifier);
          long sum = sums.computeIfAbsent(column, this::stored) + amount;
          sums.put(column, sum);
          next = then.apply(sum);
        }
      }
    }
  }

  private long stored(Column column) {
    int prefix =
        layout
            .table(column.table())
            .spec()
            .partitioning()
            .prefixLength(column.row().toArray(), 0, column.row().length());
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.row(column.row().slice(0, prefix), column.row())),
            List.of(
                new FamilySelect(
                    column.family(),
                    List.of(QualifierRange.exactly(column.qualifier())),
                    TimeRange.ALL,
                    1)));
    List<Step.TableRead> reads = List.of(new Step.TableRead(column.table(), plan));
    CellBatch found =
        steps.run(new Step.Look<List<CellBatch>>(reads, false, Step::done)).getFirst();
    if (found.isEmpty()) {
      return 0;
    }
    if (found.valueLength(0) != 8) {
      throw new StoreException(
          "the counter in row %s is %d bytes long, not 8"
              .formatted(column.row(), found.valueLength(0)));
    }
    return ByteBuffer.wrap(found.value(0).toArray()).getLong();
  }
}
