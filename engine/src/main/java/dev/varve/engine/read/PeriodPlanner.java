package dev.varve.engine.read;

import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.write.Companions;
import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.ReadScope;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRefusedException;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.layout.plan.Planner;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Plans the read of a period by its primary or one of its companions, whichever is cheapest. */
final class PeriodPlanner {
  private final OpenDataset dataset;
  private final @Nullable Companions companions;
  private final boolean primariesOnly;

  /**
   * Creates the planner of a dataset.
   *
   * @param companions markers of writes into companions; null if there are no companions
   * @param primariesOnly whether companions are never read
   */
  PeriodPlanner(OpenDataset dataset, @Nullable Companions companions, boolean primariesOnly) {
    this.dataset = dataset;
    this.companions = companions;
    this.primariesOnly = primariesOnly;
  }

  /** The plan of a period, or the reason why it cannot be read. */
  sealed interface Outcome {
    record Planned(PlannedRead read) implements Outcome {}

    record Refused(String reason) implements Outcome {}
  }

  /** A plan to read a period by one of its layouts. */
  private record Candidate(
      PlacedLayout layout, List<Binding> bindings, List<Integer> matches, Plan plan) {
    double cost() {
      return plan.alternatives().isEmpty() ? 0 : plan.alternatives().getFirst().cost();
    }
  }

  /**
   * Plans the read of some series in a period by the cheapest layout.
   *
   * @param wanted indexes of matching series
   * @param apart whether each series must be read apart from the others
   */
  Outcome plan(
      Reading reading, Period period, List<Integer> wanted, boolean attributes, boolean apart) {
    TimeRange times = reading.times().intersect(period.times());
    List<Candidate> candidates = new ArrayList<>();
    List<String> lost = new ArrayList<>();
    @Nullable PlanRefusedException refusal = null;
    for (PlacedLayout layout : period.layouts()) {
      String closed = closed(reading, period, layout, attributes);
      if (closed != null) {
        lost.add(layout.name() + ": " + closed);
        continue;
      }
      try {
        boolean stamps = primariesOnly || attributes || reading.needsStamps();
        candidates.add(
            candidate(reading, layout, times, wanted, attributes, attributes, stamps, apart));
      } catch (PlanRefusedException e) {
        lost.add(layout.name() + ": " + e.getMessage());
        refusal = refusal == null ? e : refusal;
      } catch (DamagedCellException e) {
        throw new CorruptDataException(
            "dataset '%s', layout '%s': %s"
                .formatted(dataset.name(), layout.name(), e.getMessage()));
      }
    }
    if (candidates.isEmpty()) {
      String reason = refusal == null ? String.join("; ", lost) : refusal.getMessage();
      return new Outcome.Refused(reason == null ? "there is no way to read this" : reason);
    }
    Candidate best = cheapest(candidates, lost);
    return new Outcome.Planned(
        new PlannedRead(
            period, times, best.layout(), best.bindings(), best.matches(), best.plan(), lost));
  }

  /**
   * Plans the read of all matching series by one layout of a period, whatever another would cost,
   * also at times for which another period answers.
   *
   * @param attributes whether attributes are read as well: where rows have times, those within the
   *     extents of the series, because rows of all times cannot be listed
   * @throws QueryRefusedException if the layout has no way to read it
   */
  PlannedRead plan(Reading reading, Period period, PlacedLayout layout, boolean attributes) {
    TimeRange times = reading.times().intersect(period.stored());
    List<Integer> all = IntStream.range(0, reading.matches().size()).boxed().toList();
    try {
      boolean anyTime = attributes && layout.layout().rows().timePart() < 0;
      Candidate only = candidate(reading, layout, times, all, attributes, anyTime, true, false);
      return new PlannedRead(
          period, times, layout, only.bindings(), only.matches(), only.plan(), List.of());
    } catch (PlanRefusedException e) {
      throw new QueryRefusedException(String.valueOf(e.getMessage()));
    }
  }

  private static Candidate cheapest(List<Candidate> candidates, List<String> lost) {
    int best = 0;
    for (int i = 1; i < candidates.size(); i++) {
      best = candidates.get(i).cost() < candidates.get(best).cost() ? i : best;
    }
    Candidate chosen = candidates.remove(best);
    for (Candidate other : candidates) {
      lost.add(
          "%s: costs %.0f, %s only %.0f"
              .formatted(
                  other.layout().name(), other.cost(), chosen.layout().name(), chosen.cost()));
    }
    return chosen;
  }

  /** Returns why a layout may not be read; null if it may. */
  private @Nullable String closed(
      Reading reading, Period period, PlacedLayout layout, boolean attributes) {
    if (layout.isPrimary()) {
      return null;
    }
    if (primariesOnly) {
      return "only the primary is read";
    }
    if (attributes) {
      return "attributes are read from the primary";
    }
    if (!(reading.request().versions() instanceof Versions.Latest)
        && !layout.layout().domain().versions()) {
      return "it keeps the last version of a sample only";
    }
    TimeRange times = reading.times().intersect(period.times());
    return companions != null && companions.mayLack(period.index(), times)
        ? "writes of this time may not have reached it yet"
        : null;
  }

  /**
   * Plans the read of some series by one layout.
   *
   * @param anyTime whether rows outside of the extents are read
   */
  private Candidate candidate(
      Reading reading,
      PlacedLayout layout,
      TimeRange times,
      List<Integer> wanted,
      boolean attributes,
      boolean anyTime,
      boolean stamps,
      boolean apart) {
    List<Binding> bindings = new ArrayList<>(wanted.size());
    List<Integer> matches = new ArrayList<>(wanted.size());
    for (int match : wanted) {
      reading.ensureWanted();
      Optional<Binding> binding = layout.findHeld(reading.matches().get(match).key());
      if (binding.isPresent()) {
        bindings.add(binding.get());
        matches.add(match);
      }
    }
    ReadScope scope =
        new ReadScope(
            times,
            reading.fieldsOf(wanted),
            reading.versionsRead(),
            attributes,
            attributes || reading.request().newestFirst() > 0
                ? null
                : reading.request().recurring(),
            stamps);
    boolean wholeTable = reading.request().wholeTable() || dataset.config().wholeTableScans();
    PlanRequest request =
        new PlanRequest(
            bindings,
            scope,
            new IndexCensus(dataset, layout.layout(), series(reading, matches), anyTime),
            reading.request().newestFirst(),
            wholeTable,
            dataset.store().capabilities(layout.dataTable().spec()).order(),
            apart);
    try (Reading.Planning planning = reading.new Planning()) {
      Plan plan = layout.run(Planner.plan(layout.layout(), request), planning);
      return new Candidate(layout, bindings, matches, plan);
    }
  }

  /**
   * Returns the series whose extents bound the plan; null for no bound. Samples that are copied
   * from a primary may lie outside, because the power failure that made the copy necessary may have
   * lost an extent.
   */
  private int @Nullable [] series(Reading reading, List<Integer> matches) {
    return primariesOnly
        ? null
        : matches.stream().mapToInt(match -> reading.matches().get(match).series()).toArray();
  }
}
