package dev.varve.engine.read;

import dev.varve.engine.QueryRefusedException;
import dev.varve.engine.ReadRequest.Order;
import dev.varve.engine.RunCursor;
import dev.varve.engine.periods.Period;
import dev.varve.model.Attribute;
import dev.varve.model.Run;
import dev.varve.store.ReadCost;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the runs of a request: all series period by period, or one series after the other and
 * each period by period. Series that are read one after the other are planned some at a time where
 * one plan keeps them apart, see {@link SeriesInTurn}, else one by one.
 */
final class RunStream implements RunCursor {
  private final Reading reading;
  private final PeriodPlanner planner;
  private final List<Period> periods;
  private final boolean attributes;
  private final Deque<PlannedRead> plans = new ArrayDeque<>();
  private @Nullable GroupReader reader;
  private final boolean together;
  private int nextGroup;
  private int nextMatch;
  private boolean closed;

  /**
   * A stream whose first plans are made at once, so that what cannot be read is refused at once.
   *
   * @param periods those that the request touches, in the order in which they are read
   * @param attributes whether attributes are wanted in place of samples
   * @param together whether all series are planned together, whatever their order
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
    this.together = together || reading.request().order() != Order.SERIES_BY_SERIES;
    planMore();
  }

  /** Plans all series, or the next of them; does nothing where all are planned. */
  private void planMore() {
    int size = reading.matches().size();
    if (nextMatch == size) {
      return;
    }
    if (together) {
      planEach(size);
    } else if (!planInTurn()) {
      planEach(nextMatch + 1);
    }
  }

  private void planEach(int end) {
    List<Integer> wanted = places(end);
    for (Period period : periods) {
      plans.add(planner.plan(reading, period, wanted, attributes));
    }
    nextMatch = end;
  }

  /**
   * Plans the next series together where they are read one after the other all the same.
   *
   * @return whether this was possible
   */
  private boolean planInTurn() {
    if (reading.plansOneByOne() || periods.size() != 1 || reading.newest().isAsked()) {
      return false;
    }
    int end = SeriesInTurn.end(reading.matches(), nextMatch);
    if (end == nextMatch + 1) {
      return false;
    }
    @Nullable PlannedRead planned;
    try {
      planned =
          SeriesInTurn.joined(planner.plan(reading, periods.getFirst(), places(end), attributes));
    } catch (QueryRefusedException e) {
      // Too much for one plan may be little enough for one of each series.
      planned = null;
    }
    if (planned == null) {
      reading.planOneByOne();
      return false;
    }
    plans.add(planned);
    nextMatch = end;
    return true;
  }

  private List<Integer> places(int end) {
    return IntStream.range(nextMatch, end).boxed().toList();
  }

  /** How the periods are read; complete only where the series are planned together. */
  List<PlannedRead> plans() {
    return new ArrayList<>(plans);
  }

  @Override
  public @Nullable Run next() {
    reading.ensureWanted();
    ensureOpen();
    for (GroupReader from = reader(); from != null; from = reader()) {
      Run run = from.next();
      if (run != null) {
        return run;
      }
      reader = null;
    }
    return null;
  }

  @Nullable Attribute nextAttribute() {
    ensureOpen();
    for (GroupReader from = reader(); from != null; from = reader()) {
      Attribute attribute = from.nextAttribute();
      if (attribute != null) {
        return attribute;
      }
      reader = null;
    }
    return null;
  }

  /** The reader of the group under way, or of the next one; null behind the last. */
  private @Nullable GroupReader reader() {
    while (reader == null) {
      if (plans.isEmpty()) {
        planMore();
      }
      PlannedRead planned = plans.peek();
      if (planned == null) {
        return null;
      }
      if (nextGroup == planned.plan().groups().size()) {
        plans.remove();
        nextGroup = 0;
      } else {
        reader = new GroupReader(reading, planned, planned.plan().groups().get(nextGroup++));
      }
    }
    return reader;
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
    reading.close();
  }
}
