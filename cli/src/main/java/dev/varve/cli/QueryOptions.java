package dev.varve.cli;

import dev.varve.cli.io.WrongCallException;
import dev.varve.model.Resolution;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.server.varve.PromQlParameters;
import dev.varve.server.varve.QueryParameters;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Options of a query, shared by {@code query} and {@code explain}. Each is a parameter of Varve's
 * own API by the same name.
 */
final class QueryOptions {
  @Parameters(
      arity = "0..1",
      paramLabel = "SELECTOR",
      description = "Such as 'cpu{host=\"a\",mode=~\"user|system\"}', in PromQL's syntax.")
  private @Nullable String selector;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "First instant: a date, an instant, a number in the dataset's unit, or 15m for 15 minutes ago (default: 1h).")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Last instant, in the same forms (default: now).")
  private @Nullable String to;

  @Option(
      names = "--last",
      paramLabel = "LENGTH",
      description = "The same as --from LENGTH --to now.")
  private @Nullable String last;

  @Option(
      names = "--field",
      paramLabel = "NAME,...",
      description = "The fields wanted (default: all).")
  private @Nullable String field;

  @Option(
      names = "--every",
      paramLabel = "WIDTH",
      description = "Downsample to windows of this width: 30s, 5m, 1h, 1d, 1mo, ...")
  private @Nullable String every;

  @Option(
      names = "--aggregate",
      paramLabel = "NAME",
      description =
          "Aggregation within a window: avg, min, max, sum, count, first, last, rate, dev, p99, ... (default: avg).")
  private @Nullable String aggregate;

  @Option(
      names = "--extent",
      paramLabel = "WIDTH",
      description =
          "Length of each window. Windows end where those of --every end and may overlap (default: that of --every).")
  private @Nullable String extent;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description = "Whose days and months --every means (default: UTC).")
  private @Nullable String zone;

  @Option(
      names = "--rate",
      paramLabel = "counter|gauge",
      description = "Change per second, before downsampling; a counter's fall is a reset.")
  private @Nullable String rate;

  @Option(
      names = "--by",
      paramLabel = "LABEL,...",
      description = "Group the series by these labels.")
  private @Nullable String by;

  @Option(
      names = "--align",
      paramLabel = "linear|previous|zero",
      description =
          "Value of a series at instants that only others of its group have (default: none).")
  private @Nullable String align;

  @Option(
      names = "--across",
      paramLabel = "NAME",
      description = "Aggregation across the series of a group, at each instant (default: sum).")
  private @Nullable String across;

  @Option(
      names = "--order",
      paramLabel = "labels|last|newest",
      description =
          "Series by their labels or by their last value, largest first; or the newest samples first.")
  private @Nullable String order;

  @Option(names = "--limit", paramLabel = "N", description = "This many series.")
  private @Nullable String limit;

  @Option(names = "--samples", paramLabel = "N", description = "This many samples of each series.")
  private @Nullable String samples;

  @Option(
      names = "--as-of",
      paramLabel = "TIME",
      description =
          "Read the samples as known at this time, if the layout keeps versions: a date, an instant, microseconds since 1970, or 15m for 15 minutes ago.")
  private @Nullable String asOf;

  @Option(
      names = "--versions",
      paramLabel = "all",
      description = "Every version of each sample, where the layout keeps them.")
  private @Nullable String versions;

  @Option(names = "--scan", description = "Allow the scan of a whole table.")
  private boolean scan;

  /** Returns the text of the query. */
  @Nullable String selector() {
    return selector;
  }

  /**
   * Returns the query as PromQL.
   *
   * @param step time between two evaluations; null for a query at one time
   * @throws WrongCallException if the options are invalid
   */
  PromQlParameters promQl(@Nullable String step) {
    Map<String, String> texts = new LinkedHashMap<>(texts());
    String query = texts.remove("selector");
    if (query == null) {
      throw new WrongCallException("the query in PromQL is missing");
    }
    texts.put(PromQlParameters.QUERY, query);
    put(texts, "step", step);
    try {
      PromQl.parse(query);
      return new PromQlParameters(texts);
    } catch (PromQlException | IllegalArgumentException e) {
      throw new WrongCallException(String.valueOf(e.getMessage()));
    }
  }

  boolean hasSelector() {
    return selector != null;
  }

  /**
   * Returns the query, validated as far as possible without the dataset.
   *
   * @throws WrongCallException if the options are invalid
   */
  QueryParameters parameters() {
    try {
      QueryParameters parameters = new QueryParameters(texts());
      parameters.plan(Resolution.MILLISECONDS, Instant.now());
      return parameters;
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      throw new WrongCallException(String.valueOf(e.getMessage()));
    }
  }

  private Map<String, String> texts() {
    if (last != null && (from != null || to != null)) {
      throw new WrongCallException("--last goes with neither --from nor --to");
    }
    if (last != null && !QueryParameters.isLength(last)) {
      throw new WrongCallException(
          "'" + last + "' for '--last' is no length of time (try 15m, 1h, 7d)");
    }
    Map<String, String> texts = new LinkedHashMap<>();
    put(texts, "selector", selector);
    put(texts, "from", last != null ? last : from);
    put(texts, "to", to);
    put(texts, "field", field);
    put(texts, "every", every);
    put(texts, "aggregate", aggregate);
    put(texts, "extent", extent);
    put(texts, "zone", zone);
    put(texts, "rate", rate);
    put(texts, "by", by);
    put(texts, "align", align);
    put(texts, "across", across);
    put(texts, "order", order);
    put(texts, "limit", limit);
    put(texts, "samples", samples);
    put(texts, "asof", asOf);
    put(texts, "versions", versions);
    put(texts, "scan", scan ? "true" : null);
    return texts;
  }

  private static void put(Map<String, String> texts, String name, @Nullable String text) {
    if (text != null) {
      texts.put(name, text);
    }
  }
}
