package dev.varve.engine.periods;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.varve.layout.Step;
import dev.varve.layout.Step.TableRead;
import dev.varve.layout.Steps;
import dev.varve.store.CellBatch;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Runs the steps of a layout and remembers what they found where it will never change. Safe for use
 * by several threads.
 */
final class SettledSteps {
  private static final long REMEMBERED_BYTES_MAX = 16 << 20;
  private static final int OVERHEAD_BYTES = 200;

  private final Steps steps;
  private final Cache<List<TableRead>, List<CellBatch>> settled =
      Caffeine.newBuilder()
          .maximumWeight(REMEMBERED_BYTES_MAX)
          .<List<TableRead>, List<CellBatch>>weigher((reads, answers) -> bytes(answers))
          .build();

  SettledSteps(List<Table> tables, LongSupplier clock) {
    this.steps = new Steps(tables, clock);
  }

  /**
   * Runs a step to its end.
   *
   * @throws StoreException if a table fails
   */
  <T> T run(Step<T> step) {
    Step<T> next = step;
    while (true) {
      switch (next) {
        case Step.Done<T>(T value) -> {
          return value;
        }
        case Step.Look<T>(var reads, var isSettled, var then) ->
            next = then.apply(isSettled ? settled(reads) : look(reads));
        case Step.Claim<T>(var table, var cell, var expected, var then) ->
            next =
                then.apply(steps.run(new Step.Claim<Boolean>(table, cell, expected, Step::done)));
        case Step.Count<T>(var table, var row, var family, var qualifier, var amount, var then) ->
            next =
                then.apply(
                    steps.run(
                        new Step.Count<Long>(table, row, family, qualifier, amount, Step::done)));
      }
    }
  }

  void forget() {
    settled.invalidateAll();
  }

  private List<CellBatch> look(List<TableRead> reads) {
    return steps.run(new Step.Look<List<CellBatch>>(reads, false, Step::done));
  }

  private List<CellBatch> settled(List<TableRead> reads) {
    List<CellBatch> known = settled.getIfPresent(reads);
    if (known != null) {
      return known;
    }
    List<CellBatch> found = look(reads);
    if (found.stream().noneMatch(CellBatch::isEmpty)) {
      settled.put(reads, found);
    }
    return found;
  }

  private static int bytes(List<CellBatch> answers) {
    int bytes = OVERHEAD_BYTES;
    for (CellBatch answer : answers) {
      bytes += OVERHEAD_BYTES + answer.byteCount();
    }
    return bytes;
  }
}
