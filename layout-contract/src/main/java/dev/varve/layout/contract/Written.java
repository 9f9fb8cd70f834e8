package dev.varve.layout.contract;

import dev.varve.layout.Binding;
import dev.varve.layout.plan.Census;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Recurring;
import dev.varve.model.SampleGroup;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The samples written, in plain maps: the model with which a layout is compared. */
public final class Written {
  private final Set<GroupKey> keys = new LinkedHashSet<>();
  private final BatchBuilder batch = new BatchBuilder();
  private final Map<Series, TreeMap<Instant, Value>> samples = new HashMap<>();

  /** Adds a sample, accepted after all samples added before. */
  public void add(GroupKey key, String field, long time, Value value) {
    keys.add(key);
    batch.add(key, field, time, value);
    samples
        .computeIfAbsent(key.field(field), series -> new TreeMap<>())
        .put(new Instant(time, value.kind()), value);
  }

  public List<GroupKey> keys() {
    return List.copyOf(keys);
  }

  /** Returns the samples added since the last call, to be written. */
  public List<SampleGroup> groups() {
    return batch.build().groups();
  }

  /** Returns all samples. */
  public Map<Series, Map<Instant, Value>> all() {
    return Map.copyOf(samples);
  }

  /** Returns the samples that a request wants. */
  public Map<Series, Map<Instant, Value>> in(PlanRequest request) {
    Map<Series, Map<Instant, Value>> wanted = new HashMap<>();
    List<? extends Binding> bindings = request.bindings();
    Set<String> fields = request.scope().fields();
    samples.forEach((series, all) -> {
      boolean asked =
          bindings.stream().anyMatch(b -> b.key().equals(series.key()))
              && (fields == null || fields.contains(series.field()));
      Map<Instant, Value> inRange = new TreeMap<>();
      all.forEach((instant, value) -> {
        if (asked && isWanted(request, instant)) {
          inRange.put(instant, value);
        }
      });
      if (!inRange.isEmpty()) {
        wanted.put(series, inRange);
      }
    });
    return wanted;
  }

  private static boolean isWanted(PlanRequest request, Instant instant) {
    Recurring recurring = request.scope().recurring();
    return request.scope().times().contains(instant.time())
        && (recurring == null || recurring.nextAt(instant.time()) == instant.time());
  }

  /** Returns a census with exact counts of these samples. */
  public Census census() {
    return new Census() {
      @Override
      public OptionalLong series(
          String metric, List<TagFilter> filters, @Nullable TimeRange times) {
        return OptionalLong.of(
            keys.stream()
                .filter(key -> key.metric().equals(metric))
                .filter(key -> filters.stream().allMatch(filter -> matches(key, filter)))
                .filter(key -> times == null || hasSample(key, times))
                .count());
      }

      private boolean hasSample(GroupKey key, TimeRange times) {
        return samples.entrySet().stream()
            .filter(entry -> entry.getKey().key().equals(key))
            .flatMap(entry -> entry.getValue().keySet().stream())
            .anyMatch(instant -> times.contains(instant.time()));
      }

      private static boolean matches(GroupKey key, TagFilter filter) {
        return filter instanceof TagFilter.Equal(var name, var value)
            && value.equals(key.field(Series.DEFAULT_FIELD).label(name));
      }

      @Override
      public OptionalLong cells(Binding binding, TimeRange times) {
        return OptionalLong.of(
            samples.entrySet().stream()
                .filter(entry -> entry.getKey().key().equals(binding.key()))
                .flatMap(entry -> entry.getValue().keySet().stream())
                .filter(instant -> times.contains(instant.time()))
                .count());
      }

      @Override
      public OptionalLong buckets(Binding binding, TimeRange times) {
        return cells(binding, times);
      }

      @Override
      public Optional<TimeRange> times() {
        return samples.values().stream()
            .map(all -> TimeRange.closed(all.firstKey().time(), all.lastKey().time()))
            .reduce(
                (a, b) -> new TimeRange(Math.min(a.from(), b.from()), Math.max(a.to(), b.to())));
      }
    };
  }
}
