package dev.varve.server.heroic.query;

import dev.varve.engine.Dataset;
import dev.varve.query.Outline;
import dev.varve.query.PlanExplanation;
import dev.varve.query.running.QueryUse;
import dev.varve.server.explain.Explainable;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.json.Node;
import dev.varve.server.heroic.json.NodeReader;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.WriteBudget.Reservation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A query of Heroic, for explanations: the JSON of {@code /query/metrics} or {@code /query/batch},
 * or the query language.
 */
public final class HeroicQuery implements Explainable {
  private final Map<String, PreparedQuery> queries;

  private HeroicQuery(Map<String, PreparedQuery> queries) {
    this.queries = queries;
  }

  /**
   * Reads a query.
   *
   * @param now the time that relative times refer to, in milliseconds since 1970
   * @param memory reservation for what is parsed
   * @throws HttpError 400 with Heroic's message if the query is invalid
   */
  public static HeroicQuery of(String text, long now, Reservation memory) {
    try {
      QueryReader reader = new QueryReader(now);
      if (!text.stripLeading().startsWith("{")) {
        return new HeroicQuery(Map.of("", reader.text(text)));
      }
      Node body = NodeReader.read(text.getBytes(StandardCharsets.UTF_8), memory);
      return new HeroicQuery(
          body.get("queries") == null ? Map.of("", reader.json(body, null)) : reader.batch(body));
    } catch (HeroicError e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public PlanExplanation explain(
      Dataset dataset, Function<String, Dataset> beside, QueryUse use, boolean analyze) {
    long begun = System.nanoTime();
    QueryRunner runner = new QueryRunner(dataset, use);
    List<Outline> outlines = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    queries.forEach((name, query) -> {
      Outline outline = runner.outline(query, analyze, notes);
      outlines.add(name.isEmpty() ? outline : Outline.of("query", name, List.of(outline)));
    });
    long nanos = analyze ? System.nanoTime() - begun : 0;
    return Outline.of("heroic", "", outlines)
        .explain(notes, nanos, request -> dataset.explain(request, false, use));
  }
}
