package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.series.HeroicSeries;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A session for each group. */
final class GroupSession implements Session {
  private static final int GROUP_BYTES = 400;

  private final Stage.Grouping grouping;
  private final Setting setting;
  private final Map<Map<String, String>, Session> sessions = new LinkedHashMap<>();

  GroupSession(Stage.Grouping grouping, Setting setting) {
    this.grouping = grouping;
    this.setting = setting;
  }

  @Override
  public void update(Map<String, String> key, Set<HeroicSeries> series, Values values) {
    Map<String, String> group = group(key);
    Session session = sessions.get(group);
    if (session == null) {
      setting.retained().hold(GROUP_BYTES + 80L * group.size(), "groups of a query");
      session = setting.of(grouping.each());
      sessions.put(group, session);
    }
    session.update(group, series, values);
  }

  private Map<String, String> group(Map<String, String> key) {
    List<String> of = grouping.of();
    if (of == null) {
      return grouping.collapses() ? Map.of() : key;
    }
    if (grouping.collapses()) {
      Map<String, String> rest = new TreeMap<>(key);
      rest.keySet().removeAll(of);
      return rest;
    }
    Map<String, String> shared = new TreeMap<>();
    for (String name : of) {
      String value = key.get(name);
      if (value != null) {
        shared.put(name, value);
      }
    }
    return shared;
  }

  @Override
  public List<Output> result() {
    List<Output> all = new ArrayList<>();
    sessions.forEach((group, session) -> {
      for (Output output : session.result()) {
        all.add(new Output(group, output.series(), output.values()));
      }
    });
    return all;
  }
}
