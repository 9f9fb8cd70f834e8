package dev.varve.server.kairosdb;

import static java.util.Map.entry;

import dev.varve.model.Resolution;
import dev.varve.query.Aggregation;
import dev.varve.query.Aggregation.Basic;
import dev.varve.query.Aggregation.Deviation;
import dev.varve.query.Aggregation.Percentile;
import dev.varve.query.QueryPlan;
import dev.varve.query.QueryPlan.Downsample.Stamp;
import dev.varve.query.Span;
import dev.varve.query.Windows;
import dev.varve.server.http.HttpError;
import dev.varve.server.kairosdb.Properties.Settings;
import dev.varve.server.kairosdb.PropertyType.Threshold;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Turns a metric's aggregators, in order, into operators of a plan.
 *
 * @param start of the query, in ms since 1970
 * @param end of the query, in ms since 1970
 * @param now in ms since 1970; no gaps are marked after it
 * @param zone of the query
 */
record Aggregators(long start, long end, long now, ZoneId zone, Resolution resolution) {
  private static final Map<String, PropertyType> OF_RANGES =
      Map.ofEntries(
          entry("sampling", PropertyType.LENGTH),
          entry("align_sampling", PropertyType.TRUTH),
          entry("align_start_time", PropertyType.TRUTH),
          entry("align_end_time", PropertyType.TRUTH),
          entry("trim", PropertyType.TRUTH),
          entry("start_time", PropertyType.WHOLE),
          entry("end_time", PropertyType.WHOLE),
          entry("time_zone", PropertyType.ZONE));

  /** The sampling of an aggregator that has none. */
  static final Properties.Length DEFAULT_SAMPLING = new Properties.Length(1, TimeUnit.MILLISECONDS);

  /** The aggregators, with KairosDB's class names for messages and their properties. */
  private enum Kind {
    AVG("AvgAggregator"),
    SUM("SumAggregator"),
    MIN("MinAggregator"),
    MAX("MaxAggregator"),
    COUNT("CountAggregator"),
    FIRST("FirstAggregator"),
    LAST("LastAggregator"),
    DEV("StdAggregator"),
    LEAST_SQUARES("LeastSquaresAggregator"),
    PERCENTILE("PercentileAggregator"),
    GAPS("DataGapsMarkingAggregator"),
    DIFF("DiffAggregator"),
    RATE("RateAggregator"),
    SAMPLER("SamplerAggregator"),
    DIV("DivideAggregator"),
    SCALE("ScaleAggregator"),
    SMA("SmaAggregator"),
    TRIM("TrimAggregator"),
    FILTER("FilterAggregator"),
    SCORE("ScoreAggregator");

    private final String type;

    Kind(String type) {
      this.type = "aggregator." + type;
    }

    Map<String, PropertyType> properties() {
      return switch (this) {
        case AVG, SUM, MIN, MAX, COUNT, FIRST, LAST, LEAST_SQUARES, GAPS -> OF_RANGES;
        case DEV ->
            ofRangesAnd(
                Map.of("return_type", PropertyType.DEVIATION, "dev_count", PropertyType.SMALL));
        case PERCENTILE -> ofRangesAnd(Map.of("percentile", PropertyType.REAL));
        case DIFF -> Map.of();
        case RATE ->
            Map.ofEntries(
                entry("unit", PropertyType.UNIT),
                entry("sampling", PropertyType.LENGTH),
                entry("time_zone", PropertyType.ZONE));
        case SAMPLER -> Map.of("unit", PropertyType.UNIT, "time_zone", PropertyType.ZONE);
        case DIV -> Map.of("divisor", PropertyType.REAL);
        case SCALE -> Map.of("factor", PropertyType.REAL);
        case SMA -> Map.of("size", PropertyType.SMALL);
        case TRIM -> Map.of("trim", PropertyType.TRIM);
        case FILTER -> Map.of("filter_op", PropertyType.COMPARISON, "threshold", PropertyType.ANY);
        case SCORE -> Map.of("thresholds", PropertyType.THRESHOLDS, "order", PropertyType.ORDER);
      };
    }

    private static Map<String, PropertyType> ofRangesAnd(Map<String, PropertyType> own) {
      Map<String, PropertyType> all = new HashMap<>(OF_RANGES);
      all.putAll(own);
      return all;
    }

    static @Nullable Kind of(String name) {
      for (Kind kind : values()) {
        if (kind.name().equals(name.toUpperCase(Locale.ROOT))
            && name.equals(name.toLowerCase(Locale.ROOT))) {
          return kind;
        }
      }
      return null;
    }
  }

  /** Returns a plan that applies an aggregator to the input. */
  QueryPlan add(QueryPlan input, String name, Properties properties) {
    if (name.equals("save_as")) {
      throw properties.wrong(name, "is not supported: queries do not write");
    }
    Kind kind = Kind.of(name);
    if (kind == null) {
      throw properties.wrong(name, "invalid aggregators name");
    }
    Settings settings = properties.settings(kind.properties(), name, kind.type);
    return switch (kind) {
      case AVG -> ranged(input, Basic.AVG, settings);
      case SUM -> ranged(input, Basic.SUM, settings);
      case MIN -> ranged(input, Basic.MIN, settings);
      case MAX -> ranged(input, Basic.MAX, settings);
      case COUNT -> ranged(input, Basic.COUNT, settings);
      case FIRST -> ranged(input, Basic.FIRST, settings);
      case LAST -> ranged(input, Basic.LAST, settings);
      case LEAST_SQUARES -> ranged(input, Basic.LEAST_SQUARES, settings);
      case DEV -> ranged(input, deviation(settings), settings);
      case PERCENTILE -> percentile(input, properties, settings);
      case GAPS -> gaps(input, settings);
      case DIFF -> new QueryPlan.Numbers(new QueryPlan.Difference(input));
      case RATE ->
          new QueryPlan.Numbers(new QueryPlan.Rate(input, rateSpan(settings), false, true));
      case SAMPLER ->
          new QueryPlan.Numbers(new QueryPlan.Rate(input, rateSpan(settings), false, false));
      case DIV ->
          new QueryPlan.Numbers(new QueryPlan.Scale(input, 1, divisor(properties, settings)));
      case SCALE ->
          new QueryPlan.Numbers(new QueryPlan.Scale(input, settings.real("factor", 0), 1));
      case SMA -> movingAverage(input, properties, settings);
      case TRIM -> trim(input, settings);
      case FILTER -> filter(input, settings);
      case SCORE -> score(input, properties, settings);
    };
  }

  private QueryPlan ranged(QueryPlan input, Aggregation aggregation, Settings settings) {
    Properties.Length sampling = sampling(settings);
    QueryPlan.PerSeries operator =
        sampling.count() == 0
            ? new QueryPlan.Refuse(input, "the sampling is 0")
            : new QueryPlan.Downsample(
                input, windows(sampling, settings), aggregation, stamp(aggregation, settings));
    return aggregation.takesText() ? operator : new QueryPlan.Numbers(operator);
  }

  private static Stamp stamp(Aggregation aggregation, Settings settings) {
    if (settings.truth("align_start_time", false)) {
      return Stamp.START;
    }
    if (settings.truth("align_end_time", false)) {
      return Stamp.END;
    }
    return aggregation == Basic.LAST ? Stamp.LAST : Stamp.FIRST;
  }

  /** Returns whether an aggregator of a name works on ranges. */
  static boolean isOfRanges(String name) {
    Kind kind = Kind.of(name);
    return kind != null && kind.properties().keySet().containsAll(OF_RANGES.keySet());
  }

  private static Properties.Length sampling(Settings settings) {
    Properties.Length sampling = settings.length("sampling");
    return sampling == null ? DEFAULT_SAMPLING : sampling;
  }

  private Windows windows(Properties.Length sampling, Settings settings) {
    ZoneId own = zone(settings);
    long origin = settings.whole("start_time", start);
    if (settings.truth("align_sampling", true)) {
      origin = aligned(origin, sampling.unit(), own);
    }
    return new Windows.CutTowardsZero(grid(sampling, own, origin), scaled(origin));
  }

  private ZoneId zone(Settings settings) {
    return settings.get("time_zone") instanceof ZoneId own ? own : zone;
  }

  private Windows grid(Properties.Length sampling, ZoneId own, long originMillis) {
    long origin = scaled(originMillis);
    ChronoUnit unit = sampling.unit().unit();
    boolean exact =
        unit.compareTo(ChronoUnit.HOURS) <= 0
            || (unit.compareTo(ChronoUnit.WEEKS) <= 0 && own.normalized() instanceof ZoneOffset);
    if (!exact) {
      return new Windows.Calendar(sampling.countable(), unit, own, origin, resolution);
    }
    long millis = Math.multiplyExact(unit.getDuration().toMillis(), (long) sampling.countable());
    long width = scaled(millis);
    if (width == 0 || (resolution == Resolution.SECONDS && millis % 1000 != 0)) {
      throw HttpError.badRequest(
          "a sampling of %d milliseconds is finer than the seconds of the dataset"
              .formatted(millis));
    }
    return new Windows.Fixed(width, origin);
  }

  private long scaled(long millis) {
    try {
      return Resolution.MILLISECONDS.convert(millis, resolution);
    } catch (ArithmeticException e) {
      throw HttpError.badRequest("the time " + millis + " is outside of what the dataset can hold");
    }
  }

  /** Rounds a time down to the start of its year, month, week, day or second. */
  static long aligned(long time, TimeUnit unit, ZoneId zone) {
    ZonedDateTime local = Instant.ofEpochMilli(time).atZone(zone);
    ZonedDateTime aligned =
        switch (unit) {
          case YEARS -> local.toLocalDate().withDayOfYear(1).atStartOfDay(zone);
          case MONTHS -> local.toLocalDate().withDayOfMonth(1).atStartOfDay(zone);
          case WEEKS ->
              local
                  .toLocalDate()
                  .with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY))
                  .atStartOfDay(zone);
          case DAYS, HOURS, MINUTES, SECONDS -> local.toLocalDate().atStartOfDay(zone);
          case MILLISECONDS -> local.truncatedTo(ChronoUnit.SECONDS);
        };
    try {
      return aligned.toInstant().toEpochMilli();
    } catch (ArithmeticException e) {
      // The earliest possible time lies in the middle of its year.
      return time;
    }
  }

  private static Deviation deviation(Settings settings) {
    String type = settings.constant("return_type");
    double count = settings.whole("dev_count", 1);
    return switch (type == null ? "value" : type) {
      case "pos_sd" -> new Deviation(true, 1, count);
      case "neg_sd" -> new Deviation(true, 1, -count);
      default -> Deviation.SAMPLE;
    };
  }

  private QueryPlan percentile(QueryPlan input, Properties properties, Settings settings) {
    double fraction = settings.real("percentile", 0);
    if (fraction == 0) {
      throw properties.wrong("percentile", "may not be zero");
    }
    if (!(fraction > 0 && fraction <= 1)) {
      return refused(input, fraction + " is not in [0..1]");
    }
    return ranged(input, new Percentile(fraction, Percentile.Rank.N_PLUS_1), settings);
  }

  /** Returns an operator that fails on the first number, as KairosDB does. */
  private static QueryPlan refused(QueryPlan input, String reason) {
    return new QueryPlan.Numbers(new QueryPlan.Refuse(input, reason));
  }

  private QueryPlan gaps(QueryPlan input, Settings settings) {
    Properties.Length sampling = sampling(settings);
    if (sampling.count() == 0) {
      return new QueryPlan.Refuse(input, "the sampling is 0");
    }
    Windows windows = windows(sampling, settings);
    if (settings.truth("trim", false)) {
      return new QueryPlan.Gaps(input, windows, null, null);
    }
    long from = settings.whole("start_time", start);
    long to = Math.min(settings.whole("end_time", end), now);
    return new QueryPlan.Gaps(input, windows, scaled(from), scaled(to));
  }

  private Span rateSpan(Settings settings) {
    Properties.Length sampling = sampling(settings);
    if (settings.get("unit") instanceof TimeUnit unit) {
      sampling = new Properties.Length(1, unit);
    }
    return new Span(sampling.countable(), sampling.unit().unit(), zone(settings), resolution);
  }

  private static double divisor(Properties properties, Settings settings) {
    double divisor = settings.real("divisor", 0);
    if (divisor == 0) {
      throw properties.wrong("m_divisor", "may not be zero");
    }
    return divisor;
  }

  private static QueryPlan movingAverage(
      QueryPlan input, Properties properties, Settings settings) {
    long size = settings.whole("size", 0);
    if (size < 1) {
      return refused(input, "the size of a moving average is at least 1, got " + size);
    }
    if (size > 1_000_000) {
      throw properties.wrong("size", "must be less than or equal to 1000000");
    }
    return new QueryPlan.Numbers(new QueryPlan.MovingAverage(input, (int) size));
  }

  private static QueryPlan trim(QueryPlan input, Settings settings) {
    if (!(settings.get("trim") instanceof PropertyType.Trim trim)) {
      return input;
    }
    return new QueryPlan.Trim(
        input, trim != PropertyType.Trim.LAST, trim != PropertyType.Trim.FIRST);
  }

  private static QueryPlan filter(QueryPlan input, Settings settings) {
    if (!(settings.get("filter_op") instanceof QueryPlan.Drop.Comparison comparison)) {
      return new QueryPlan.Refuse(input, "filter has no filter_op");
    }
    Object threshold = settings.get("threshold");
    return switch (threshold) {
      case null -> new QueryPlan.Drop(input, comparison, 0.0, null);
      case Double number -> new QueryPlan.Drop(input, comparison, number, null);
      case String text -> new QueryPlan.Drop(input, comparison, null, text);
      // Other types do not compare with anything, and values that do not compare are dropped.
      default -> new QueryPlan.Drop(input, comparison, null, null);
    };
  }

  @SuppressWarnings("unchecked") // Read by PropertyType.THRESHOLDS.
  private static QueryPlan score(QueryPlan input, Properties properties, Settings settings) {
    Object given = settings.get("thresholds");
    if (given == null) {
      throw properties.wrong("thresholds", "may not be null");
    }
    List<Threshold> thresholds = new ArrayList<>((List<Threshold>) given);
    thresholds.sort(
        Comparator.comparingDouble(Threshold::value)
            .thenComparing(threshold -> !threshold.inferior()));
    return new QueryPlan.Numbers(
        new QueryPlan.Score(
            input,
            thresholds.stream().map(Threshold::value).toList(),
            thresholds.stream().map(Threshold::inferior).toList(),
            "descending".equals(settings.constant("order"))));
  }

  /** Returns a duration as it appears in an answer. */
  static Map<String, Object> shown(Properties.Length length) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("value", length.count());
    shown.put("unit", length.unit().name());
    return shown;
  }
}
