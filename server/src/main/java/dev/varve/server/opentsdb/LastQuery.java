package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.ReadRequest;
import dev.varve.query.Analysis;
import dev.varve.query.Outline;
import dev.varve.query.PlanExplanation;
import dev.varve.query.ReadOutline;
import dev.varve.query.running.QueryUse;
import dev.varve.server.explain.Explainable;
import dev.varve.server.http.HttpError;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A request to {@code /api/query/last}, for explanations. */
final class LastQuery implements Explainable {
  private static final String NEWEST = "newest point";

  private final LastRequest asked;
  private final long now;

  /**
   * @param now the time that {@code back_scan} refers to, in milliseconds since 1970
   */
  LastQuery(LastRequest asked, long now) {
    this.asked = asked;
    this.now = now;
  }

  @Override
  public PlanExplanation explain(
      Dataset dataset, Function<String, Dataset> beside, QueryUse use, boolean analyze) {
    LastScan scan = new LastScan(dataset, asked.backScan(), now, use);
    long begun = System.nanoTime();
    List<Outline> parts = new ArrayList<>();
    try {
      for (LastRequest.Sub sub : asked.subs()) {
        for (LastScan.Wanted wanted : scan.wanted(sub)) {
          parts.add(part(wanted, dataset, scan, analyze));
        }
      }
    } catch (OpenTsdbError e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
    long nanos = analyze ? System.nanoTime() - begun : 0;
    return Outline.of("opentsdb last", "", parts)
        .explain(List.of(), nanos, request -> dataset.explain(request, false, use));
  }

  private static Outline part(
      LastScan.Wanted wanted, Dataset dataset, LastScan scan, boolean analyze) {
    ReadRequest request = wanted.request();
    Analysis<String, ReadRequest> analysis = analyze ? new Analysis<>() : null;
    if (analysis != null) {
      analysis.enter(NEWEST);
      scan.read(wanted, analysis, (series, samples, newest) -> analysis.returned(NEWEST, 1, 1));
      analysis.enter(null);
    }
    ReadOutline read =
        ReadOutline.of(
            request,
            dataset.resolution(),
            "all",
            analysis == null ? null : analysis.read(request).actual());
    String only =
        wanted.only() == null
            ? ""
            : ", no other tags than " + String.join(", ", wanted.only().keySet());
    Outline select = Outline.of("select", ReadOutline.text(request.selector()) + only, read);
    return Outline.of(
        NEWEST,
        "of each series, read from the newest end",
        analysis == null ? null : analysis.figures(NEWEST),
        List.of(select));
  }
}
