package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.query.OperatorException;
import dev.varve.query.PlanExplanation;
import dev.varve.query.Query;
import dev.varve.query.QueryPlan;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.query.promql.PromQlException;
import dev.varve.query.promql.eval.PromQlEvaluationException;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.QueryUse;
import dev.varve.server.explain.Explainable;
import dev.varve.server.heroic.query.HeroicQuery;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.kairosdb.KairosDbQuery;
import dev.varve.server.opentsdb.OpenTsdbQuery;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A query to explain, in any language, as parameters of the command line and of Varve's own API:
 * {@link QueryParameters}, {@link PromQlParameters}, or one parameter named like a dialect, whose
 * value is the whole query. With {@code analyze=true} the query is run as well.
 */
public final class ExplainRequest {
  private static final String ANALYZE = "analyze";

  /** Reads the query of a dialect. */
  private interface Reader {
    Explainable read(String text, Clock clock, Reservation memory);
  }

  private static final Map<String, Reader> DIALECTS =
      new TreeMap<>(
          Map.of(
              "kairosdb",
              KairosDbQuery::new,
              "opentsdb",
              (text, clock, memory) -> OpenTsdbQuery.of(text, clock.millis(), memory),
              "heroic",
              (text, clock, memory) -> HeroicQuery.of(text, clock.millis(), memory)));

  private final Explainable query;
  private final boolean analyze;
  private final String words;

  private ExplainRequest(Explainable query, boolean analyze, String words) {
    this.query = query;
    this.analyze = analyze;
    this.words = words;
  }

  /** Returns the dialects whose whole query is the value of a parameter of their name. */
  public static List<String> dialects() {
    return List.copyOf(DIALECTS.keySet());
  }

  /** Returns parameters that also ask for the run of the query, if it is wanted. */
  public static Map<String, String> with(Map<String, String> texts, boolean analyze) {
    Map<String, String> all = new LinkedHashMap<>(texts);
    all.put(ANALYZE, Boolean.toString(analyze));
    return all;
  }

  /**
   * Reads a request.
   *
   * @param clock the time that relative times refer to
   * @param memory reservation for what is parsed
   * @throws HttpError 400 if a parameter is wrong
   */
  public static ExplainRequest of(Map<String, String> texts, Clock clock, Reservation memory) {
    Map<String, String> query = new LinkedHashMap<>(texts);
    boolean analyze = "true".equals(query.remove(ANALYZE));
    String words = (analyze ? "explain analyze " : "explain ") + words(query);
    return new ExplainRequest(read(query, clock, memory), analyze, words);
  }

  private static Explainable read(Map<String, String> texts, Clock clock, Reservation memory) {
    for (Map.Entry<String, Reader> dialect : DIALECTS.entrySet()) {
      String text = texts.get(dialect.getKey());
      if (text != null) {
        return dialect.getValue().read(text, clock, memory);
      }
    }
    try {
      if (texts.containsKey(PromQlParameters.QUERY)) {
        PromQlParameters promQl = new PromQlParameters(texts);
        return (dataset, beside, use, analyze) -> explain(promQl, dataset, use, clock, analyze);
      }
      QueryParameters own = new QueryParameters(texts);
      return (dataset, beside, use, analyze) -> explain(own, dataset, use, clock, analyze);
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
  }

  private static PlanExplanation explain(
      PromQlParameters query, Dataset dataset, QueryUse use, Clock clock, boolean analyze) {
    try {
      return query.explain(dataset, use, PromSettings.DEFAULTS, clock.instant(), analyze);
    } catch (PromQlException | IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    } catch (PromQlEvaluationException | QueryRefusedException e) {
      throw new HttpError(422, String.valueOf(e.getMessage()));
    }
  }

  private static PlanExplanation explain(
      QueryParameters query, Dataset dataset, QueryUse use, Clock clock, boolean analyze) {
    QueryPlan plan;
    try {
      plan = query.plan(dataset.resolution(), clock.instant());
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
    try {
      return Query.explain(List.of(plan), "query", dataset, use, analyze);
    } catch (OperatorException e) {
      throw new HttpError(422, String.valueOf(e.getMessage()));
    }
  }

  /** Explains the query. Takes and throws as {@link Explainable#explain}. */
  public PlanExplanation explain(Dataset dataset, Function<String, Dataset> beside, QueryUse use) {
    return query.explain(dataset, beside, use, analyze);
  }

  /** Returns the text under which the request is listed. */
  String listed() {
    return words;
  }

  /** Returns the text under which a query is listed: the query, then its other parameters. */
  static String words(Map<String, String> texts) {
    String what =
        texts.keySet().stream()
            .filter(name -> DIALECTS.containsKey(name) || name.equals(PromQlParameters.QUERY))
            .findFirst()
            .orElse("selector");
    StringBuilder words = new StringBuilder(texts.getOrDefault(what, ""));
    texts.forEach((name, text) -> {
      if (!name.equals(what)) {
        words.append(' ').append(name).append('=').append(text);
      }
    });
    return words.toString();
  }
}
