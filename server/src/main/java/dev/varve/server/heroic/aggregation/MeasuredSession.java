package dev.varve.server.heroic.aggregation;

import dev.varve.engine.request.ReadRequest;
import dev.varve.query.Analysis;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Counts the lines and points that a stage makes, and the time that it takes. */
final class MeasuredSession implements Session {
  private final Stage stage;
  private final Session session;
  private final Analysis<Stage, ReadRequest> analysis;

  MeasuredSession(Stage stage, Session session, Analysis<Stage, ReadRequest> analysis) {
    this.stage = stage;
    this.session = session;
    this.analysis = analysis;
  }

  @Override
  public void update(Map<String, String> key, Set<HeroicSeries> series, Values values) {
    Stage before = analysis.enter(stage);
    session.update(key, series, values);
    analysis.enter(before);
  }

  @Override
  public List<Output> result() {
    Stage before = analysis.enter(stage);
    List<Output> result = session.result();
    analysis.enter(before);
    long values = 0;
    for (Output output : result) {
      values += output.values().size();
    }
    analysis.returned(stage, result.size(), values);
    return result;
  }
}
