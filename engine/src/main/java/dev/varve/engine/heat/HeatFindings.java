package dev.varve.engine.heat;

import dev.varve.engine.heat.HeatFinding.Kind;
import dev.varve.engine.heat.HeatSlice.Busiest;
import dev.varve.engine.heat.HeatSlice.LargeRow;
import dev.varve.engine.heat.HeatSlice.Stretch;
import dev.varve.model.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds what is bad for a store in slices of a table. */
public final class HeatFindings {
  /** Fewer operations do no harm, wherever they go. */
  private static final long OPERATIONS_MIN = 10_000;

  /** Least share of one partition that is hot. */
  private static final double HOT = 0.25;

  /** How much hotter it is than the others on average. */
  private static final double HOTTER = 4;

  /** Least number of steps in one direction that make a trend. */
  private static final int STEPS_MIN = 3;

  /** Share of the steps that go in one direction. */
  private static final double STEADY = 0.8;

  private static final long MINUTE = 60_000;

  private final List<HeatSlice> slices;
  private final long softRow;
  private final Function<Bytes, RowName> names;
  private final List<HeatFinding> findings = new ArrayList<>();

  private HeatFindings(List<HeatSlice> slices, long softRow, Function<Bytes, RowName> names) {
    this.slices = slices.stream().sorted(Comparator.comparingLong(HeatSlice::from)).toList();
    this.softRow = softRow;
    this.names = names;
  }

  /**
   * Returns the findings, the most telling kind first.
   *
   * @param softRow bytes of a row from which the store slows down
   * @param names decodes rows
   */
  public static List<HeatFinding> of(
      List<HeatSlice> slices, long softRow, Function<Bytes, RowName> names) {
    HeatFindings found = new HeatFindings(slices, softRow, names);
    found.hot("writes", HeatSlice::busiestWritten, Load::writes);
    found.hot("reads", HeatSlice::busiestRead, Load::reads);
    found.leading();
    found.oversized();
    return List.copyOf(found.findings);
  }

  private static final class Sum {
    private double operations;
    private Busiest last;

    private Sum(Busiest first) {
      last = first;
    }
  }

  private void hot(
      String what, Function<HeatSlice, @Nullable Busiest> part, Function<Load, Long> operations) {
    Map<Bytes, Sum> sums = new HashMap<>();
    double total = 0;
    int samples = 0;
    int partitions = 0;
    for (HeatSlice slice : slices) {
      long here = operations.apply(slice.total());
      total += here;
      Busiest busiest = part.apply(slice);
      if (busiest != null) {
        Sum sum = sums.computeIfAbsent(busiest.partition(), one -> new Sum(busiest));
        sum.operations += (double) here * busiest.samples() / busiest.outOf();
        sum.last = busiest;
        samples += busiest.outOf();
        partitions = Math.max(partitions, busiest.partitions());
      }
    }
    Sum most =
        sums.values().stream().max(Comparator.comparingDouble(one -> one.operations)).orElse(null);
    double share = most == null ? 0 : most.operations / total;
    if (most != null && total >= OPERATIONS_MIN && share >= HOT && share * partitions >= HOTTER) {
      RowName row = names.apply(most.last.row());
      findings.add(
          new HeatFinding(
              Kind.HOT_PARTITION,
              row,
              "%s gets %.0f %% of the %s: about %s of %s cells, by %s samples; on average a partition of the %s that were seen gets %.1f %%."
                  .formatted(
                      row.text(),
                      100 * share,
                      what,
                      count((long) most.operations),
                      count((long) total),
                      count(samples),
                      count(partitions),
                      100.0 / partitions)));
    }
  }

  private void leading() {
    List<HeatSlice> written = slices.stream().filter(slice -> slice.written() != null).toList();
    int steps = 0;
    int upwards = 0;
    int downwards = 0;
    for (int i = 1; i < written.size(); i++) {
      HeatSlice before = written.get(i - 1);
      HeatSlice after = written.get(i);
      if (after.from() - before.from() <= 2 * MINUTE && after.from() > before.from()) {
        Stretch earlier = Objects.requireNonNull(before.written());
        Stretch later = Objects.requireNonNull(after.written());
        steps++;
        upwards += later.first().compareTo(earlier.last()) > 0 ? 1 : 0;
        downwards += later.last().compareTo(earlier.first()) < 0 ? 1 : 0;
      }
    }
    int most = Math.max(upwards, downwards);
    long writes = written.stream().mapToLong(slice -> slice.total().writes()).sum();
    if (most >= STEPS_MIN && most >= STEADY * steps && writes >= OPERATIONS_MIN) {
      boolean up = upwards >= downwards;
      Stretch last = Objects.requireNonNull(written.getLast().written());
      RowName row = names.apply(up ? last.last() : last.first());
      findings.add(
          new HeatFinding(
              Kind.TIME_LEADING_KEY,
              row,
              "In %d of %d steps from slice to slice, the writes moved on to rows %s all those before (%s writes, compared by their middle four fifths); they are at %s now. On a store of several servers, one of them takes all: let another part lead the row key, or a salt."
                  .formatted(most, steps, up ? "behind" : "before", count(writes), row.text())));
    }
  }

  private void oversized() {
    LargeRow largest =
        slices.stream()
            .map(HeatSlice::largest)
            .filter(Objects::nonNull)
            .max(Comparator.comparingLong(LargeRow::bytes))
            .orElse(null);
    if (largest != null && largest.bytes() >= softRow / 2) {
      RowName row = names.apply(largest.row());
      findings.add(
          new HeatFinding(
              Kind.OVERSIZED_ROW,
              row,
              "A read took %s bytes in %s cells from the one row %s; the store slows down from %s bytes on. A narrower bucket makes smaller rows."
                  .formatted(
                      count(largest.bytes()), count(largest.cells()), row.text(), count(softRow))));
    }
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
