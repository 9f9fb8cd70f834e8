package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.ReadRequest;
import dev.varve.query.Outline;
import dev.varve.query.PlanExplanation;
import dev.varve.query.running.QueryUse;
import dev.varve.server.explain.Explainable;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.opentsdb.expression.Expressions;
import dev.varve.server.opentsdb.expression.Functions;
import dev.varve.server.opentsdb.histogram.Histograms;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.PartOutline;
import dev.varve.server.opentsdb.query.QueryBody;
import dev.varve.server.opentsdb.query.Sources;
import dev.varve.server.opentsdb.query.TsQuery;
import dev.varve.server.opentsdb.query.UrlQuery;
import dev.varve.server.opentsdb.rollup.Rollups;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A query of OpenTSDB, for explanations: the JSON that is posted to {@code /api/query}, {@code
 * /api/query/exp} or {@code /api/query/last}, or the parameters of a URL of {@code /api/query},
 * {@code /api/query/gexp} or {@code /api/query/last}.
 */
public final class OpenTsdbQuery implements Explainable {
  private final TsQuery.Checked query;
  private final List<String> formulas;

  private OpenTsdbQuery(TsQuery.Checked query, List<String> formulas) {
    this.query = query;
    this.formulas = formulas;
  }

  /**
   * Reads a query.
   *
   * @param now the time that relative times refer to, in milliseconds since 1970
   * @param memory reservation for what is parsed
   * @throws HttpError 400 with OpenTSDB's message if the query is invalid
   */
  public static Explainable of(String text, long now, Reservation memory) {
    return inWords(() ->
        text.stripLeading().startsWith("{") ? posted(text, now, memory) : inUrl(text, now, memory));
  }

  private static Explainable posted(String text, long now, Reservation memory) {
    JsonBody body = JsonBody.read(text.getBytes(StandardCharsets.UTF_8), memory);
    if (body.has("queries") && !body.has("start")) {
      return new LastQuery(LastRequest.posted(body), now);
    }
    if (!body.has("expressions")) {
      return new OpenTsdbQuery(QueryBody.read(body).check(now), List.of());
    }
    Expressions expressions = Expressions.read(body, now);
    return new OpenTsdbQuery(expressions.query().check(now), expressions.texts());
  }

  private static Explainable inUrl(String text, long now, Reservation memory) {
    Map<String, List<String>> values =
        Form.readAll(text.substring(text.indexOf('?') + 1).strip(), memory);
    if (values.containsKey("timeseries") || values.containsKey("tsuids")) {
      return new LastQuery(LastRequest.inUrl(name -> values.getOrDefault(name, List.of())), now);
    }
    UrlQuery url = new UrlQuery(name -> values.getOrDefault(name, List.of()));
    List<String> functions = url.parameters().apply("exp");
    if (functions.isEmpty()) {
      return new OpenTsdbQuery(url.query().check(now), List.of());
    }
    return new OpenTsdbQuery(url.query(Functions.parse(functions).queries()).check(now), functions);
  }

  /** Passes on errors without OpenTSDB's format, as errors of the client. */
  private static <T> T inWords(Supplier<T> work) {
    try {
      return work.get();
    } catch (OpenTsdbError e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public PlanExplanation explain(
      Dataset dataset, Function<String, Dataset> beside, QueryUse use, boolean analyze) {
    Rollups rollups = new Rollups(dataset, beside);
    Histograms histograms = new Histograms(dataset, beside);
    IdentityHashMap<ReadRequest, Dataset> reads = new IdentityHashMap<>();
    return inWords(() -> {
      long begun = System.nanoTime();
      List<Outline> parts = new ArrayList<>();
      for (TsQuery.Part part : query.parts()) {
        parts.add(
            part.sub().ofHistograms() && histograms.codec() != null
                ? PartOutline.ofHistograms(histograms, rollups, query, part, use, reads::put)
                : PartOutline.of(new Sources(rollups), query, part, use, analyze, reads::put));
      }
      long nanos = analyze ? System.nanoTime() - begun : 0;
      return outline(parts)
          .explain(
              analyze ? notRun() : List.of(),
              nanos,
              request -> reads.getOrDefault(request, dataset).explain(request, false, use));
    });
  }

  /** Returns what an analysis leaves out, in words. */
  private List<String> notRun() {
    List<String> notes = new ArrayList<>();
    if (!formulas.isEmpty()) {
      notes.add("the queries were run, the formulas were not");
    }
    if (query.parts().stream().anyMatch(part -> part.sub().ofHistograms())) {
      notes.add("histograms were not read");
    }
    return notes;
  }

  private Outline outline(List<Outline> parts) {
    return formulas.isEmpty()
        ? Outline.of("opentsdb", "", parts)
        : Outline.of("opentsdb expressions", String.join("; ", formulas), parts);
  }
}
