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
 * <p>A way to read pins the first parts of the key to values and leaves what follows open: as a
 * range of time, where the next part carries it, or as everything behind the prefix; rows of other
 * series are dropped after reading. For a key of {@code n} parts there are {@code n + 1} ways, from
 * exact rows to the whole table. Each is weighed by the seeks, rows and cells that it is expected
 * to cost, those that would leave the partitions unnamed or the rows out of order are closed, and
 * the cheapest open one is gone.
 */
public final class Planner {
  private Planner() {}

  /**
   * Plans a read. Only a layout with a {@link RowAddressing#directory()} looks into its tables for
   * it.
   *
   * @throws PlanRefusedException if there is no way to read what is asked; it may also come out of
   *     the functions of the step
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
      return Step.done(nothing("no sample can lie at the times that are asked for"));
    }
    if (layout.select(request.scope()).isEmpty()) {
      return Step.done(nothing("the layout holds nothing of what is asked for"));
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
            "the query takes a scan of the whole table, which it must ask for. " + reasons)
        : new PlanRefusedException("there is no way to read this. " + reasons);
  }

  private static List<Plan.Alternative> alternatives(List<Way> cheapestFirst) {
    List<Plan.Alternative> alternatives = new ArrayList<>();
    for (Way way : cheapestFirst) {
      String verdict = alternatives.isEmpty() ? "cheapest: " : "";
      alternatives.add(
          new Plan.Alternative(
              way.name(),
              way.cost(),
              way.closed() != null ? way.closed() : verdict + way.amounts()));
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
      notes.add("rows of other series are read and dropped; nobody has counted how many");
    }
    int fanOut = Pinning.of(survey, way.pinned()).fanOut();
    if (fanOut > 1) {
      notes.add("every range is read %,d times, once for each salt".formatted(fanOut));
    }
    noteOfPartitions(survey, estimate.partitions(), notes);
    return notes;
  }

  /** Those of the slices, or where these run across partitions those that were weighed. */
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
