package dev.varve.engine.advice;

import dev.varve.engine.advice.Advice.ReadCosts;
import dev.varve.engine.advice.Advice.WriteCosts;
import dev.varve.engine.advice.Option.Fault;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.read.WhatIf;
import dev.varve.engine.request.ReadGuard;
import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowShape;
import dev.varve.layout.Step;
import dev.varve.layout.StepRunner;
import dev.varve.layout.declared.DeclaredLayout;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRefusedException;
import dev.varve.layout.plan.Planner;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.store.Capabilities;
import dev.varve.store.Capabilities.RowOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Weighs layouts by a workload, the growth of series and a sample of their data. For one thread.
 */
final class Weigher {
  /** The cost of a query that a layout refuses, in units of rows. */
  private static final double REFUSED = 1e7;

  /** Cells from which a partition is large where partitions are hashed; Cassandra's own advice. */
  static final long PARTITION_CELLS = 100_000;

  /** Minimum number of places that writes must go to at a time to count as spread. */
  static final double SPREAD = 4;

  /**
   * Number of series from which writes in few places are a fault; fewer series cannot be spread by
   * their order.
   */
  private static final int SERIES_MIN = 16;

  /** Minimum number of cells that a read of the newest samples takes: a page of the store. */
  private static final double PAGE_CELLS = 16;

  private final OpenDataset dataset;
  private final Workload workload;
  private final SeriesRates rates;
  private final SampledPoints points;
  private final Capabilities store;
  private final ReadGuard guard;
  private final WhatIf whatIf;

  Weigher(
      OpenDataset dataset,
      Workload workload,
      SeriesRates rates,
      SampledPoints points,
      Capabilities store,
      ReadGuard guard) {
    this.dataset = dataset;
    this.workload = workload;
    this.rates = rates;
    this.points = points;
    this.store = store;
    this.guard = guard;
    this.whatIf = new WhatIf(dataset);
  }

  /** Weighs a layout that the dataset has. */
  Option weigh(PlacedLayout placed) {
    Design design =
        placed.layout() instanceof DeclaredLayout declared
            ? Design.of(declared.declaration())
            : null;
    return weigh(design, placed.layout(), placed::find, placed::run);
  }

  /** Weighs a layout that the dataset does not have. */
  Option weigh(Design design, DeclaredLayout layout) {
    StepRunner steps = new StepRunner(List.of(), () -> 0);
    return weigh(design, layout, key -> steps.run(layout.bind(key, true)), steps::run);
  }

  /** Runs the step of a plan. */
  private interface Run {
    Plan plan(Step<Plan> step);
  }

  private Option weigh(
      @Nullable Design design, Layout layout, Function<GroupKey, Optional<Binding>> bind, Run run) {
    SampledPoints.Encoded encoded = points.in(layout, bind);
    List<ReadCosts> reads = new ArrayList<>();
    int refused = 0;
    for (Workload.Query query : workload.queries()) {
      guard.ensureWanted();
      ReadCosts costs = read(query, layout, bind, run, encoded.bytesPerCell());
      refused += costs.cost() >= REFUSED ? 1 : 0;
      reads.add(costs);
    }
    List<Fault> faults = new ArrayList<>();
    if (encoded.refused() != null) {
      faults.add(new Fault(Rule.KEEP, "it refuses samples: " + encoded.refused()));
    }
    double hottest = hottest(layout.rows(), bind, faults);
    double largest = largest(layout, bind, encoded, faults);
    return new Option(
        design,
        layout,
        reads,
        refused,
        new WriteCosts(encoded.cells(), encoded.cells() * encoded.bytesPerCell(), hottest, largest),
        faults);
  }

  private ReadCosts read(
      Workload.Query query,
      Layout layout,
      Function<GroupKey, Optional<Binding>> bind,
      Run run,
      double bytesPerCell) {
    List<Binding> bindings = new ArrayList<>();
    List<Match> matches = new ArrayList<>();
    try {
      for (Match match : query.matches()) {
        bind.apply(match.key())
            .ifPresent(binding -> {
              bindings.add(binding);
              matches.add(match);
            });
      }
      Plan plan = run.plan(whatIf.plan(query.request(), matches, bindings, layout, store.order()));
      return costs(plan, query, matches.size(), bytesPerCell);
    } catch (PlanRefusedException | RefusedException | DamagedCellException e) {
      return new ReadCosts(0, 0, 0, 0, REFUSED);
    }
  }

  private static ReadCosts costs(Plan plan, Workload.Query query, int series, double bytesPerCell) {
    if (plan.alternatives().isEmpty()) {
      return ReadCosts.NONE;
    }
    Plan.Expected expected = plan.alternatives().getFirst().expected();
    double slices = plan.estimate().slices();
    double rows = Math.max(expected.rows(), 0);
    double cells = Math.max(expected.cells(), 0);
    int newest = query.request().newestFirst();
    if (newest > 0 && rows > 0 && plan.groups().size() >= series) {
      // Each series is read from its newest row on until there are enough samples.
      double cellsOfRow = Math.max(1, cells / rows);
      double rowsOfSeries = Math.min(rows / series, Math.ceil(newest / cellsOfRow));
      double page = Math.min(Math.max(PAGE_CELLS, newest), cells / series);
      double cellsOfSeries = Math.max(rowsOfSeries * cellsOfRow, page);
      rows = series * Math.max(rowsOfSeries, cellsOfSeries / cellsOfRow);
      cells = series * cellsOfSeries;
    }
    return new ReadCosts(
        slices, rows, cells, cells * bytesPerCell, Planner.cost(slices, rows, cells));
  }

  /** Returns the share of the writes that go to one place. */
  private double hottest(
      RowShape shape, Function<GroupKey, Optional<Binding>> bind, List<Fault> faults) {
    int end = store.order() == RowOrder.PARTITION ? shape.partitionParts() : shape.timePart();
    int parts = end < 0 ? shape.parts().size() : end;
    Map<Bytes, Double> places = places(shape, parts, bind);
    double all = places.values().stream().mapToDouble(Double::doubleValue).sum();
    double most = places.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    double squares = places.values().stream().mapToDouble(one -> one * one).sum();
    double spread = squares == 0 ? 0 : all * all / squares;
    boolean nothingBefore =
        shape.timePart() >= 0
            && shape.parts().subList(0, shape.timePart()).stream()
                .allMatch(part -> part.role() == KeyPart.Role.LITERAL);
    double share = all == 0 ? 0 : most / all;
    if (nothingBefore) {
      faults.add(
          new Fault(
              Rule.TIME_FIRST,
              "no part that distinguishes series precedes the time: all writes of %s series go to one place, which moves on with the clock"
                  .formatted(count(rates.scale() * rates.rates().size()))));
    } else if (spread < SPREAD && rates.rates().size() >= SERIES_MIN && !isInOnePlace()) {
      faults.add(
          new Fault(
              Rule.HOT_PREFIX,
              "the busiest place takes %.0f %% of the writes of %s series; they count as spread over %.1f places, and should be over %.0f at least"
                  .formatted(
                      100 * share, count(rates.scale() * rates.rates().size()), spread, SPREAD)));
    }
    return share;
  }

  /**
   * Returns whether the whole store is on this machine, where the order of keys spreads nothing.
   */
  private boolean isInOnePlace() {
    return dataset.store().isEmbedded();
  }

  /** Returns the samples per tick of places: keys without their times, cut after some parts. */
  private Map<Bytes, Double> places(
      RowShape shape, int parts, Function<GroupKey, Optional<Binding>> bind) {
    Map<Bytes, Double> places = new HashMap<>();
    for (SeriesRates.Rate rate : rates.rates()) {
      Optional<Binding> binding = bound(rate.key(), bind);
      if (binding.isPresent()) {
        KeyInput input = new KeyInput(binding.get()).time(0);
        KeyBytes prefix = new KeyBytes();
        for (KeyPart part : shape.parts().subList(0, parts)) {
          if (part.role() != KeyPart.Role.TIME) {
            part.encode(input, prefix);
          }
        }
        places.merge(prefix.toBytes(), rate.perTick(), Double::sum);
      }
    }
    return places;
  }

  private static Optional<Binding> bound(GroupKey key, Function<GroupKey, Optional<Binding>> bind) {
    try {
      return bind.apply(key);
    } catch (RefusedException e) {
      return Optional.empty();
    }
  }

  /** Returns the bytes of the largest row, or partition where those are hashed, when it is full. */
  private double largest(
      Layout layout,
      Function<GroupKey, Optional<Binding>> bind,
      SampledPoints.Encoded encoded,
      List<Fault> faults) {
    RowShape shape = layout.rows();
    boolean hashed = store.order() == RowOrder.PARTITION;
    int parts = hashed ? shape.partitionParts() : shape.parts().size();
    Map<Bytes, Double> places = places(shape, parts, bind);
    double perTick = places.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    boolean together = places.size() < rates.rates().size();
    KeyPart.Time time = lastTime(shape, parts);
    double cells =
        encoded.cells()
            * (time != null && time.instant()
                ? 1
                : perTick * (together ? rates.scale() : 1) * ticks(time));
    double bytes = cells * encoded.bytesPerCell();
    String what = hashed ? "partition" : "row";
    if (time == null && dataset.config().retention() == null && hashed) {
      faults.add(
          new Fault(
              Rule.TALL_ROWS,
              "no time is part of the partition, and there is no retention: a partition has %s cells so far and grows for ever; the advice is at most %s"
                  .formatted(count(cells), count((double) PARTITION_CELLS))));
    } else if (hashed && cells > PARTITION_CELLS) {
      faults.add(
          new Fault(
              time == null ? Rule.TALL_ROWS : Rule.WIDE_BUCKETS,
              "a full partition has %s cells, and the advice is at most %s"
                  .formatted(count(cells), count((double) PARTITION_CELLS))));
    } else if (bytes > store.limits().softRow() / 2.0) {
      faults.add(
          new Fault(
              Rule.WIDE_BUCKETS,
              "a full %s has %s bytes, more than half of the %s from which the store slows down"
                  .formatted(what, count(bytes), count((double) store.limits().softRow()))));
    }
    return bytes;
  }

  private static KeyPart.@Nullable Time lastTime(RowShape shape, int parts) {
    KeyPart.Time last = null;
    for (KeyPart part : shape.parts().subList(0, parts)) {
      last = part instanceof KeyPart.Time time ? time : last;
    }
    return last;
  }

  /** Returns the length of a bucket; that of all samples, or of the retention, without one. */
  private double ticks(KeyPart.@Nullable Time time) {
    if (time != null) {
      long start = time.floor(rates.extent().isEmpty() ? 0 : rates.extent().to() - 1);
      return (double) time.next(start) - start;
    }
    Duration retention = dataset.config().retention();
    return retention == null
        ? (double) rates.extent().to() - rates.extent().from()
        : (double) retention.toSeconds() * dataset.resolution().perSecond();
  }

  static String count(double number) {
    return String.format(Locale.ROOT, "%,.0f", number);
  }
}
