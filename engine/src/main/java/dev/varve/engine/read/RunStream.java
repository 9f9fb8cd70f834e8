package dev.varve.engine.read;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.Period.Storage.Blocks;
import dev.varve.engine.read.PeriodPlanner.Outcome;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.plan.Plan;
import dev.varve.model.Attribute;
import dev.varve.model.Run;
import dev.varve.model.TimeRange;
import dev.varve.store.ReadCost;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the runs of a request: all series period by period, or one series after the other, each
 * period by period. In the second case several series are planned at a time. They are read together
 * and held if that is cheaper and small ({@link GatheredRuns}), in turn if one plan keeps them
 * apart ({@link SeriesInTurn}), and one by one otherwise.
 */
final class RunStream implements RunCursor {
  private final Reading reading;
  private final PeriodPlanner planner;
  private final List<Period> periods;
  private final boolean attributes;
  private final Deque<PeriodPlan> plans = new ArrayDeque<>();
  private @Nullable RunSource reader;
  private @Nullable GatheredRuns gathered;
  private final boolean inTurn;
  private final boolean together;
  private int nextGroup;
  private int nextMatch;
  private boolean closed;

  /**
   * Creates a stream and its first plans, so that a request that cannot be read is refused at once.
   *
   * @param periods periods that the request touches, in the order in which they are read
   * @param attributes whether to read attributes instead of samples
   * @param together whether to plan all series together, whatever their order
   */
  RunStream(
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
    planMore();
  }

  /**
   * Plans all series, or the next ones.
   *
   * @return false if no series is left
   */
  private boolean planMore() {
    int size = reading.matches().size();
    if (nextMatch == size) {
      return false;
    }
    if (together) {
      plans.addAll(inTurn ? likelyPlans(size) : require(plansOf(size, false)));
      nextMatch = size;
    } else if (isInBlocks()) {
      plans.addAll(require(plansOf(size, true)));
      nextMatch = size;
    } else if (!planSeveral()) {
      plans.addAll(require(plansOf(nextMatch + 1, true)));
      nextMatch++;
    }
    return true;
  }

  /** Returns whether one period in blocks has everything: it delivers series in order by itself. */
  private boolean isInBlocks() {
    return periods.size() == 1 && periods.getFirst().isInBlocks();
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

  /**
   * Plans several of the next series at a time.
   *
   * @return whether this was possible
   */
  private boolean planSeveral() {
    int end = SeriesInTurn.end(reading.matches(), nextMatch, mostAtOnce());
    boolean inBlocks = periods.stream().anyMatch(period -> period.isInBlocks());
    if (inBlocks || end == nextMatch + 1 || reading.newest().isAsked()) {
      return false;
    }
    if (planTogether(end)) {
      return true;
    }
    if (!planInTurn(end)) {
      return false;
    }
    nextMatch = end;
    return true;
  }

  private int mostAtOnce() {
    boolean indexed =
        periods.stream()
            .flatMap(period -> period.layouts().stream())
            .anyMatch(layout -> layout.layout().directory().isPresent());
    return indexed ? SeriesInTurn.MOST_INDEXED : SeriesInTurn.MOST;
  }

  /** Plans the next series in the cheapest way, if the result may be held. */
  private boolean planTogether(int end) {
    if (reading.plansApart()) {
      return false;
    }
    Plans together = plansOf(end, false);
    if (together.areRefused()) {
      // Too much for one plan may be little enough for one plan for each series.
      reading.planApart();
      return false;
    }
    List<PlannedRead> cheapest = Objects.requireNonNull(together.ofCells());
    PlannedRead joined = cheapest.size() == 1 ? SeriesInTurn.joined(cheapest.getFirst()) : null;
    boolean mayHold = GatheredRuns.mayHold(reading, cheapest, places(end));
    if (joined == null || TimeSweep.pays(cheapest.getFirst())) {
      int fewer = mayHold ? end : nextMatch + GatheredRuns.mostLike(reading, cheapest, places(end));
      if (fewer < end && fewer - nextMatch >= SeriesInTurn.LEAST) {
        return planTogether(fewer);
      }
      if (mayHold) {
        gather(cheapest, end);
        return true;
      }
    }
    if (joined == null) {
      reading.planApart();
      return false;
    }
    plans.add(joined);
    nextMatch = end;
    return true;
  }

  /**
   * Gathers the planned series, and more of them if they may be held too.
   *
   * @param end index after the planned series
   */
  private void gather(List<PlannedRead> planned, int end) {
    int most =
        SeriesInTurn.end(
            reading.matches(), nextMatch, GatheredRuns.mostLike(reading, planned, places(end)));
    List<PlannedRead> more =
        most > end ? Objects.requireNonNull(plansOf(most, false).ofCells()) : List.of();
    boolean all = !more.isEmpty() && GatheredRuns.mayHold(reading, more, places(most));
    int to = all ? most : end;
    gathered = new GatheredRuns(reading, all ? more : planned, places(to));
    nextMatch = to;
  }

  /** Returns whether all series are read together and held. */
  boolean gathersAll() {
    return gathered != null && gathered.size() == reading.matches().size();
  }

  /** Plans the next series together if the plan still reads them one after the other. */
  private boolean planInTurn(int end) {
    if (reading.plansOneByOne() || periods.size() != 1) {
      return false;
    }
    Plans apart = plansOf(end, true);
    PlannedRead planned =
        apart.areRefused()
            ? null
            : SeriesInTurn.joined(Objects.requireNonNull(apart.ofCells()).getFirst());
    if (planned == null) {
      reading.planOneByOne();
      return false;
    }
    plans.add(planned);
    return true;
  }

  private List<Integer> places(int end) {
    return IntStream.range(nextMatch, end).boxed().toList();
  }

  /** Returns how the periods are read; complete only if the series are planned together. */
  List<PeriodPlan> plans() {
    return new ArrayList<>(plans);
  }

  @Override
  public @Nullable Run next() {
    reading.ensureWanted();
    ensureOpen();
    while (hasMore()) {
      Run run = gathered == null ? nextOfGroup() : nextOf(gathered);
      if (run != null) {
        return run;
      }
    }
    return null;
  }

  private @Nullable Run nextOfGroup() {
    Run run = Objects.requireNonNull(reader).next();
    if (run == null) {
      reader = null;
    }
    return run;
  }

  private @Nullable Run nextOf(GatheredRuns together) {
    if (!together.fill()) {
      reading.planApart();
      nextMatch = together.first();
      gathered = null;
      return null;
    }
    Run run = together.next();
    if (run == null) {
      gathered = null;
    }
    return run;
  }

  @Nullable Attribute nextAttribute() {
    ensureOpen();
    while (hasMore()) {
      Attribute attribute = Objects.requireNonNull(reader).nextAttribute();
      if (attribute != null) {
        return attribute;
      }
      reader = null;
    }
    return null;
  }

  /** Opens the next group or gathers the next series, if necessary; false if none is left. */
  private boolean hasMore() {
    while (reader == null && gathered == null) {
      if (!plans.isEmpty()) {
        open(plans.element());
      } else if (!planMore()) {
        return false;
      }
    }
    return true;
  }

  private void open(PeriodPlan planned) {
    switch (planned) {
      case PlannedBlocks blocks -> {
        plans.remove();
        reader = new BlockSource(reading, blocks);
      }
      case PlannedRead cells -> openGroup(cells);
    }
  }

  private void openGroup(PlannedRead planned) {
    List<Plan.StrandGroup> groups = planned.plan().groups();
    if (nextGroup == groups.size()) {
      plans.remove();
      nextGroup = 0;
    } else {
      reader = new GroupReader(reading, planned, groups.get(nextGroup++), inTurn && !together);
    }
  }

  private void ensureOpen() {
    if (closed) {
      throw new IllegalStateException("the cursor is closed");
    }
  }

  @Override
  public ReadCost cost() {
    return reading.cost();
  }

  @Override
  public void cancel() {
    reading.cancel();
  }

  @Override
  public void close() {
    closed = true;
    if (gathered != null) {
      gathered.release();
    }
    reading.close();
  }
}
