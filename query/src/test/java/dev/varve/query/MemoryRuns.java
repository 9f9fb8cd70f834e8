package dev.varve.query;

import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.query.running.Runs;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Samples in memory, returned as an engine does: series by series, in small runs. */
public final class MemoryRuns implements Runs {
  private static final int RUN = 7;

  private final TreeMap<String, Series> names;
  private final Map<Series, TreeMap<Long, TreeMap<Kind, Value>>> data;
  private final Resolution resolution;
  private final Comparator<Series> order;

  /** Number of runs returned. */
  int runs;

  /** Called before each run. */
  Runnable beforeRun = () -> {};

  public MemoryRuns(Resolution resolution) {
    this(resolution, Comparator.comparing(Series::toString));
  }

  private MemoryRuns(Resolution resolution, Comparator<Series> order) {
    this.names = new TreeMap<>();
    this.data = new HashMap<>();
    this.resolution = resolution;
    this.order = order;
  }

  private MemoryRuns(MemoryRuns same, Comparator<Series> order) {
    this.names = same.names;
    this.data = same.data;
    this.resolution = same.resolution;
    this.order = order;
  }

  /** Returns the same samples with their series in another order. */
  public MemoryRuns inOrder(Comparator<Series> other) {
    return new MemoryRuns(this, other);
  }

  public MemoryRuns add(Series series, long time, Value value) {
    names.put(series.toString(), series);
    data.computeIfAbsent(series, s -> new TreeMap<>())
        .computeIfAbsent(time, t -> new TreeMap<>())
        .put(value.kind(), value);
    return this;
  }

  private NavigableMap<Long, ? extends Map<Kind, Value>> of(Series series) {
    return Objects.requireNonNull(data.get(series), series::toString);
  }

  @Override
  public Resolution resolution() {
    return resolution;
  }

  @Override
  public Stream<Series> series(Selector selector, TimeRange times) {
    return names.values().stream()
        .filter(series -> matches(series, selector))
        .filter(series -> of(series).keySet().stream().anyMatch(times::contains));
  }

  private static boolean matches(Series series, Selector selector) {
    return selector.filters().stream().allMatch(filter -> matches(series, filter));
  }

  private static boolean matches(Series series, TagFilter filter) {
    String label = series.label(filter.name());
    String value = label == null ? "" : label;
    return switch (filter) {
      case TagFilter.Equal f -> value.equals(f.value());
      case TagFilter.NotEqual f -> !value.equals(f.value());
      case TagFilter.In f -> f.values().contains(value);
      case TagFilter.Prefix f -> value.startsWith(f.prefix());
      case TagFilter.Regex f -> matches(value, f.pattern());
      case TagFilter.NotRegex f -> !matches(value, f.pattern());
      case TagFilter.Has f -> label != null;
    };
  }

  private static boolean matches(String value, String pattern) {
    return Pattern.compile(pattern, Pattern.DOTALL).matcher(value).matches();
  }

  @Override
  public RunCursor read(ReadRequest request) {
    return read(request, inOrder(request));
  }

  private List<Series> inOrder(ReadRequest request) {
    return series(request.selector(), request.times()).sorted(order).toList();
  }

  @Override
  public PartedRead readInParts(ReadRequest request) {
    List<Series> all = inOrder(request);
    return new PartedRead() {
      private final List<RunCursor> parts = new CopyOnWriteArrayList<>();
      private volatile boolean cancelled;

      @Override
      public int size() {
        return all.size();
      }

      @Override
      public int leastPart() {
        return 1;
      }

      @Override
      public RunCursor part(int from, int to) {
        RunCursor part = read(request, all.subList(from, to));
        parts.add(part);
        if (cancelled) {
          part.cancel();
        }
        return part;
      }

      @Override
      public ReadCost cost() {
        return ReadCost.NOTHING;
      }

      @Override
      public void cancel() {
        cancelled = true;
        parts.forEach(RunCursor::cancel);
      }

      @Override
      public void close() {}
    };
  }

  private RunCursor read(ReadRequest request, List<Series> wanted) {
    List<Run> all = new ArrayList<>();
    wanted.forEach(series -> {
      List<Run> ofSeries = new ArrayList<>();
      runs(series, request.times(), ofSeries);
      all.addAll(request.newestFirst() > 0 ? newest(ofSeries, request.newestFirst()) : ofSeries);
    });
    return new Cursor(all);
  }

  private void runs(Series series, TimeRange times, List<Run> into) {
    Samples open = null;
    for (var instant : of(series).subMap(times.from(), times.to()).entrySet()) {
      for (Value value : instant.getValue().values()) {
        if (open == null || open.kind() != value.kind() || open.size() == RUN) {
          open = new Samples(value.kind());
          into.add(new Run(series, open, 0, null));
        }
        switch (value) {
          case Value.Int64 v -> open.add(instant.getKey(), v.value(), 0);
          case Value.Real v -> open.add(instant.getKey(), v.value(), 0);
          case Value.Text v -> {
            byte[] utf8 = v.value().getBytes(StandardCharsets.UTF_8);
            open.add(instant.getKey(), utf8, 0, utf8.length, 0);
          }
          case Value.Raw v -> throw new IllegalStateException();
        }
      }
    }
  }

  /** Returns the newest samples of each kind, the latest run first. */
  private static List<Run> newest(List<Run> runs, int wanted) {
    Map<Kind, Integer> left = new EnumMap<>(Kind.class);
    List<Run> newest = new ArrayList<>();
    for (Run run : runs.reversed()) {
      int size = run.samples().size();
      int taken = Math.min(size, left.getOrDefault(run.samples().kind(), wanted));
      left.merge(run.samples().kind(), wanted - taken, (old, fresh) -> old - taken);
      if (taken > 0) {
        Samples last = new Samples(run.samples().kind());
        for (int i = size - taken; i < size; i++) {
          last.addFrom(run.samples(), i);
        }
        newest.add(new Run(run.series(), last, 0, null));
      }
    }
    return newest;
  }

  private final class Cursor implements RunCursor {
    private final List<Run> all;
    private int next;
    private volatile boolean cancelled;

    private Cursor(List<Run> all) {
      this.all = all;
    }

    @Override
    public @Nullable Run next() {
      beforeRun.run();
      if (cancelled) {
        throw new ReadCancelledException();
      }
      runs++;
      return next == all.size() ? null : all.get(next++);
    }

    @Override
    public ReadCost cost() {
      return new ReadCost(next, 0, 0, 0, 0, 0);
    }

    @Override
    public void cancel() {
      cancelled = true;
    }

    @Override
    public void close() {}
  }
}
