package dev.varve.server.opentsdb.query;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A query as parameters of a URL.
 *
 * @param parameters returns all values of a parameter, decoded; empty if it is absent
 */
public record UrlQuery(Function<String, List<String>> parameters) {

  /**
   * Returns the query of the parameters {@code tsuid} and {@code m}.
   *
   * @throws OpenTsdbError with OpenTSDB's message if it is malformed
   */
  public TsQuery query() {
    List<SubQuery> subs = new ArrayList<>();
    parameters.apply("tsuid").forEach(tsuids -> subs.add(QueryWords.tsuids(tsuids)));
    parameters.apply("m").forEach(metric -> subs.add(QueryWords.metric(metric)));
    return query(List.copyOf(new LinkedHashSet<>(subs)));
  }

  /**
   * Returns the query with the given sub queries.
   *
   * @throws OpenTsdbError 400 if the start or the sub queries are missing
   */
  public TsQuery query(List<SubQuery> subs) {
    String start = first("start");
    if (start == null || start.isEmpty()) {
      throw new OpenTsdbError(400, "Missing parameter <code>start</code>");
    }
    if (subs.isEmpty()) {
      throw new OpenTsdbError(400, "Missing sub queries");
    }
    return new TsQuery(
        start,
        first("end"),
        null,
        false,
        subs,
        new TsQuery.Options(
            has("padding"),
            has("no_annotations"),
            has("global_annotations"),
            has("show_tsuids"),
            has("ms"),
            has("show_query"),
            has("show_stats"),
            has("show_summary"),
            false));
  }

  private @Nullable String first(String parameter) {
    List<String> values = parameters.apply(parameter);
    return values.isEmpty() ? null : values.getFirst();
  }

  private boolean has(String parameter) {
    return first(parameter) != null;
  }
}
