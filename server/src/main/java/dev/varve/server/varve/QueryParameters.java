package dev.varve.server.varve;

import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.query.Aggregation;
import dev.varve.query.QueryPlan;
import dev.varve.query.SelectorParser;
import dev.varve.query.Span;
import dev.varve.query.Windows;
import dev.varve.store.Budget;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A query as parameters of the command line and of Varve's own API: names and texts, validated and
 * turned into a {@link QueryPlan}.
 *
 * <table>
 * <caption>Names</caption>
 * <tr><td>{@code selector}</td><td>{@code metric{tag="value",...}}; required</td></tr>
 * <tr><td>{@code from}, {@code to}</td><td>a time, {@code now} or an age ({@code 1h}); both inclusive, default: the last hour</td></tr>
 * <tr><td>{@code field}</td><td>fields, separated by commas</td></tr>
 * <tr><td>{@code every}, {@code aggregate}, {@code zone}</td><td>downsampling: window width, aggregation (default {@code avg}), time zone</td></tr>
 * <tr><td>{@code extent}</td><td>with {@code every}: length of each window; windows end where those of {@code every} end and may overlap; samples come at their ends</td></tr>
 * <tr><td>{@code rate}</td><td>{@code counter} or {@code gauge}: change per second, before downsampling</td></tr>
 * <tr><td>{@code by}, {@code across}</td><td>grouping: labels, and aggregation across the series of a group (default {@code sum})</td></tr>
 * <tr><td>{@code align}</td><td>before grouping: {@code linear}, {@code previous} or {@code zero}, the value of a series at instants that only others of its group have</td></tr>
 * <tr><td>{@code order}, {@code limit}, {@code samples}</td><td>{@code labels}, {@code last} or {@code newest}; maximum series; maximum samples of each</td></tr>
 * <tr><td>{@code asof}, {@code versions}</td><td>a time; {@code all}</td></tr>
 * <tr><td>{@code scan}</td><td>{@code true} to allow the scan of a whole table</td></tr>
 * </table>
 */
public record QueryParameters(Map<String, String> texts) {
  public static final List<String> NAMES =
      List.of(
          "selector",
          "from",
          "to",
          "field",
          "every",
          "extent",
          "aggregate",
          "zone",
          "rate",
          "by",
          "align",
          "across",
          "order",
          "limit",
          "samples",
          "asof",
          "versions",
          "scan");

  private static final List<String> OF_ROWS = List.of("selector", "from", "to", "scan");

  private static final Pattern AGO = Pattern.compile("(\\d{1,9})(ms|s|m|h|d|w|mo|y)");

  public QueryParameters {
    texts = Map.copyOf(texts);
    for (String name : texts.keySet()) {
      if (!NAMES.contains(name)) {
        throw new IllegalArgumentException(
            "unknown parameter '" + name + "' (known: " + String.join(", ", NAMES) + ")");
      }
    }
    if (!texts.containsKey("selector")) {
      throw new IllegalArgumentException(
          "parameter 'selector' is missing, such as cpu{host=\"a\"}");
    }
  }

  /**
   * Parses parameters that only identify rows: {@code selector}, {@code from}, {@code to} and
   * {@code scan}. The range defaults to all of time.
   */
  public static QueryParameters ofRows(Map<String, String> texts) {
    for (String name : texts.keySet()) {
      if (!OF_ROWS.contains(name)) {
        throw new IllegalArgumentException(
            "unknown parameter '" + name + "' (known: " + String.join(", ", OF_ROWS) + ")");
      }
    }
    Map<String, String> all = new LinkedHashMap<>(texts);
    all.putIfAbsent("from", Long.toString(Long.MIN_VALUE));
    all.putIfAbsent("to", Long.toString(Long.MAX_VALUE));
    return new QueryParameters(all);
  }

  private String text(String name, String otherwise) {
    return texts.getOrDefault(name, otherwise);
  }

  private Set<String> list(String name) {
    return new LinkedHashMap<>(
            Arrays.stream(text(name, "").split("\\s*,\\s*"))
                .filter(part -> !part.isEmpty())
                .collect(
                    Collectors.toMap(part -> part, part -> part, (a, b) -> a, LinkedHashMap::new)))
        .sequencedKeySet();
  }

  private long count(String name) {
    String text = text(name, "0");
    if (!text.matches("\\d{1,18}")) {
      throw new IllegalArgumentException(
          "'" + text + "' for '" + name + "' is not a non-negative integer");
    }
    return Long.parseLong(text);
  }

  /**
   * Returns the requested range in the resolution of the dataset.
   *
   * @throws IllegalArgumentException if a time is invalid or {@code to} lies before {@code from}
   */
  public TimeRange times(Resolution resolution, Instant now) {
    long from = time("from", text("from", "1h"), resolution, now);
    long to = time("to", text("to", "now"), resolution, now);
    if (from > to) {
      throw new IllegalArgumentException("'to' lies before 'from'");
    }
    return TimeRange.closed(from, to);
  }

  /**
   * Parses a time.
   *
   * @throws IllegalArgumentException if the text is not a valid time
   */
  static long time(String name, String text, Resolution resolution, Instant now) {
    try {
      return text.matches("[+-]?\\d{1,19}")
          ? Long.parseLong(text)
          : of(instant(text, now), resolution);
    } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' for '"
              + name
              + "' is not a time (try 2026-01-31, 2026-01-31T12:00:00Z, "
              + resolution.symbol()
              + " since 1970, now, or 15m for 15 minutes ago)");
    }
  }

  private static Instant instant(String text, Instant now) {
    if (text.equals("now")) {
      return now;
    }
    Matcher ago = AGO.matcher(text.startsWith("-") ? text.substring(1) : text);
    if (ago.matches()) {
      return ago(now, Long.parseLong(ago.group(1)), ago.group(2));
    }
    return text.length() == 10
        ? LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC)
        : Instant.parse(text);
  }

  private static Instant ago(Instant now, long count, String unit) {
    return switch (unit) {
      case "ms" -> now.minusMillis(count);
      case "s" -> now.minusSeconds(count);
      case "m" -> now.minus(Duration.ofMinutes(count));
      case "h" -> now.minus(Duration.ofHours(count));
      case "d" -> now.minus(Duration.ofDays(count));
      case "w" -> now.minus(Duration.ofDays(7 * count));
      case "mo" -> now.atZone(ZoneOffset.UTC).minusMonths(count).toInstant();
      default -> now.atZone(ZoneOffset.UTC).minusYears(count).toInstant();
    };
  }

  /** Returns whether a text is a duration such as {@code 15m}. */
  public static boolean isLength(String text) {
    return AGO.matcher(text).matches();
  }

  private static long of(Instant instant, Resolution resolution) {
    long seconds = Math.multiplyExact(instant.getEpochSecond(), resolution.perSecond());
    return Math.addExact(seconds, instant.getNano() / (1_000_000_000L / resolution.perSecond()));
  }

  /** Returns the plan of the query. */
  public QueryPlan plan(Resolution resolution, Instant now) {
    QueryPlan plan = select(resolution, now);
    if (texts.containsKey("rate")) {
      plan = new QueryPlan.Rate(plan, Span.second(resolution), isCounter(), true);
    }
    if (texts.containsKey("every")) {
      plan = windows(plan, resolution);
    } else if (texts.containsKey("extent")) {
      throw new IllegalArgumentException("'extent' needs 'every', the distance of the windows");
    } else if (texts.containsKey("aggregate")) {
      throw new IllegalArgumentException(
          "'aggregate' needs 'every', the width of a window; to aggregate across series, use 'by' and 'across'");
    }
    if (texts.containsKey("align")) {
      plan = new QueryPlan.Align(plan, List.copyOf(list("by")), interpolation());
    }
    if (texts.containsKey("by") || texts.containsKey("across")) {
      plan =
          new QueryPlan.GroupBy(
              plan, List.copyOf(list("by")), Aggregation.parse(text("across", "sum")));
    }
    return ordered(plan);
  }

  private QueryPlan windows(QueryPlan input, Resolution resolution) {
    Windows windows = Windows.parse(text("every", ""), zone(), resolution);
    Aggregation aggregation = Aggregation.parse(text("aggregate", "avg"));
    if (!texts.containsKey("extent")) {
      return new QueryPlan.Downsample(
          input, windows, aggregation, QueryPlan.Downsample.Stamp.START);
    }
    if (!(Windows.parse(text("extent", ""), ZoneOffset.UTC, resolution)
        instanceof Windows.Fixed extent)) {
      throw new IllegalArgumentException("'extent' is a fixed length, such as 90m or 7d");
    }
    return new QueryPlan.Rolling(
        input, windows, extent.width(), aggregation, QueryPlan.Rolling.Edge.END);
  }

  private QueryPlan.Align.Interpolation interpolation() {
    return switch (text("align", "")) {
      case "linear" -> QueryPlan.Align.Interpolation.LINEAR;
      case "previous" -> QueryPlan.Align.Interpolation.PREVIOUS;
      case "zero" -> QueryPlan.Align.Interpolation.ZERO;
      default -> throw new IllegalArgumentException("'align' is linear, previous or zero");
    };
  }

  private QueryPlan ordered(QueryPlan input) {
    QueryPlan plan =
        switch (text("order", "")) {
          case "" -> input;
          case "labels" -> new QueryPlan.Order(input, QueryPlan.Order.By.LABELS, false);
          case "last" -> new QueryPlan.Order(input, QueryPlan.Order.By.LAST, true);
          case "newest" -> new QueryPlan.Order(input, QueryPlan.Order.By.TIME, true);
          default -> throw new IllegalArgumentException("'order' is labels, last or newest");
        };
    return count("limit") > 0 || count("samples") > 0
        ? new QueryPlan.Limit(plan, count("limit"), count("samples"))
        : plan;
  }

  private ZoneId zone() {
    String zone = text("zone", "UTC");
    try {
      return ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "'" + zone + "' for 'zone' is not a time zone (try UTC, Europe/Berlin or +02:00)");
    }
  }

  private boolean isCounter() {
    return switch (text("rate", "")) {
      case "counter" -> true;
      case "gauge" -> false;
      default ->
          throw new IllegalArgumentException("'rate' is counter (a decrease is a reset) or gauge");
    };
  }

  private QueryPlan.Select select(Resolution resolution, Instant now) {
    return new QueryPlan.Select(
        SelectorParser.parse(text("selector", "")),
        times(resolution, now),
        fields(),
        versions(now),
        ReadRequest.Kinds.ONE,
        newest(),
        isScanAllowed());
  }

  /**
   * Returns the number of samples to read, or 0 for all. The read can be limited only if no other
   * part of the query needs the remaining samples.
   */
  private int newest() {
    boolean plain =
        !texts.containsKey("rate")
            && !texts.containsKey("every")
            && !texts.containsKey("by")
            && !texts.containsKey("align")
            && !texts.containsKey("across");
    return plain && text("order", "").equals("newest")
        ? (int) Math.min(Integer.MAX_VALUE, count("samples"))
        : 0;
  }

  private @Nullable Set<String> fields() {
    return texts.containsKey("field") ? new HashSet<>(list("field")) : null;
  }

  private boolean isScanAllowed() {
    return text("scan", "false").equals("true");
  }

  private Versions versions(Instant now) {
    if (text("versions", "").equals("all")) {
      return Versions.ALL;
    }
    if (texts.containsKey("versions")) {
      throw new IllegalArgumentException("'versions' must be 'all'");
    }
    return texts.containsKey("asof")
        ? new Versions.AsOf(time("asof", text("asof", "now"), Resolution.MICROSECONDS, now))
        : Versions.LATEST;
  }

  /** Returns the read that the query is based on, for explanations. */
  public ReadRequest read(Resolution resolution, Instant now) {
    QueryPlan.Select select = select(resolution, now);
    return new ReadRequest(
        select.selector(),
        select.times(),
        select.fields(),
        select.versions(),
        select.kinds(),
        ReadRequest.Order.TIME_WITHIN_SERIES,
        select.newest(),
        select.wholeTable(),
        Budget.UNLIMITED);
  }
}
