package dev.varve.query;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.query.QueryPlan.Split;
import dev.varve.query.QueryPlan.Splitter;
import dev.varve.query.limit.Memory;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Splits a series into parts. Holds all parts of one series. */
final class SplitStage extends Stage {
  private final Split plan;
  private final Memory memory;
  private final Emitter out;
  private final Map<List<Integer>, SeriesBuffer> parts = new LinkedHashMap<>();
  private @Nullable ResultSeries series;

  SplitStage(Split plan, Memory memory, Stage next) {
    super(next);
    this.plan = plan;
    this.memory = memory;
    this.out = new Emitter(next);
  }

  @Override
  public void begin(ResultSeries whole) {
    series = whole;
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    for (int i = from; i < to; i++) {
      List<Integer> part = new ArrayList<>(plan.by().size());
      for (Splitter splitter : plan.by()) {
        part.add(partOf(splitter, samples, i));
      }
      parts
          .computeIfAbsent(
              part,
              p -> new SeriesBuffer(memory, "splitting a series by time or value holds all of it"))
          .add(samples, i, i + 1);
    }
  }

  @Override
  public void gap(long time) {
    throw new QueryRefusedException("gaps cannot be split; fill them last");
  }

  @Override
  public void end() {
    ResultSeries whole = Objects.requireNonNull(series);
    parts.forEach((part, held) -> {
      next.begin(whole.part(part));
      held.replay(out);
      held.clear();
      next.end();
    });
    parts.clear();
  }

  private static int partOf(Splitter splitter, Samples samples, int index) {
    return switch (splitter) {
      case Splitter.ByTime(long start, long width, int count) ->
          (int) ((samples.time(index) - start) / width % count);
      case Splitter.ByMonth(long start, Resolution resolution, int count) ->
          (int) ((month(samples.time(index), resolution) - month(start, resolution)) % count);
      case Splitter.ByValue(long size) ->
          switch (samples.kind()) {
            case INT64 -> (int) (samples.longAt(index) / size);
            case DOUBLE -> (int) samples.doubleAt(index) / (int) size;
            case STRING -> -1;
          };
      case Splitter.ByBin(List<Double> bins) ->
          samples.kind() == Kind.STRING ? -1 : bin(bins, samples.number(index));
    };
  }

  private static long month(long time, Resolution resolution) {
    ZonedDateTime local = Times.local(time, resolution, ZoneOffset.UTC);
    return 12L * local.getYear() + local.getMonthValue();
  }

  /** As in KairosDB, unsorted bins are searched in the order given. */
  private static int bin(List<Double> bins, double value) {
    if (value < bins.getFirst()) {
      return 0;
    }
    for (int i = 1; i < bins.size(); i++) {
      if (value >= bins.get(i - 1) && value < bins.get(i)) {
        return i;
      }
    }
    return bins.size();
  }
}
