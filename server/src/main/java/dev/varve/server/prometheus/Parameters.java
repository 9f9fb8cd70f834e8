package dev.varve.server.prometheus;

import dev.varve.query.promql.Durations;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.Modifiers;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The parameters of a request: those of the body, followed by those of the URL. */
final class Parameters {
  /**
   * Bound of times in ms: beyond the range of every dataset, but small enough that sums do not
   * overflow.
   */
  private static final long MILLIS_MAX = 1L << 53;

  private static final int NUMBER_LENGTH_MAX = 100;

  /** Seconds of so few digits are in range, and need no decimal arithmetic. */
  private static final int PLAIN_DIGITS = 12;

  private static final Pattern NUMBER =
      Pattern.compile("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]{1,2})?");

  private final Exchange exchange;
  private final Map<String, List<String>> form;

  private Parameters(Exchange exchange, Map<String, List<String>> form) {
    this.exchange = exchange;
    this.form = form;
  }

  static Parameters of(Exchange exchange) throws IOException {
    return new Parameters(
        exchange, exchange.method().equals("GET") ? Map.of() : Form.readAll(exchange));
  }

  /** Returns the first value; null if the parameter is missing or its first value is empty. */
  @Nullable String text(String name) {
    List<String> values = all(name);
    return values.isEmpty() || values.getFirst().isEmpty() ? null : values.getFirst();
  }

  List<String> all(String name) {
    List<String> values = new ArrayList<>(form.getOrDefault(name, List.of()));
    values.addAll(exchange.parameters(name));
    return values;
  }

  /** Returns the matchers of each {@code match[]} selector. */
  List<List<LabelMatcher>> matchers() {
    List<List<LabelMatcher>> matchers = new ArrayList<>();
    for (String match : all("match[]")) {
      try {
        if (PromQl.parse(match) instanceof Expr.VectorSelector selector
            && selector.modifiers().equals(Modifiers.NONE)) {
          matchers.add(selector.matchers());
        } else {
          throw invalid("match[]", "'%s' is not a series selector".formatted(match));
        }
      } catch (PromQlException e) {
        throw invalid("match[]", e.getMessage());
      }
    }
    return matchers;
  }

  /**
   * Returns a time in ms since 1970, given as seconds with a fraction or in RFC 3339; null if it is
   * missing.
   */
  @Nullable Long time(String name) {
    String text = text(name);
    if (text == null) {
      return null;
    }
    try {
      return millis(text);
    } catch (IllegalArgumentException e) {
      throw invalid(name, "invalid time value for '%s': %s".formatted(name, e.getMessage()));
    }
  }

  long requiredTime(String name) {
    String text = text(name);
    try {
      return millis(text == null ? "" : text);
    } catch (IllegalArgumentException e) {
      throw invalid(name, e.getMessage());
    }
  }

  /** Out-of-range times are clamped because some clients send them to mean "all of time". */
  private static long millis(String text) {
    if (isPlain(text, 0, text.length())) {
      return 1000 * Long.parseLong(text);
    }
    int point = text.indexOf('.');
    int places = text.length() - point - 1;
    if (places > 0
        && places <= 3
        && isPlain(text, 0, point)
        && isPlain(text, point + 1, text.length())) {
      long scale = places == 1 ? 100 : places == 2 ? 10 : 1;
      return 1000 * Long.parseLong(text, 0, point, 10)
          + scale * Long.parseLong(text, point + 1, text.length(), 10);
    }
    try {
      if (text.length() <= NUMBER_LENGTH_MAX && NUMBER.matcher(text).matches()) {
        BigDecimal millis = new BigDecimal(text).movePointRight(3);
        return millis
            .setScale(0, RoundingMode.HALF_EVEN)
            .max(BigDecimal.valueOf(-MILLIS_MAX))
            .min(BigDecimal.valueOf(MILLIS_MAX))
            .longValueExact();
      }
      return Math.clamp(
          OffsetDateTime.parse(text).toInstant().toEpochMilli(), -MILLIS_MAX, MILLIS_MAX);
    } catch (ArithmeticException | DateTimeException e) {
      throw new IllegalArgumentException(
          "cannot parse \"%s\" to a valid timestamp".formatted(text), e);
    }
  }

  /** Returns whether a part of a text is a number of few digits. */
  private static boolean isPlain(String text, int from, int to) {
    if (to <= from || to - from > PLAIN_DIGITS) {
      return false;
    }
    for (int i = from; i < to; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns a duration, given as seconds with a fraction or in the form {@code 1h30m}; null if it
   * is missing.
   */
  @Nullable Duration duration(String name) {
    String text = text(name);
    return text == null ? null : duration(name, text);
  }

  Duration requiredDuration(String name) {
    String text = text(name);
    return duration(name, text == null ? "" : text);
  }

  private static Duration duration(String name, String text) {
    if (NUMBER.matcher(text).matches()) {
      double seconds = Double.parseDouble(text);
      if (Math.abs(seconds) * 1000 < MILLIS_MAX) {
        return Duration.ofMillis((long) (seconds * 1000));
      }
    }
    try {
      return Durations.parse(text);
    } catch (IllegalArgumentException e) {
      throw invalid(name, "cannot parse \"%s\" to a valid duration".formatted(text));
    }
  }

  /** Returns the maximum number of results; 0 for all. */
  int limit() {
    String text = text("limit");
    if (text == null) {
      return 0;
    }
    if (!text.matches("\\d{1,9}")) {
      throw invalid(
          "limit", "cannot parse \"%s\" to a number that is not negative".formatted(text));
    }
    return Integer.parseInt(text);
  }

  static HttpError invalid(String parameter, @Nullable String problem) {
    return HttpError.badRequest("invalid parameter \"%s\": %s".formatted(parameter, problem));
  }
}
