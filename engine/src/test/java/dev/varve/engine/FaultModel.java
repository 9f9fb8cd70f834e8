package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.request.ReadRequest;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The values that reads of a dataset with failing writes may return. For each series and instant,
 * that is the value last acknowledged or the value of any failed write after it, whose outcome is
 * unknown. Once a value was read, no later read may return an earlier value or none.
 */
final class FaultModel {
  private final Map<Series, NavigableMap<Long, Instant>> instants = new HashMap<>();

  /** The samples of a batch, in order. */
  static final class Samples {
    private final Map<Series, Map<Long, List<Value>>> values = new HashMap<>();

    void add(Series series, long time, Value value) {
      values
          .computeIfAbsent(series, s -> new HashMap<>())
          .computeIfAbsent(time, t -> new ArrayList<>())
          .add(value);
    }
  }

  private static final class Instant {
    private @Nullable Value stands;

    /** Values of later writes, in order, that may be stored now or later. */
    private List<Value> maybe = new ArrayList<>();

    private void acknowledge(Value value) {
      stands = value;
      maybe = new ArrayList<>();
    }

    /** Records the value read and returns whether it is allowed. */
    private boolean isRight(@Nullable Value read) {
      if (read == null || read.equals(stands)) {
        return stands == null || read != null;
      }
      int place = maybe.indexOf(read);
      if (place < 0) {
        return false;
      }
      stands = read;
      maybe = new ArrayList<>(maybe.subList(place + 1, maybe.size()));
      return true;
    }
  }

  /** Records a batch. If it failed, any of its values may be stored; otherwise the last one is. */
  void note(Samples batch, boolean acknowledged) {
    batch.values.forEach((series, times) ->
        times.forEach((time, values) -> {
          Instant instant =
              instants
                  .computeIfAbsent(series, s -> new TreeMap<>())
                  .computeIfAbsent(time, t -> new Instant());
          if (acknowledged) {
            instant.acknowledge(values.getLast());
          } else {
            instant.maybe.addAll(values);
          }
        }));
  }

  /** Compares samples read with the values allowed. */
  void check(ReadRequest request, Map<Series, List<Sample>> read) {
    Map<Series, Map<Long, Value>> found = new HashMap<>();
    read.forEach((series, samples) -> found.put(series, byTime(series, samples)));
    instants.forEach((series, times) -> {
      if (matches(request, series)) {
        Map<Long, Value> values = found.getOrDefault(series, new HashMap<>());
        within(times, request.times())
            .forEach((time, instant) -> {
              Value value = values.remove(time);
              Value stood = instant.stands;
              if (!instant.isRight(value)) {
                fail(
                    "%s at %d is %s, not %s or one of %s",
                    series, time, value, stood, instant.maybe);
              }
            });
      }
    });
    found.values().removeIf(Map::isEmpty);
    assertThat(found).as("what nobody wrote, or asked for").isEmpty();
  }

  private static Map<Long, Value> byTime(Series series, List<Sample> samples) {
    Map<Long, Value> values = new HashMap<>();
    long last = Long.MIN_VALUE;
    for (Sample sample : samples) {
      if (sample.time() <= last) {
        fail("%s: time %d comes after %d", series, sample.time(), last);
      }
      last = sample.time();
      values.put(sample.time(), sample.value());
    }
    return values;
  }

  private static Map<Long, Instant> within(NavigableMap<Long, Instant> times, TimeRange range) {
    return range.to() == Long.MAX_VALUE
        ? times.tailMap(range.from(), true)
        : times.subMap(range.from(), true, range.to(), false);
  }

  private static boolean matches(ReadRequest request, Series series) {
    return request.selector().filters().stream()
        .allMatch(filter -> matches(filter, value(filter.name(), series)));
  }

  private static String value(String label, Series series) {
    return label.equals(Series.NAME_LABEL)
        ? series.key().metric()
        : String.valueOf(series.key().tags().get(label));
  }

  private static boolean matches(TagFilter filter, String value) {
    return switch (filter) {
      case TagFilter.Equal equal -> equal.value().equals(value);
      case TagFilter.Prefix prefix -> value.startsWith(prefix.prefix());
      default -> throw new AssertionError("a story asks by no " + filter);
    };
  }
}
