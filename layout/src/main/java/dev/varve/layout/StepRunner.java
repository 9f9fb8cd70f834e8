package dev.varve.layout;

import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Executes steps against the open tables of a layout, one request after the other, without caching.
 * Blocks as its tables do, and is thread-safe if they and the clock are.
 */
public final class StepRunner {
  /** Observes the reads of steps, and may abort them by throwing. */
  public interface Onlooker {
    /** Observes nothing. */
    Onlooker NONE =
        new Onlooker() {
          @Override
          public void begun(Runnable cancel) {}

          @Override
          public void read(long bytes) {}

          @Override
          public void ended(Runnable cancel) {}
        };

    /** Called when a read starts; running {@code cancel} on any thread ends it. */
    void begun(Runnable cancel);

    /** Called when a page of that many bytes was received and is being held. */
    void read(long bytes);

    /** Called when a read has ended. */
    void ended(Runnable cancel);
  }

  private final List<Table> tables;
  private final LongSupplier clock;

  /**
   * Creates a runner.
   *
   * @param tables in the order of {@link Layout#tables()}
   * @param clock returns strictly ascending stamps, in microseconds since 1970. They become the
   *     times of claimed or counted cells, in the unit of their table
   */
  public StepRunner(List<? extends Table> tables, LongSupplier clock) {
    this.tables = List.copyOf(tables);
    this.clock = clock;
  }

  /**
   * Runs a step to its end.
   *
   * @throws StoreException if a table fails or lacks a power that the step needs
   */
  public <T> T run(Step<T> step) {
    return run(step, Onlooker.NONE);
  }

  /** Runs a step with an observer, whose exceptions propagate. */
  public <T> T run(Step<T> step, Onlooker onlooker) {
    Step<T> next = step;
    while (true) {
      switch (next) {
        case Step.Done<T>(T value) -> {
          return value;
        }
        case Step.Look<T>(var reads, var settled, var then) ->
            next = then.apply(look(reads, onlooker));
        case Step.Claim<T> claim -> next = claim.then().apply(claim(claim));
        case Step.Count<T> count -> next = count.then().apply(count(count));
        case Step.Remove<T> remove -> {
          remove(remove);
          next = remove.then().get();
        }
      }
    }
  }

  /**
   * Answers a {@link Step.Look}: reads one batch for each read, in order.
   *
   * @throws StoreException if a table fails
   */
  public List<CellBatch> look(List<Step.TableRead> reads, Onlooker onlooker) {
    List<CellBatch> answers = new ArrayList<>(reads.size());
    for (Step.TableRead read : reads) {
      answers.add(readAll(tables.get(read.table()), read.plan(), onlooker));
    }
    return answers;
  }

  private static CellBatch readAll(Table table, ReadPlan plan, Onlooker onlooker) {
    CellBatch all = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      Runnable cancel = cursor::cancel;
      onlooker.begun(cancel);
      try {
        CellBatch page = new CellBatch();
        while (cursor.next(page)) {
          onlooker.read(page.byteCount());
          for (int i = 0; i < page.size(); i++) {
            all.addFrom(page, i);
          }
        }
      } finally {
        onlooker.ended(cancel);
      }
    }
    return all;
  }

  /**
   * Puts a cell if its column is as expected.
   *
   * @return whether the cell was put
   * @throws StoreException if the table fails, or does not support conditional puts
   */
  public boolean claim(Step.Claim<?> claim) {
    Table table = tables.get(claim.table());
    Cell cell = claim.cell();
    Cell timed = new Cell(cell.row(), cell.family(), cell.qualifier(), now(table), cell.value());
    return power(table, Power.ConditionalPut.class).putIf(timed, claim.expected());
  }

  /**
   * Adds to a counter.
   *
   * @return the sum
   * @throws StoreException if the table fails, or does not support increments
   */
  public long count(Step.Count<?> count) {
    Table table = tables.get(count.table());
    return power(table, Power.Increment.class)
        .add(count.row(), count.family(), count.qualifier(), count.amount(), now(table));
  }

  /**
   * Deletes a column, durably.
   *
   * @throws StoreException if the table fails or refuses the delete
   */
  public void remove(Step.Remove<?> remove) {
    Table table = tables.get(remove.table());
    MutationBatch edits = new MutationBatch();
    edits.deleteColumn(remove.row(), remove.family(), remove.qualifier(), TimeRange.ALL);
    for (RowOutcome outcome : table.apply(edits, Durability.SYNCED)) {
      if (!outcome.applied()) {
        throw new StoreException(
            "table '%s' cannot be written: %s".formatted(table.spec().name(), outcome.reason()));
      }
    }
  }

  private long now(Table table) {
    return Resolution.MICROSECONDS.convert(clock.getAsLong(), table.spec().timeUnit());
  }

  private static <P extends Power> P power(Table table, Class<P> power) {
    return table
        .power(power)
        .orElseThrow(() ->
            new StoreException(
                "table '%s' does not support %s, which its layout needs"
                    .formatted(table.spec().name(), power.getSimpleName())));
  }
}
