package dev.varve.server.kairosdb;

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
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns aggregators, in their order, into operators of a plan.
 *
 * @param start of the query, in milliseconds
 * @param end of the query, or now, whichever comes first
 * @param zone of the query
 */
record Aggregators(long start, long end, ZoneId zone, Resolution resolution) {
  private static final Set<String> OF_RANGES =
      Set.of(
          "sampling",
          "align_sampling",
          "align_start_time",
          "align_end_time",
          "trim",
          "start_time",
          "end_time",
          "time_zone");

  /** Names in the original's messages, and the properties beyond those of ranges. */
  private enum Kind {
    AVG("AvgAggregator", true),
    SUM("SumAggregator", true),
    MIN("MinAggregator", true),
    MAX("MaxAggregator", true),
    COUNT("CountAggregator", true),
    FIRST("FirstAggregator", true),
    LAST("LastAggregator", true),
    DEV("StdAggregator", true, "return_type", "dev_count"),
    LEAST_SQUARES("LeastSquaresAggregator", true),
    PERCENTILE("PercentileAggregator", true, "percentile"),
    GAPS("DataGapsMarkingAggregator", true),
    DIFF("DiffAggregator", false),
    RATE("RateAggregator", false, "unit", "sampling", "time_zone"),
    SAMPLER("SamplerAggregator", false, "unit", "time_zone"),
    DIV("DivideAggregator", false, "divisor"),
    SCALE("ScaleAggregator", false, "factor"),
    SMA("SmaAggregator", false, "size"),
    TRIM("TrimAggregator", false, "trim"),
    FILTER("FilterAggregator", false, "filter_op", "threshold"),
    SCORE("ScoreAggregator", false, "thresholds", "order");

    private final String type;
    private final boolean ranges;

    /** Names with commas between: an enum has to be immutable. */
    private final String properties;

    Kind(String type, boolean ranges, String... own) {
      this.type = "aggregator." + type;
      this.properties = String.join(",", own);
      this.ranges = ranges;
    }

    Set<String> properties() {
      Set<String> all = new HashSet<>(List.of(properties.split(",", -1)));
      if (ranges) {
        all.addAll(OF_RANGES);
      }
      return all;
    }

    static @Nullable Kind of(String name) {
      for (Kind kind : values()) {
        if (kind.name().equals(name.toUpperCase(java.util.Locale.ROOT))
            && name.equals(name.toLowerCase(java.util.Locale.ROOT))) {
          return kind;
        }
      }
      return null;
    }
  }

  /** Puts an aggregator behind a plan. */
  QueryPlan add(QueryPlan input, String name, Properties properties) {
    if (name.equals("save_as")) {
      throw properties.wrong(name, "is not supported: queries do not write");
    }
    Kind kind = Kind.of(name);
    if (kind == null) {
      throw properties.wrong(name, "invalid aggregators name");
    }
    properties.only(kind.properties(), name, kind.type);
    if (endsInGaps(input) && kind != Kind.TRIM) {
      throw new HttpError(500, "nothing but trim can follow gaps, found " + name);
    }
    return switch (kind) {
      case AVG -> ranged(input, Basic.AVG, properties);
      case SUM -> ranged(input, Basic.SUM, properties);
      case MIN -> ranged(input, Basic.MIN, properties);
      case MAX -> ranged(input, Basic.MAX, properties);
      case COUNT -> ranged(input, Basic.COUNT, properties);
      case FIRST -> ranged(input, Basic.FIRST, properties);
      case LAST -> ranged(input, Basic.LAST, properties);
      case LEAST_SQUARES -> ranged(input, Basic.LEAST_SQUARES, properties);
      case DEV -> ranged(input, deviation(properties), properties);
      case PERCENTILE -> ranged(input, percentile(properties), properties);
      case GAPS -> gaps(input, properties);
      case DIFF -> new QueryPlan.Numbers(new QueryPlan.Difference(input));
      case RATE ->
          new QueryPlan.Numbers(new QueryPlan.Rate(input, rateSpan(properties), false, true));
      case SAMPLER ->
          new QueryPlan.Numbers(new QueryPlan.Rate(input, rateSpan(properties), false, false));
      case DIV -> new QueryPlan.Numbers(new QueryPlan.Scale(input, 1, divisor(properties)));
      case SCALE ->
          new QueryPlan.Numbers(new QueryPlan.Scale(input, properties.real("factor", 0), 1));
      case SMA -> new QueryPlan.Numbers(new QueryPlan.MovingAverage(input, size(properties)));
      case TRIM -> trim(input, properties);
      case FILTER -> filter(input, properties);
      case SCORE -> score(input, properties);
    };
  }

  private static boolean endsInGaps(QueryPlan plan) {
    return switch (plan) {
      case QueryPlan.Gaps gaps -> true;
      case QueryPlan.Trim trim -> endsInGaps(trim.input());
      default -> false;
    };
  }

  private QueryPlan ranged(QueryPlan input, Aggregation aggregation, Properties properties) {
    QueryPlan.Downsample downsample =
        new QueryPlan.Downsample(
            input, windows(properties), aggregation, stamp(aggregation, properties));
    return aggregation.takesText() ? downsample : new QueryPlan.Numbers(downsample);
  }

  private static Stamp stamp(Aggregation aggregation, Properties properties) {
    if (properties.truth("align_start_time", false)) {
      return Stamp.START;
    }
    if (properties.truth("align_end_time", false)) {
      return Stamp.END;
    }
    return aggregation == Basic.LAST ? Stamp.LAST : Stamp.FIRST;
  }

  private Windows windows(Properties properties) {
    Properties.Length sampling = properties.length("sampling");
    if (sampling == null) {
      sampling = new Properties.Length(1, TimeUnit.MILLISECONDS);
    }
    if (sampling.count() == 0) {
      throw new HttpError(500, "the sampling of " + properties.context() + " is 0");
    }
    ZoneId own = zone(properties, zone);
    long origin = properties.whole("start_time", start);
    if (properties.truth("align_sampling", true)) {
      origin = aligned(origin, sampling.unit(), own);
    }
    return windows(sampling, own, origin);
  }

  private Windows windows(Properties.Length sampling, ZoneId own, long originMillis) {
    long origin = scaled(originMillis);
    ChronoUnit unit = sampling.unit().unit();
    boolean exact =
        unit.compareTo(ChronoUnit.HOURS) <= 0
            || (unit.compareTo(ChronoUnit.WEEKS) <= 0 && own.normalized() instanceof ZoneOffset);
    if (!exact) {
      return new Windows.Calendar(sampling.count(), unit, own, origin, resolution);
    }
    long millis = Math.multiplyExact(unit.getDuration().toMillis(), (long) sampling.count());
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

  /** The beginning of the year, month, week or day, or the full second. */
  private static long aligned(long time, TimeUnit unit, ZoneId zone) {
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
      // The first of all times lies in the middle of its year.
      return time;
    }
  }

  static ZoneId zone(Properties properties, ZoneId otherwise) {
    String name = properties.text("time_zone");
    if (name == null) {
      return otherwise;
    }
    if (name.isEmpty()) {
      return ZoneOffset.UTC;
    }
    try {
      return ZoneId.of(name);
    } catch (java.time.DateTimeException e) {
      throw properties.wrong(
          name,
          "is not a valid time zone, must be one of "
              + new java.util.TreeSet<>(ZoneId.getAvailableZoneIds()));
    }
  }

  private static Deviation deviation(Properties properties) {
    String type = properties.text("return_type");
    double count = properties.whole("dev_count", 1);
    return switch (type == null ? "value" : type.toLowerCase(java.util.Locale.ROOT)) {
      case "pos_sd" -> new Deviation(true, 1, count);
      case "neg_sd" -> new Deviation(true, 1, -count);
      default -> Deviation.SAMPLE;
    };
  }

  private static Percentile percentile(Properties properties) {
    double fraction = properties.real("percentile", 0.1);
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new HttpError(500, fraction + " is not in [0..1]");
    }
    return new Percentile(fraction, Percentile.Rank.N_PLUS_1);
  }

  private QueryPlan gaps(QueryPlan input, Properties properties) {
    Windows windows = windows(properties);
    if (properties.truth("trim", false)) {
      return new QueryPlan.Gaps(input, windows, null, null);
    }
    long from = properties.whole("start_time", start);
    long to = Math.min(properties.whole("end_time", end), end);
    return new QueryPlan.Gaps(input, windows, scaled(from), scaled(to));
  }

  private Span rateSpan(Properties properties) {
    Properties.Length sampling = properties.length("sampling");
    String unit = properties.text("unit");
    if (unit != null) {
      sampling = new Properties.Length(1, properties.unit(unit));
    }
    if (sampling == null) {
      sampling = new Properties.Length(1, TimeUnit.MILLISECONDS);
    }
    return new Span(sampling.count(), sampling.unit().unit(), zone(properties, zone), resolution);
  }

  private static double divisor(Properties properties) {
    double divisor = properties.real("divisor", 0);
    if (divisor == 0) {
      throw properties.wrong("divisor", "must be non-zero");
    }
    return divisor;
  }

  private static int size(Properties properties) {
    long size = properties.whole("size", 0);
    if (size < 1) {
      throw new HttpError(500, "the size of a moving average is at least 1, got " + size);
    }
    if (size > 1_000_000) {
      throw properties.wrong("size", "must be less than or equal to 1000000");
    }
    return (int) size;
  }

  private static QueryPlan trim(QueryPlan input, Properties properties) {
    String which = properties.text("trim");
    return switch (which == null ? "both" : which.toLowerCase(java.util.Locale.ROOT)) {
      case "first" -> new QueryPlan.Trim(input, true, false);
      case "last" -> new QueryPlan.Trim(input, false, true);
      case "both" -> new QueryPlan.Trim(input, true, true);
      default ->
          throw properties.wrong(
              java.util.Objects.requireNonNull(which),
              "is not a valid trim type, must be 'first', 'last' or 'both'.");
    };
  }

  private static QueryPlan filter(QueryPlan input, Properties properties) {
    String operation = properties.text("filter_op");
    QueryPlan.Drop.Comparison comparison = QueryPlan.Drop.Comparison.EQUAL;
    if (operation != null) {
      try {
        comparison =
            QueryPlan.Drop.Comparison.valueOf(operation.toUpperCase(java.util.Locale.ROOT));
      } catch (IllegalArgumentException e) {
        throw properties.wrong(
            operation,
            "is not a valid trim type, must be 'lte', 'lt', 'gte', 'gt', 'equal' or 'ne'.");
      }
    }
    Object threshold = properties.get("threshold");
    return threshold instanceof String text
        ? new QueryPlan.Drop(input, comparison, null, text)
        : new QueryPlan.Drop(input, comparison, properties.real("threshold", 0), null);
  }

  private record Threshold(double value, boolean inferior) {}

  private static QueryPlan score(QueryPlan input, Properties properties) {
    Object given = properties.get("thresholds");
    if (given == null) {
      throw properties.wrong("thresholds", "may not be null");
    }
    List<Threshold> thresholds = new ArrayList<>();
    for (Object one : Properties.array(given)) {
      Properties threshold =
          new Properties(Properties.object(one), properties.context() + ".thresholds");
      String boundary = threshold.text("boundary");
      thresholds.add(
          new Threshold(
              threshold.real("value", 0),
              boundary != null && boundary.equalsIgnoreCase("inferior")));
    }
    thresholds.sort(
        Comparator.comparingDouble(Threshold::value)
            .thenComparing(threshold -> !threshold.inferior()));
    String order = properties.text("order");
    return new QueryPlan.Numbers(
        new QueryPlan.Score(
            input,
            thresholds.stream().map(Threshold::value).toList(),
            thresholds.stream().map(Threshold::inferior).toList(),
            order != null && order.equalsIgnoreCase("descending")));
  }

  /** What stands in an answer of a length of time. */
  static Map<String, Object> shown(Properties.Length length) {
    Map<String, Object> shown = new java.util.LinkedHashMap<>();
    shown.put("value", length.count());
    shown.put("unit", length.unit().name());
    return shown;
  }
}
