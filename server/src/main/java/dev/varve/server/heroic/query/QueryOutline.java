package dev.varve.server.heroic.query;

import dev.varve.engine.request.ReadRequest;
import dev.varve.model.Resolution;
import dev.varve.query.Analysis;
import dev.varve.query.Outline;
import dev.varve.query.ReadOutline;
import dev.varve.query.promql.Durations;
import dev.varve.server.heroic.aggregation.Fold;
import dev.varve.server.heroic.aggregation.Rule;
import dev.varve.server.heroic.aggregation.Stage;
import dev.varve.server.heroic.filter.Alternatives;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Outlines a query: what it reads, and its aggregations on top. */
final class QueryOutline {
  private final PreparedQuery query;
  private final SampleReader reader;
  private final Resolution resolution;
  private final @Nullable Analysis<Stage, ReadRequest> analysis;

  /**
   * Creates the outline of a query.
   *
   * @param analysis the figures of a run; null if the query was not run
   */
  QueryOutline(
      PreparedQuery query,
      SampleReader reader,
      Resolution resolution,
      @Nullable Analysis<Stage, ReadRequest> analysis) {
    this.query = query;
    this.reader = reader;
    this.resolution = resolution;
    this.analysis = analysis;
  }

  Outline outline() {
    List<Outline> reads = Alternatives.of(query.filter()).stream().map(this::select).toList();
    return of(query.stage(), reads);
  }

  private Outline select(Alternatives.Alternative alternative) {
    String selector = ReadOutline.text(alternative.selector());
    if (query.distributions()) {
      // Distributions are attributes, whose reads have no plan.
      return Outline.of("distributions", selector, List.of());
    }
    ReadRequest request = reader.request(alternative.selector());
    ReadOutline read =
        ReadOutline.of(
            request, resolution, "all", analysis == null ? null : analysis.read(request).actual());
    return Outline.of("select", selector, read);
  }

  private Outline of(Stage stage, List<Outline> inputs) {
    return switch (stage) {
      case Stage.Collect collect -> node(stage, "collect", "the points of each series", inputs);
      case Stage.Buckets buckets ->
          node(stage, name(buckets.fold()), detail(buckets.size(), buckets.extent()), inputs);
      case Stage.Map(Rule.OfPoints rule) -> node(stage, name(rule), "", inputs);
      case Stage.Choose(Rule.OfSeries rule) -> node(stage, name(rule), "", inputs);
      case Stage.Grouping grouping ->
          node(
              stage,
              grouping.collapses() ? "collapse" : "group",
              detail(grouping.of()),
              List.of(of(grouping.each(), inputs)));
      case Stage.Sequence sequence -> {
        List<Outline> below = inputs;
        for (Stage next : sequence.stages()) {
          below = List.of(of(next, below));
        }
        yield below.getFirst();
      }
    };
  }

  private Outline node(Stage stage, String name, String detail, List<Outline> inputs) {
    return Outline.of(name, detail, analysis == null ? null : analysis.figures(stage), inputs);
  }

  private static String detail(@Nullable List<String> names) {
    return names == null
        ? "of all"
        : names.isEmpty() ? "of none" : "of " + String.join(", ", names);
  }

  private static String detail(long size, long extent) {
    String of = "of " + length(size);
    return extent == size ? of : of + ", each from the last " + length(extent);
  }

  private static String length(long millis) {
    return Durations.text(Duration.ofMillis(millis));
  }

  private static String name(Fold fold) {
    return switch (fold) {
      case Fold.Basic basic -> basic.label();
      case Fold.Quantile quantile -> "quantile " + quantile.q();
      case Fold.Cardinality cardinality ->
          cardinality.includeKey() ? "cardinality with keys" : "cardinality";
    };
  }

  private static String name(Rule rule) {
    return switch (rule) {
      case Rule.Delta delta -> delta.perSecond() ? "deltaPerSecond" : "delta";
      case Rule.NotNegative none -> "notNegative";
      case Rule.Points points ->
          (points.above() ? "pointsabove " : "pointsbelow ") + points.threshold();
      case Rule.Area area -> (area.largest() ? "topk " : "bottomk ") + area.k();
      case Rule.Extreme extreme -> (extreme.above() ? "abovek " : "belowk ") + extreme.k();
    };
  }
}
