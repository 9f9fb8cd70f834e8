package dev.varve.layout;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.ReadPlan;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A computation that may have to look into its tables, or claim a cell there, before it can go on.
 * It says so as a value; whoever runs it does what it asks and hands the answer to the function,
 * until it is done. Functions are pure.
 *
 * @param <T> what comes out
 */
public sealed interface Step<T> {
  record Done<T>(T value) implements Step<T> {}

  /**
   * Reads, whose answers are small enough to be held in memory.
   *
   * @param settled whether cells that are found will never change, so that whoever runs the step
   *     may remember the answer where each read found something
   * @param then takes one batch a read, in their order
   */
  record Look<T>(List<TableRead> reads, boolean settled, Function<List<CellBatch>, Step<T>> then)
      implements Step<T> {}

  /**
   * Puts a cell where the newest one of its column is as expected.
   *
   * @param cell the cell; its time is set by whoever runs the step
   * @param expected null where there must be none
   * @param then takes whether it was put
   */
  record Claim<T>(int table, Cell cell, @Nullable Bytes expected, Function<Boolean, Step<T>> then)
      implements Step<T> {}

  /** Adds to a counter of eight bytes, big-endian, and takes the sum. */
  record Count<T>(
      int table, Bytes row, int family, Bytes qualifier, long amount, LongFunction<Step<T>> then)
      implements Step<T> {}

  record TableRead(int table, ReadPlan plan) {}

  /** A cell and the table, by its place in {@link Layout#tables()}, that it belongs in. */
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
    };
  }

  default <R> Step<R> map(Function<T, R> function) {
    return then(value -> new Done<>(function.apply(value)));
  }
}
