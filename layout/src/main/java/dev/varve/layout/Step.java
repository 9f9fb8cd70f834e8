package dev.varve.layout;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.ReadPlan;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A computation that may need to read tables or claim a cell before it can continue. It returns
 * such a request as a value; the runner executes it and passes the answer to the continuation,
 * until the step is done. Continuations are pure.
 *
 * @param <T> the type of the result
 */
public sealed interface Step<T> {
  record Done<T>(T value) implements Step<T> {}

  /**
   * Requests reads whose results are small enough to hold in memory.
   *
   * @param settled whether cells, once found, never change, so that the runner may cache the answer
   *     if every read found something
   * @param then receives one batch for each read, in order
   */
  record Look<T>(List<TableRead> reads, boolean settled, Function<List<CellBatch>, Step<T>> then)
      implements Step<T> {}

  /**
   * Requests to put a cell if the newest cell of its column has the expected value.
   *
   * @param cell the cell; the runner sets its time
   * @param expected null if there must be no cell
   * @param then receives whether the cell was put
   */
  record Claim<T>(int table, Cell cell, @Nullable Bytes expected, Function<Boolean, Step<T>> then)
      implements Step<T> {}

  /** Requests to add to a counter of eight bytes, big-endian; the continuation receives the sum. */
  record Count<T>(
      int table, Bytes row, int family, Bytes qualifier, long amount, LongFunction<Step<T>> then)
      implements Step<T> {}

  /** Requests to delete a column with all its versions, durably. */
  record Remove<T>(int table, Bytes row, int family, Bytes qualifier, Supplier<Step<T>> then)
      implements Step<T> {}

  record TableRead(int table, ReadPlan plan) {}

  /** A cell, and its table's index in {@link Layout#tables()}. */
  record TableCell(int table, Cell cell) {}

  static <T> Step<T> done(T value) {
    return new Done<>(value);
  }

  default <R> Step<R> then(Function<T, Step<R>> next) {
    return switch (this) {
      case Done<T>(T value) -> next.apply(value);
      case Look<T>(var reads, var settled, var then) ->
          new Look<>(reads, settled, answers -> then.apply(answers).then(next));
      case Claim<T>(var table, var cell, var expected, var then) ->
          new Claim<>(table, cell, expected, put -> then.apply(put).then(next));
      case Count<T>(var table, var row, var family, var qualifier, var amount, var then) ->
          new Count<>(table, row, family, qualifier, amount, sum -> then.apply(sum).then(next));
      case Remove<T>(var table, var row, var family, var qualifier, var then) ->
          new Remove<>(table, row, family, qualifier, () -> then.get().then(next));
    };
  }

  default <R> Step<R> map(Function<T, R> function) {
    return then(value -> new Done<>(function.apply(value)));
  }
}
