package dev.varve.engine.read;

import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.Binding;
import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope;
import dev.varve.layout.Step;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.layout.plan.Planner;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.RowOrder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plans reads of a dataset's series in any layout, whether the dataset has it or not, with the
 * counts of its catalog. Safe for use by several threads.
 */
public final class WhatIf {
  private final OpenDataset dataset;

  public WhatIf(OpenDataset dataset) {
    this.dataset = dataset;
  }

  /** Returns the times of a request within the retention. */
  public TimeRange kept(ReadRequest request) {
    return request.times().intersect(new TimeRange(dataset.oldestKept(), Long.MAX_VALUE));
  }

  /**
   * Returns the step that plans a read. All series are planned together.
   *
   * @param matches the series, in the order of the bindings
   * @param order the order in which the store would keep the rows
   */
  public Step<Plan> plan(
      ReadRequest request,
      List<Match> matches,
      List<Binding> bindings,
      Layout layout,
      RowOrder order) {
    ReadScope scope =
        new ReadScope(
            kept(request),
            fields(request, matches),
            request.versions(),
            false,
            request.recurring());
    int[] series = matches.stream().mapToInt(Match::series).toArray();
    return Planner.plan(
        layout,
        new PlanRequest(
            bindings,
            scope,
            new IndexCensus(dataset, layout, series, false, dataset.now() + 1),
            request.newestFirst(),
            request.wholeTable() || dataset.config().wholeTableScans(),
            order,
            false));
  }

  private static @Nullable Set<String> fields(ReadRequest request, List<Match> matches) {
    if (request.fields() != null) {
      return request.fields();
    }
    Set<String> fields = new HashSet<>();
    for (Match match : matches) {
      if (match.fields().isEmpty()) {
        return null;
      }
      fields.addAll(match.fields());
    }
    return fields;
  }
}
