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

/** Finds problems of a store in the slices of a table's heat map. */
public final class HeatFindings {
  /** Minimum number of operations of a table; fewer do no harm, wherever they go. */
  private static final long OPERATIONS_MIN = 10_000;

  /** Minimum share of all operations that makes a partition hot. */
  private static final double HOT_SHARE_MIN = 0.25;

  /** Minimum ratio of the operations of a hot partition to the average of all that were seen. */
  private static final double HOT_RATIO_MIN = 4;

  /** Minimum number of steps in one direction that make a trend. */
  private static final int TREND_STEPS_MIN = 3;

  /** Minimum share of all steps that go in the direction of a trend. */
  private static final double TREND_SHARE_MIN = 0.8;

  /** Maximum ms from the start of a slice to the start of the next one that make a step. */
  private static final long STEP_MILLIS_MAX = 120_000;

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
    found.findHotPartition("writes", HeatSlice::busiestWritten, Load::writes);
    found.findHotPartition("reads", HeatSlice::busiestRead, Load::reads);
    found.findTimeLeadingKey();
    found.findOversizedRow();
    return List.copyOf(found.findings);
  }

  private static final class Sum {
    private double operations;
    private Busiest last;

    private Sum(Busiest first) {
      last = first;
    }
  }

  private void findHotPartition(
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
    if (most != null
        && total >= OPERATIONS_MIN
        && share >= HOT_SHARE_MIN
        && share * partitions >= HOT_RATIO_MIN) {
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

  private void findTimeLeadingKey() {
    List<HeatSlice> written = slices.stream().filter(slice -> slice.written() != null).toList();
    int steps = 0;
    int upwards = 0;
    int downwards = 0;
    for (int i = 1; i < written.size(); i++) {
      HeatSlice before = written.get(i - 1);
      HeatSlice after = written.get(i);
      if (after.from() - before.from() <= STEP_MILLIS_MAX && after.from() > before.from()) {
        Stretch earlier = Objects.requireNonNull(before.written());
        Stretch later = Objects.requireNonNull(after.written());
        steps++;
        upwards += later.first().compareTo(earlier.last()) > 0 ? 1 : 0;
        downwards += later.last().compareTo(earlier.first()) < 0 ? 1 : 0;
      }
    }
    int most = Math.max(upwards, downwards);
    long writes = written.stream().mapToLong(slice -> slice.total().writes()).sum();
    if (most >= TREND_STEPS_MIN && most >= TREND_SHARE_MIN * steps && writes >= OPERATIONS_MIN) {
      boolean up = upwards >= downwards;
      Stretch last = Objects.requireNonNull(written.getLast().written());
      RowName row = names.apply(up ? last.last() : last.first());
      findings.add(
          new HeatFinding(
              Kind.TIME_LEADING_KEY,
              row,
              "In %d of %d steps from slice to slice, the writes moved on to rows %s all earlier ones (%s writes, compared by their middle four fifths); they are at %s now. On a store of several servers, one of them takes all: let another part lead the row key, or a salt."
                  .formatted(most, steps, up ? "after" : "before", count(writes), row.text())));
    }
  }

  private void findOversizedRow() {
    LargeRow largest =
        slices.stream()
            .map(HeatSlice::largest)
            .filter(Objects::nonNull)
            .max(Comparator.comparingLong(LargeRow::bytes))
            .orElse(null);
    // A row of half the size is reported, because it still grows.
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
