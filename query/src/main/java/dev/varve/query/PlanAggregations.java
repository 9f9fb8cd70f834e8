package dev.varve.query;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The aggregations of a plan in a few words, for the query log. */
final class PlanAggregations {
  private PlanAggregations() {}

  /**
   * Returns the aggregations, such as {@code avg by (host)(max)}; empty if nothing is aggregated.
   * Windows are left out: many begin with the range of their query, and each would be a kind of its
   * own.
   */
  static String of(QueryPlan plan) {
    List<String> words = new ArrayList<>();
    for (QueryPlan at = plan; at != null; at = inputOf(at)) {
      switch (at) {
        case QueryPlan.GroupBy group ->
            words.add(
                group.labels().isEmpty()
                    ? group.aggregation().toString()
                    : group.aggregation() + " by (" + String.join(", ", group.labels()) + ")");
        case QueryPlan.Downsample down -> words.add(down.aggregation().toString());
        case QueryPlan.Rolling rolling -> words.add(rolling.aggregation() + " rolling");
        case QueryPlan.Rate _ -> words.add("rate");
        case QueryPlan.Select _,
            QueryPlan.Merge _,
            QueryPlan.Align _,
            QueryPlan.Split _,
            QueryPlan.Order _,
            QueryPlan.Limit _,
            QueryPlan.PerSeries _,
            QueryPlan.Numbers _ -> {
          // Other operators do not reduce samples.
        }
      }
    }
    return words.isEmpty() ? "" : String.join("(", words) + ")".repeat(words.size() - 1);
  }

  private static @Nullable QueryPlan inputOf(QueryPlan plan) {
    return switch (plan) {
      case QueryPlan.Select _ -> null;
      case QueryPlan.Merge merge -> merge.input();
      case QueryPlan.GroupBy group -> group.input();
      case QueryPlan.Align align -> align.input();
      case QueryPlan.Split split -> split.input();
      case QueryPlan.Order order -> order.input();
      case QueryPlan.Limit limit -> limit.input();
      case QueryPlan.PerSeries each -> each.input();
      case QueryPlan.Numbers numbers -> numbers.operator().input();
    };
  }
}
