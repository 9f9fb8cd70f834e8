package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.series.HeroicSeries;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Feeds the result of each stage to the next. */
final class SequenceSession implements Session {
  private final Session first;
  private final List<Stage> rest;
  private final Setting setting;

  SequenceSession(List<Stage> stages, Setting setting) {
    this.first = setting.of(stages.getFirst());
    this.rest = stages.subList(1, stages.size());
    this.setting = setting;
  }

  @Override
  public void update(Map<String, String> key, Set<HeroicSeries> series, Values values) {
    first.update(key, series, values);
  }

  @Override
  public List<Output> result() {
    List<Output> current = first.result();
    for (Stage stage : rest) {
      Session session = setting.of(stage);
      for (Output output : current) {
        session.update(output.key(), output.series(), output.values());
      }
      current = session.result();
    }
    return current;
  }
}
