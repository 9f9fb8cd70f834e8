package dev.varve.engine.heat;

import dev.varve.engine.heat.HeatSlice.LargeRow;
import dev.varve.engine.heat.HeatSlice.Range;
import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.Partitioning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Counts reads and writes of a table by ranges of its row keys. Safe for use by several threads,
 * none of which waits for another, except for the first thousand rows of a table.
 *
 * <p>The first rows are kept with their keys until there are enough to divide the table into
 * ranges. After each slice of time, ranges that became hot are divided and cold ones joined.
 */
public final class KeyCounters {
  /** Largest number of threads that count at the same time. */
  private static final int STRIPES_MAX = 16;

  /**
   * Maximum number of attempts to take the first stripe, which is the only one before there are
   * ranges.
   */
  private static final int TRIES = 10_000;

  /** Maximum wait for a counting thread when a slice ends. */
  private static final long PAUSE_NANOS = 20_000;

  private final String table;
  private final Partitioning partitioning;
  private final Stripe[] stripes;
  private final LongAdder missed = new LongAdder();

  /** Guarded by the first stripe. */
  private final Learning learning = new Learning();

  private volatile boolean learns = true;

  /** Guarded by the first stripe. */
  private KeyRanges current = KeyRanges.ONE;

  /** Load of each range, decayed by age. Guarded by this, as is the next field. */
  private double[] heat = new double[0];

  private long since;

  /**
   * @param table name of the table in its store
   * @param since the time, in milliseconds since 1970
   */
  public KeyCounters(String table, Partitioning partitioning, long since) {
    this.table = table;
    this.partitioning = partitioning;
    this.since = since;
    int threads = Math.clamp(2L * Runtime.getRuntime().availableProcessors(), 2, STRIPES_MAX);
    stripes = new Stripe[threads];
    Arrays.setAll(stripes, i -> new Stripe(0x9E3779B97F4A7C15L * (i + 1)));
  }

  /** Returns the name of the table in its store. */
  public String table() {
    return table;
  }

  /** Returns how many cells were not counted, because too many threads counted. */
  long missed() {
    return missed.sum();
  }

  /** The way in which cells are counted. */
  enum Way {
    /** Edits of a batch. */
    WRITTEN,
    /** Cells read whose rows are sorted, upwards or downwards. */
    READ_IN_ORDER,
    /** Cells read in any order. */
    READ
  }

  /** Counts cells of one call of the store, which took this many microseconds. */
  void count(CellBatch cells, long micros, Way way) {
    Stripe stripe = learns ? first() : any();
    if (stripe == null) {
      missed.add(cells.size());
      return;
    }
    try {
      if (!learns || !learns(stripe, cells, micros, way == Way.WRITTEN)) {
        switch (way) {
          case WRITTEN -> stripe.written(cells, micros);
          case READ_IN_ORDER -> stripe.readOrdered(cells, micros);
          case READ -> stripe.readUnordered(cells, micros);
        }
      }
    } finally {
      stripe.giveBack();
    }
  }

  /** Counts cells by their rows, before there are ranges; returns whether they are counted. */
  private boolean learns(Stripe first, CellBatch cells, long micros, boolean write) {
    boolean counted = learning.add(cells, micros, write);
    if (counted) {
      first.sample().add(cells, 0, cells.size(), 1, write);
    }
    if (learning.isEnough()) {
      divide(learning.ranges());
    }
    return counted;
  }

  /** Counts a row that is larger than a page. */
  void large(CellBatch page, int cell, long bytes, long cells) {
    Stripe stripe = any();
    if (stripe != null) {
      stripe.large(page, cell, bytes, cells);
      stripe.giveBack();
    }
  }

  private @Nullable Stripe any() {
    int start = (int) Thread.currentThread().threadId();
    for (int i = 0; i < stripes.length; i++) {
      Stripe stripe = stripes[Math.floorMod(start + i, stripes.length)];
      if (stripe.take()) {
        return stripe;
      }
    }
    return null;
  }

  private @Nullable Stripe first() {
    for (int i = 0; i < TRIES; i++) {
      if (stripes[0].take()) {
        return stripes[0];
      }
      Thread.onSpinWait();
    }
    return null;
  }

  /** Divides the table for the first time. The caller has the first stripe. */
  private void divide(KeyRanges ranges) {
    for (Stripe stripe : stripes) {
      stripe.divide(ranges);
    }
    learning.drainTo(stripes[0]);
    current = ranges;
    learns = false;
  }

  /**
   * Begins with ranges that an earlier process used, unless rows were counted already.
   *
   * @param bounds the first key of each range, the first of which is empty
   */
  void begin(List<Bytes> bounds) {
    take(stripes[0]);
    try {
      if (learns && learning.isEmpty() && bounds.size() > 1) {
        divide(new KeyRanges(bounds));
      }
    } finally {
      stripes[0].giveBack();
    }
  }

  /**
   * Ends the slice and starts the next one.
   *
   * @param until the end of the slice, in milliseconds since 1970
   * @return null if nothing was counted
   */
  synchronized @Nullable HeatSlice end(long until) {
    KeyRanges ranges = known();
    Sum sum = new Sum(ranges.size());
    forEach(stripe -> {
      sum.add(stripe.counted());
      stripe.restart(ranges);
    });
    Bounds.Measured next = Bounds.next(new Bounds.Measured(ranges, heat), sum.loads(), sum.keys);
    heat = next.heat();
    if (next.ranges() != ranges) {
      forEach(stripe -> {
        sum.add(stripe.counted());
        stripe.restart(next.ranges());
      });
      current = next.ranges();
    }
    HeatSlice slice = sum.slice(ranges, since, until);
    since = until;
    return slice;
  }

  /**
   * Returns the slice so far, without ending it.
   *
   * @param until the time, in milliseconds since 1970
   * @return null if nothing was counted
   */
  synchronized @Nullable HeatSlice peek(long until) {
    KeyRanges ranges = known();
    Sum sum = new Sum(ranges.size());
    forEach(stripe -> sum.add(stripe.counted()));
    return sum.slice(ranges, since, until);
  }

  /** Drops all counts so far. */
  synchronized void forget(long now) {
    KeyRanges ranges = known();
    forEach(stripe -> stripe.restart(ranges));
    since = now;
  }

  /** Drops all counts so far, and the bounds of ranges that have to go. */
  synchronized void forget(Predicate<Bytes> gone, long now) {
    KeyRanges ranges = known();
    List<Bytes> kept =
        ranges.bounds().stream().filter(bound -> bound.isEmpty() || !gone.test(bound)).toList();
    KeyRanges next = kept.size() == ranges.size() ? ranges : new KeyRanges(kept);
    forEach(stripe -> stripe.restart(next));
    if (next != ranges) {
      current = next;
      heat = new double[0];
    }
    since = now;
  }

  /**
   * Returns the ranges. If the table has not been divided yet, divides it by the rows counted so
   * far.
   */
  private KeyRanges known() {
    take(stripes[0]);
    try {
      if (learns && !learning.isEmpty()) {
        divide(learning.ranges());
      }
      return current;
    } finally {
      stripes[0].giveBack();
    }
  }

  private void forEach(Consumer<Stripe> action) {
    for (Stripe stripe : stripes) {
      take(stripe);
      try {
        action.accept(stripe);
      } finally {
        stripe.giveBack();
      }
    }
  }

  private static void take(Stripe stripe) {
    while (!stripe.take()) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** The counts of all stripes. */
  private final class Sum {
    private final Load[] sums;
    private final List<KeySample.Key> keys = new ArrayList<>();
    private @Nullable LargeRow largest;

    private Sum(int ranges) {
      sums = new Load[ranges];
      Arrays.fill(sums, Load.NONE);
    }

    private void add(Stripe.Counted counted) {
      for (int range = 0; range < sums.length; range++) {
        sums[range] = sums[range].plus(counted.loads().get(range));
      }
      keys.addAll(counted.keys());
      LargeRow large = counted.largest();
      if (large != null && (largest == null || large.bytes() > largest.bytes())) {
        largest = large;
      }
    }

    private List<Load> loads() {
      return List.of(sums);
    }

    private @Nullable HeatSlice slice(KeyRanges ranges, long from, long to) {
      if (Arrays.stream(sums).allMatch(Load.NONE::equals)) {
        return null;
      }
      SampledRows rows = new SampledRows(keys, partitioning);
      List<Range> all = new ArrayList<>();
      for (int range = 0; range < sums.length; range++) {
        all.add(new Range(ranges.from(range), sums[range], rows.within(ranges, range)));
      }
      return new HeatSlice(
          from, to, all, rows.written(), rows.busiest(false), rows.busiest(true), largest);
    }
  }
}
