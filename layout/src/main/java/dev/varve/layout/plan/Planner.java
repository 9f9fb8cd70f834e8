package dev.varve.layout.plan;

import dev.varve.layout.Binding;
import dev.varve.layout.RowAddressing;
import dev.varve.layout.Step;
import dev.varve.model.Recurring;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Plans the reads of every layout by walking the parts of its row keys.
 *
 * <p>A way pins the first parts of the key to values and leaves the rest open: as a range of time
 * if the next part carries time, else as everything with the prefix. Rows of other series are
 * dropped after reading. A key of {@code n} parts has {@code n + 1} ways, from exact rows to the
 * whole table. The cost of a way is estimated from its seeks, rows and cells. A way is closed if it
 * cannot name its partitions or would return rows out of order. The cheapest open way is taken.
 */
public final class Planner {
  private Planner() {}

  /**
   * Plans a read. The step reads tables only if the layout has a {@link RowAddressing#directory()}.
   *
   * @throws PlanRefusedException if no plan is possible; the functions of the step may throw it too
   */
  public static Step<Plan> plan(RowAddressing layout, PlanRequest request) {
    Step<Plan> plan = null;
    for (PlanRequest era : Eras.of(layout.rows(), request)) {
      plan =
          plan == null
              ? planEra(layout, era)
              : plan.then(before -> planEra(layout, era).map(more -> Eras.joined(before, more)));
    }
    return Objects.requireNonNull(plan);
  }

  /**
   * Returns the cost of a read in units of rows, as plans weigh it.
   *
   * @param slices number of seeks
   */
  public static double cost(double slices, double rows, double cells) {
    return Weights.cost(slices, rows, cells);
  }

  private static Step<Plan> planEra(RowAddressing layout, PlanRequest request) {
    List<? extends Binding> bindings = request.bindings();
    if (bindings.isEmpty()) {
      return Step.done(nothing("no series matches"));
    }
    Survey survey = new Survey(layout, request, bindings);
    if (survey.times.isEmpty()
        && (layout.rows().timePart() >= 0 || !request.scope().attributes())) {
      return Step.done(nothing("no sample can lie in the time range"));
    }
    Recurring recurring = request.scope().recurring();
    if (recurring != null && !recurring.overlaps(survey.times)) {
      return Step.done(nothing("no sample can lie at the requested times"));
    }
    if (layout.select(request.scope()).isEmpty()) {
      return Step.done(nothing("the layout holds nothing of what was requested"));
    }
    return layout.directory().isPresent()
        ? DirectoryPlan.of(layout.directory().get(), survey)
        : Step.done(cheapest(survey));
  }

  static Plan nothing(String note) {
    OptionalLong none = OptionalLong.of(0);
    return new Plan(
        List.of(), new Plan.Estimate(0, 0, none, none, none, none), List.of(), List.of(note));
  }

  private static Plan cheapest(Survey survey) {
    List<Way> ways = new ArrayList<>();
    double cheapest = Double.POSITIVE_INFINITY;
    for (int pinned = survey.shape.parts().size(); pinned >= 0; pinned--) {
      Way way = Way.of(survey, pinned, cheapest);
      ways.add(way);
      cheapest = Math.min(cheapest, way.cost());
    }
    ways.sort(Comparator.comparingDouble(Way::cost));
    Way best = ways.getFirst();
    if (!best.open()) {
      throw refusal(ways);
    }
    SliceWriter writer = new SliceWriter(survey, best.pinned());
    Pinning pinning = Pinning.of(survey, best.pinned());
    boolean evenly = survey.means().fillRows();
    List<Plan.StrandGroup> groups = writer.groups();
    Way.Amount wanted = new Way.Amount(survey.bindings.size(), true);
    Plan.Estimate estimate =
        new Plan.Estimate(
            partitions(survey, best, writer),
            writer.sliceCount(),
            best.rows().known(),
            wanted.times(survey.means().rows()).share(pinning.share(), evenly).known(),
            best.cells().known(),
            wanted.times(survey.means().cells()).share(pinning.shareOfTimes(), evenly).known());
    return new Plan(groups, estimate, alternatives(ways), notes(survey, best, groups, estimate));
  }

  private static PlanRefusedException refusal(List<Way> ways) {
    String reasons =
        ways.stream()
            .map(way -> way.name() + ": " + way.closed())
            .collect(Collectors.joining("; "));
    return ways.stream().anyMatch(Way::scansTable)
        ? new WholeTableScanException(
            "the query requires a scan of the whole table, which it must allow. " + reasons)
        : new PlanRefusedException("this cannot be read. " + reasons);
  }

  private static List<Plan.Alternative> alternatives(List<Way> cheapestFirst) {
    List<Plan.Alternative> alternatives = new ArrayList<>();
    for (Way way : cheapestFirst) {
      String verdict = alternatives.isEmpty() ? "cheapest: " : "";
      alternatives.add(
          new Plan.Alternative(
              way.name(),
              way.cost(),
              way.closed() != null ? way.closed() : verdict + way.amounts(),
              new Plan.Expected(way.slices(), way.rows().value(), way.cells().value())));
    }
    return alternatives;
  }

  private static List<String> notes(
      Survey survey, Way way, List<Plan.StrandGroup> groups, Plan.Estimate estimate) {
    List<String> notes = new ArrayList<>();
    OptionalLong rows = estimate.rows();
    OptionalLong wanted = estimate.rowsWanted();
    if (rows.isPresent() && wanted.isPresent() && rows.getAsLong() > wanted.getAsLong()) {
      notes.add(
          "this query scans %,d rows to return %,d"
              .formatted(rows.getAsLong(), wanted.getAsLong()));
    } else if (rows.isEmpty() && groups.getFirst().strands().getFirst().filtered()) {
      notes.add("rows of other series are read and dropped; their number is unknown");
    }
    int fanOut = Pinning.of(survey, way.pinned()).fanOut();
    if (fanOut > 1) {
      notes.add("every range is read %,d times, once for each salt".formatted(fanOut));
    }
    noteOfPartitions(survey, estimate.partitions(), notes);
    return notes;
  }

  /**
   * Returns the number of partitions of the slices, or the estimate of the way if slices span
   * partitions.
   */
  private static long partitions(Survey survey, Way way, SliceWriter writer) {
    boolean across = way.pinned() < survey.shape.partitionParts();
    return across ? Math.round(way.partitions()) : writer.partitionCount();
  }

  static void noteOfPartitions(Survey survey, long partitions, List<String> notes) {
    if (survey.partitioned && partitions > Weights.PARTITIONS_SOFT) {
      notes.add(
          "this query reads %,d partitions; beyond %,d it is refused unless whole-table scans are allowed"
              .formatted(partitions, Weights.PARTITIONS_HARD));
    }
  }
}
