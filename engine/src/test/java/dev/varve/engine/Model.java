package dev.varve.engine;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.model.Batch;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** A dataset modelled as maps. For each series and instant the last accepted value is kept. */
final class Model {
  private final Map<Series, TreeMap<Long, Value>> samples = new HashMap<>();

  void write(Batch batch) {
    for (SampleGroup group : batch.groups()) {
      for (int place = 0; place < group.size(); place++) {
        for (Column column : group.columns()) {
          if (column.has(place)) {
            write(group.key().field(column.field()), group.times()[place], value(column, place));
          }
        }
      }
    }
  }

  void write(Series series, long time, Value value) {
    samples.computeIfAbsent(series, s -> new TreeMap<>()).put(time, value);
  }

  /** Removes samples; returns how many there were. */
  int delete(TimeRange times, Predicate<Series> wanted) {
    int deleted = 0;
    for (Map.Entry<Series, TreeMap<Long, Value>> series : samples.entrySet()) {
      if (wanted.test(series.getKey())) {
        int before = series.getValue().size();
        series.getValue().keySet().removeIf(times::contains);
        deleted += before - series.getValue().size();
      }
    }
    return deleted;
  }

  static Value value(Column column, int place) {
    return switch (column) {
      case Column.Doubles doubles -> new Value.Real(doubles.values()[place]);
      case Column.Longs longs -> new Value.Int64(longs.values()[place]);
      case Column.Texts texts ->
          new Value.Text(
              new String(
                  texts.bytes(),
                  texts.start(place),
                  texts.end(place) - texts.start(place),
                  StandardCharsets.UTF_8));
    };
  }

  Map<Series, List<Sample>> all() {
    return read(TimeRange.ALL, series -> true);
  }

  Map<Series, List<Sample>> read(TimeRange times, Predicate<Series> wanted) {
    Map<Series, List<Sample>> read = new HashMap<>();
    samples.forEach((series, ofSeries) -> {
      List<Sample> found = new ArrayList<>();
      ofSeries.forEach((time, value) -> {
        if (times.contains(time)) {
          found.add(new Sample(time, value));
        }
      });
      if (!found.isEmpty() && wanted.test(series)) {
        read.put(series, found);
      }
    });
    return read;
  }

  List<GroupKey> keys() {
    return samples.keySet().stream().map(Series::key).distinct().toList();
  }

  Model copy() {
    Model copy = new Model();
    samples.forEach((series, ofSeries) -> copy.samples.put(series, new TreeMap<>(ofSeries)));
    return copy;
  }
}
