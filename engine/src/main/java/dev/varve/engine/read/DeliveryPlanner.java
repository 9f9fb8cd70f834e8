package dev.varve.engine.read;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.Period.Storage.Blocks;
import dev.varve.engine.read.PeriodPlanner.Outcome;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Decides how many series of a request are planned at a time and in which order their runs are
 * delivered: all series period by period, or one series after the other, each period by period. In
 * the second case several series are read together and held if that is cheaper and small ({@link
 * GatheredRuns}). They are read in turn if one plan keeps them apart ({@link SeriesInTurn}), and
 * one by one otherwise.
 */
final class DeliveryPlanner {
  private final Reading reading;
  private final PeriodPlanner planner;
  private final List<Period> periods;
  private final boolean attributes;
  private final boolean inTurn;
  private final boolean together;
  private int nextMatch;

  private DeliveryPlanner(
      Reading reading,
      PeriodPlanner planner,
      List<Period> periods,
      boolean attributes,
      boolean together) {
    this.reading = reading;
    this.planner = planner;
    this.periods = periods;
    this.attributes = attributes;
    this.inTurn = reading.request().order() == Order.SERIES_BY_SERIES;
    this.together = together || !inTurn;
  }

  /**
   * Plans a read of samples.
   *
   * @param periods periods that the request touches, in the order in which they are read
   */
  static DeliveryPlanner ofSamples(Reading reading, PeriodPlanner planner, List<Period> periods) {
    return new DeliveryPlanner(reading, planner, periods, false, false);
  }

  /** Plans a read of samples, of all series together, whatever their order. */
  static DeliveryPlanner ofAllSamples(
      Reading reading, PeriodPlanner planner, List<Period> periods) {
    return new DeliveryPlanner(reading, planner, periods, false, true);
  }

  /** Plans a read of attributes. */
  static DeliveryPlanner ofAttributes(
      Reading reading, PeriodPlanner planner, List<Period> periods) {
    return new DeliveryPlanner(reading, planner, periods, true, false);
  }

  /** Returns whether the runs of a group of rows must be delivered series by series. */
  boolean ordersGroups() {
    return inTurn && !together;
  }

  /**
   * Plans all series, or the next ones.
   *
   * @return null if no series is left
   * @throws QueryRefusedException if the next series cannot be read
   */
  @Nullable Delivery next() {
    int size = reading.matches().size();
    if (nextMatch == size) {
      return null;
    }
    if (together) {
      return asRead(inTurn ? likelyPlans(size) : require(plansOf(size, false)), size);
    }
    if (isInBlocks()) {
      return asRead(require(plansOf(size, true)), size);
    }
    Delivery several = several();
    return several != null ? several : asRead(require(plansOf(nextMatch + 1, true)), nextMatch + 1);
  }

  /**
   * Plans again, in another way, from the first series of a step that turned out to be too much.
   */
  void giveUp(Delivery.Gathered tooMuch) {
    reading.ways().neverHold();
    nextMatch = tooMuch.matches().getFirst();
  }

  private Delivery asRead(List<PeriodPlan> plans, int end) {
    nextMatch = end;
    return new Delivery.AsRead(plans);
  }

  /** Returns whether one period in blocks has everything: it delivers series in order by itself. */
  private boolean isInBlocks() {
    return periods.size() == 1 && periods.getFirst().isInBlocks();
  }

  /** Plans several of the next series at a time; null if they have to be planned one by one. */
  private @Nullable Delivery several() {
    int end = SeriesInTurn.end(reading.matches(), nextMatch, mostAtOnce());
    boolean inBlocks = periods.stream().anyMatch(Period::isInBlocks);
    if (inBlocks || end == nextMatch + 1 || reading.newest().isAsked()) {
      return null;
    }
    Delivery cheapest = cheapest(end);
    return cheapest != null ? cheapest : inTurn(end);
  }

  private int mostAtOnce() {
    boolean indexed =
        periods.stream()
            .flatMap(period -> period.layouts().stream())
            .anyMatch(layout -> layout.layout().directory().isPresent());
    return indexed ? SeriesInTurn.MOST_INDEXED : SeriesInTurn.MOST;
  }

  /**
   * Plans the next series in the cheapest way.
   *
   * @return null if its runs arrive out of order and may not be held
   */
  private @Nullable Delivery cheapest(int end) {
    if (!reading.ways().mayHold()) {
      return null;
    }
    Plans cheapest = plansOf(end, false);
    if (cheapest.areRefused()) {
      // Too much for one plan may be little enough for one plan for each series.
      reading.ways().neverHold();
      return null;
    }
    List<PlannedRead> reads = Objects.requireNonNull(cheapest.ofCells());
    PlannedRead joined = reads.size() == 1 ? SeriesInTurn.joined(reads.getFirst()) : null;
    boolean mayHold = GatheredRuns.mayHold(reading, reads, places(end));
    if (joined == null || TimeSweep.pays(reads.getFirst())) {
      int fewer = mayHold ? end : nextMatch + GatheredRuns.mostLike(reading, reads, places(end));
      if (fewer < end && fewer - nextMatch >= SeriesInTurn.LEAST) {
        return cheapest(fewer);
      }
      if (mayHold) {
        return gathered(reads, end);
      }
    }
    if (joined == null) {
      reading.ways().neverHold();
      return null;
    }
    return asRead(List.of(joined), end);
  }

  /**
   * Gathers the planned series, and more of them if they may be held too.
   *
   * @param end index after the planned series
   */
  private Delivery gathered(List<PlannedRead> planned, int end) {
    int most =
        SeriesInTurn.end(
            reading.matches(), nextMatch, GatheredRuns.mostLike(reading, planned, places(end)));
    List<PlannedRead> more =
        most > end ? Objects.requireNonNull(plansOf(most, false).ofCells()) : List.of();
    boolean all = !more.isEmpty() && GatheredRuns.mayHold(reading, more, places(most));
    List<Integer> matches = places(all ? most : end);
    nextMatch += matches.size();
    return new Delivery.Gathered(all ? more : planned, matches);
  }

  /** Plans the next series together; null unless the plan reads them one after the other. */
  private @Nullable Delivery inTurn(int end) {
    if (!reading.ways().mayJoin() || periods.size() != 1) {
      return null;
    }
    Plans apart = plansOf(end, true);
    PlannedRead planned =
        apart.areRefused()
            ? null
            : SeriesInTurn.joined(Objects.requireNonNull(apart.ofCells()).getFirst());
    if (planned == null) {
      reading.ways().neverJoin();
      return null;
    }
    return asRead(List.of(planned), end);
  }

  /**
   * Plans of the next series, one for each period.
   *
   * @param reads empty if one of the periods cannot be read
   * @param refusal why it cannot; null if all can
   */
  private record Plans(List<PeriodPlan> reads, @Nullable String refusal) {
    boolean areRefused() {
      return refusal != null;
    }

    /** Returns the plans; null if some of them do not read cells. */
    @Nullable List<PlannedRead> ofCells() {
      List<PlannedRead> cells = new ArrayList<>(reads.size());
      for (PeriodPlan read : reads) {
        if (!(read instanceof PlannedRead ofCells)) {
          return null;
        }
        cells.add(ofCells);
      }
      return cells;
    }
  }

  /** Plans the next series in each period, as far as all of them can be read. */
  private Plans plansOf(int end, boolean apart) {
    List<Integer> wanted = places(end);
    List<PeriodPlan> each = new ArrayList<>(periods.size());
    for (Period period : periods) {
      if (period.storage() instanceof Blocks(BlockTiers tiers)) {
        TimeRange times = reading.times().intersect(period.times());
        each.add(new PlannedBlocks(period, times, tiers, wanted));
        continue;
      }
      switch (planner.plan(reading, period, wanted, attributes, apart)) {
        case Outcome.Planned planned -> each.add(planned.read());
        case Outcome.Refused refused -> {
          return new Plans(List.of(), refused.reason());
        }
      }
    }
    return new Plans(each, null);
  }

  private static List<PeriodPlan> require(Plans plans) {
    if (plans.refusal() != null) {
      throw new QueryRefusedException(plans.refusal());
    }
    return plans.reads();
  }

  /**
   * Returns plans for all remaining series, for display. If they are too many to hold and no plan
   * keeps the series apart, each is read with a plan of its own, and these are shown as one.
   */
  private List<PeriodPlan> likelyPlans(int end) {
    Plans cheapest = plansOf(end, false);
    List<PeriodPlan> reads = require(cheapest);
    List<PlannedRead> ofCells = cheapest.ofCells();
    if (ofCells == null
        || (GatheredRuns.mayHold(reading, ofCells, places(end)) && !reading.newest().isAsked())) {
      return reads;
    }
    boolean mayPay = ofCells.stream().allMatch(read -> GatheredRuns.mayPay(read.layout().layout()));
    int atOnce = mayPay ? GatheredRuns.mostLike(reading, ofCells, places(end)) : end;
    if (atOnce >= SeriesInTurn.LEAST && atOnce < end && !reading.newest().isAsked()) {
      return likelyParts(end, atOnce);
    }
    Plans apart = plansOf(end, true);
    return apart.areRefused() ? reads : apart.reads();
  }

  /** Returns the plans of as many series at a time as may be held, for display. */
  private List<PeriodPlan> likelyParts(int end, int atOnce) {
    List<PeriodPlan> parts = new ArrayList<>();
    int first = nextMatch;
    while (nextMatch < end) {
      int to = Math.min(end, nextMatch + atOnce);
      parts.addAll(require(plansOf(to, false)));
      nextMatch = to;
    }
    nextMatch = first;
    return parts;
  }

  private List<Integer> places(int end) {
    return IntStream.range(nextMatch, end).boxed().toList();
  }
}
