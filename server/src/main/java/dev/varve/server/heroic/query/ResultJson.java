package dev.varve.server.heroic.query;

import dev.varve.query.running.QueryUse;
import dev.varve.server.heroic.aggregation.Session.Output;
import dev.varve.server.heroic.aggregation.Values;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import tools.jackson.core.JsonGenerator;

/** Writes results as Heroic does. */
final class ResultJson {
  private final JsonGenerator json;
  private final QueryUse use;

  ResultJson(JsonGenerator json, QueryUse use) {
    this.json = json;
    this.use = use;
  }

  void write(QueryResult result) {
    json.writeStartObject();
    json.writeStringProperty("queryId", UUID.randomUUID().toString());
    json.writeObjectPropertyStart("range");
    json.writeNumberProperty("start", result.query().range().start());
    json.writeNumberProperty("end", result.query().range().end());
    json.writeEndObject();
    trace(result);
    json.writeArrayPropertyStart("limits");
    result.limits().forEach(limit -> json.writeString(limit.name()));
    json.writeEndArray();
    json.writeBooleanProperty("cached", false);
    json.writeName("cache");
    json.writeNull();
    common("commonTags", result.groups(), HeroicSeries::tags);
    common("commonResource", result.groups(), HeroicSeries::resource);
    json.writeArrayPropertyStart("result");
    for (Output group : result.groups()) {
      write(group, result.query().stage().cadence());
    }
    json.writeEndArray();
    json.writeNumberProperty("preAggregationSampleSize", result.samples());
    json.writeArrayPropertyStart("errors");
    for (String error : result.errors()) {
      json.writeStartObject();
      json.writeStringProperty("type", "query");
      json.writeStringProperty("error", error);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void trace(QueryResult result) {
    json.writeName("trace");
    if (!result.query().traced()) {
      json.writeNull();
      return;
    }
    json.writeStartObject();
    json.writeObjectPropertyStart("what");
    json.writeStringProperty("name", "query");
    json.writeEndObject();
    json.writeNumberProperty("elapsed", result.micros());
    json.writeArrayPropertyStart("children");
    json.writeEndArray();
    json.writeEndObject();
  }

  /** Returns the values of each name. */
  private static Map<String, SortedSet<String>> values(
      Output group, Function<HeroicSeries, Map<String, String>> names) {
    Map<String, SortedSet<String>> values = new TreeMap<>();
    for (HeroicSeries series : group.series()) {
      names
          .apply(series)
          .forEach((name, value) -> values.computeIfAbsent(name, n -> new TreeSet<>()).add(value));
    }
    return values;
  }

  /** Writes the names that every group has, with the values of all groups. */
  private void common(
      String property, List<Output> groups, Function<HeroicSeries, Map<String, String>> names) {
    Map<String, SortedSet<String>> common = new TreeMap<>();
    for (int i = 0; i < groups.size(); i++) {
      use.ensureWanted();
      Map<String, SortedSet<String>> own = values(groups.get(i), names);
      if (i == 0) {
        common.putAll(own);
      } else {
        common.keySet().retainAll(own.keySet());
        common.forEach((name, values) -> values.addAll(own.getOrDefault(name, new TreeSet<>())));
      }
    }
    json.writeObjectPropertyStart(property);
    common.forEach((name, values) -> {
      json.writeArrayPropertyStart(name);
      values.forEach(json::writeString);
      json.writeEndArray();
    });
    json.writeEndObject();
  }

  private void write(Output group, long cadence) {
    use.ensureWanted();
    json.writeStartObject();
    json.writeStringProperty("type", type(group.values()));
    json.writeStringProperty("hash", Integer.toHexString(GroupHash.of(group.key())));
    json.writeObjectPropertyStart("shard");
    json.writeEndObject();
    json.writeNumberProperty("cadence", cadence);
    json.writeName("values");
    write(group.values());
    SortedSet<String> keys = new TreeSet<>();
    group.series().forEach(series -> keys.add(series.key()));
    json.writeName("key");
    if (keys.size() == 1) {
      json.writeString(keys.first());
    } else {
      json.writeNull();
    }
    names("tags", "tagCounts", values(group, HeroicSeries::tags));
    names("resource", "resourceCounts", values(group, HeroicSeries::resource));
    json.writeEndObject();
  }

  /** Writes names with one value, then the number of values of the others. */
  private void names(String single, String counts, Map<String, SortedSet<String>> values) {
    json.writeObjectPropertyStart(single);
    values.forEach((name, all) -> {
      if (all.size() == 1) {
        json.writeStringProperty(name, all.first());
      }
    });
    json.writeEndObject();
    json.writeObjectPropertyStart(counts);
    values.forEach((name, all) -> {
      if (all.size() > 1) {
        json.writeNumberProperty(name, all.size());
      }
    });
    json.writeEndObject();
  }

  private static String type(Values values) {
    return switch (values) {
      case Values.Points points -> "points";
      case Values.Spreads spreads -> "spreads";
      case Values.Groups groups -> "groups";
      case Values.Distributions distributions -> "distributionPoints";
      case Values.Digests digests -> "tdigestPoints";
    };
  }

  private void write(Values values) {
    use.pointsReturned(values.size());
    json.writeStartArray();
    switch (values) {
      case Values.Points points -> {
        for (int i = 0; i < points.size(); i++) {
          point(points.times()[i], points.values()[i]);
        }
      }
      case Values.Spreads spreads -> spreads.spreads().forEach(this::spread);
      case Values.Groups groups -> {
        for (Values.Collected group : groups.groups()) {
          use.pointsReturned(group.points().size());
          group(group);
        }
      }
      case Values.Distributions distributions ->
          throw new IllegalStateException("distributions are answered as points");
      case Values.Digests digests ->
          throw new IllegalStateException("digests are answered as points");
    }
    json.writeEndArray();
  }

  private void point(long time, double value) {
    json.writeStartArray();
    json.writeNumber(time);
    number(value);
    json.writeEndArray();
  }

  private void number(double value) {
    if (Double.isFinite(value)) {
      json.writeNumber(value);
    } else {
      json.writeNull();
    }
  }

  private void spread(Values.Spread spread) {
    json.writeStartArray();
    json.writeNumber(spread.time());
    json.writeStartObject();
    json.writeNumberProperty("count", spread.count());
    json.writeName("sum");
    number(spread.sum());
    json.writeName("sum2");
    number(spread.sum2());
    json.writeName("min");
    number(spread.min());
    json.writeName("max");
    number(spread.max());
    json.writeEndObject();
    json.writeEndArray();
  }

  private void group(Values.Collected group) {
    json.writeStartArray();
    json.writeNumber(group.time());
    json.writeStartArray();
    if (!group.points().isEmpty()) {
      collection("points", () -> group.points().forEach(p -> point(p.time(), p.value())));
    }
    if (!group.spreads().isEmpty()) {
      collection("spreads", () -> group.spreads().forEach(this::spread));
    }
    json.writeEndArray();
    json.writeEndArray();
  }

  private void collection(String type, Runnable data) {
    json.writeStartObject();
    json.writeStringProperty("type", type);
    json.writeArrayPropertyStart("data");
    data.run();
    json.writeEndArray();
    json.writeEndObject();
  }
}
