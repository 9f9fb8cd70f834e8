package dev.varve.layout;

import dev.varve.model.Resolution;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Runs steps against the open tables of a layout, one request after the other, and remembers
 * nothing. Blocks as its tables do, and is as safe for use by several threads as they are and the
 * clock is.
 */
public final class Steps {
  /** Looks on while steps read, and may end that by throwing. */
  public interface Onlooker {
    /** Lets everything go on. */
    Onlooker NONE =
        new Onlooker() {
          @Override
          public void begun(Runnable cancel) {}

          @Override
          public void read(long bytes) {}

          @Override
          public void ended(Runnable cancel) {}
        };

    /** A read begins, which can be ended so by another thread. */
    void begun(Runnable cancel);

    /** A page of so many bytes has come, and is held. */
    void read(long bytes);

    /** A read that had begun is over. */
    void ended(Runnable cancel);
  }

  private final List<Table> tables;
  private final LongSupplier clock;

  /**
   * @param tables in the order of {@link Layout#tables()}
   * @param clock stamps, microseconds since 1970, each later than the one before; the time of cells
   *     that are claimed or counted, in the unit of their table
   */
  public Steps(List<? extends Table> tables, LongSupplier clock) {
    this.tables = List.copyOf(tables);
    this.clock = clock;
  }

  /**
   * Runs a step to its end.
   *
   * @throws StoreException if a table fails, or lacks a power that the step asks for
   */
  public <T> T run(Step<T> step) {
    return run(step, Onlooker.NONE);
  }

  /** The same while somebody looks on, whose exceptions come out. */
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
      }
    }
  }

  private List<CellBatch> look(List<Step.TableRead> reads, Onlooker onlooker) {
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

  private boolean claim(Step.Claim<?> claim) {
    Table table = tables.get(claim.table());
    Cell cell = claim.cell();
    Cell timed = new Cell(cell.row(), cell.family(), cell.qualifier(), now(table), cell.value());
    return power(table, Power.ConditionalPut.class).putIf(timed, claim.expected());
  }

  private long count(Step.Count<?> count) {
    Table table = tables.get(count.table());
    return power(table, Power.Increment.class)
        .add(count.row(), count.family(), count.qualifier(), count.amount(), now(table));
  }

  private long now(Table table) {
    return Resolution.MICROSECONDS.convert(clock.getAsLong(), table.spec().timeUnit());
  }

  private static <P extends Power> P power(Table table, Class<P> power) {
    return table
        .power(power)
        .orElseThrow(() ->
            new StoreException(
                "table '%s' has no %s, which its layout needs"
                    .formatted(table.spec().name(), power.getSimpleName())));
  }
}
