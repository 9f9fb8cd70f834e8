package dev.varve.engine.read;

import dev.varve.engine.request.RunCursor;
import dev.varve.layout.plan.Plan;
import dev.varve.model.Attribute;
import dev.varve.model.Run;
import dev.varve.model.TimeRange;
import dev.varve.store.ReadCost;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Delivers the runs of a request, step by step in the order of a {@link DeliveryPlanner}. */
final class RunStream implements RunCursor {
  private final Reading reading;
  private final DeliveryPlanner planner;
  private @Nullable Delivery step;
  private final Deque<PeriodPlan> plans = new ArrayDeque<>();
  private int nextGroup;
  private @Nullable RunSource reader;
  private @Nullable GatheredRuns gathered;
  private boolean closed;

  private RunStream(Reading reading, DeliveryPlanner planner) {
    this.reading = reading;
    this.planner = planner;
  }

  /**
   * Plans the first step of a stream, so that a request that cannot be read is refused at once.
   * Closes the reading if that fails.
   */
  static RunStream begin(Reading reading, DeliveryPlanner planner) {
    RunStream stream = new RunStream(reading, planner);
    try {
      stream.nextStep();
      return stream;
    } catch (RuntimeException e) {
      stream.close();
      throw e;
    }
  }

  /**
   * Plans the next step.
   *
   * @return false if there is none
   */
  private boolean nextStep() {
    step = planner.next();
    switch (step) {
      case Delivery.AsRead(List<PeriodPlan> next) -> plans.addAll(next);
      case Delivery.Gathered next ->
          gathered = new GatheredRuns(reading, next.plans(), next.matches());
      case null -> {
        return false;
      }
    }
    return true;
  }

  /** Returns whether all series are read together and held. */
  boolean gathersAll() {
    return gathered != null && gathered.size() == reading.matches().size();
  }

  /** Returns the plans of the periods; complete only if the series are planned together. */
  List<PeriodPlan> plans() {
    return List.copyOf(plans);
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
      planner.giveUp((Delivery.Gathered) Objects.requireNonNull(step));
      gathered = null;
      return null;
    }
    Run run = together.next();
    if (run == null) {
      gathered = null;
    }
    return run;
  }

  /** Returns the attributes without a time or with a time in range. The stream must be closed. */
  Stream<Attribute> attributes(TimeRange times) {
    return Stream.generate(this::nextAttribute)
        .takeWhile(attribute -> attribute != null)
        .filter(attribute -> attribute.time() == null || times.contains(attribute.time()))
        .onClose(this::close);
  }

  private @Nullable Attribute nextAttribute() {
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
      } else if (!nextStep()) {
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
      reader = new GroupReader(reading, planned, groups.get(nextGroup++), planner.ordersGroups());
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
