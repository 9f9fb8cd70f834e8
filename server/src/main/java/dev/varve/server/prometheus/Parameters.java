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

/** The parameters of a request: those of the body, then those of the URL. */
final class Parameters {
  /** Far enough for every dataset, and far from where sums overflow. */
  private static final long MILLIS_MAX = 1L << 53;

  private static final int NUMBER_LENGTH_MAX = 100;

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
        exchange, exchange.method().equals("POST") ? Form.readAll(exchange) : Map.of());
  }

  /** The first value; null where there is none, or an empty one. */
  @Nullable String text(String name) {
    List<String> values = all(name);
    return values.isEmpty() || values.getFirst().isEmpty() ? null : values.getFirst();
  }

  List<String> all(String name) {
    List<String> values = new ArrayList<>(form.getOrDefault(name, List.of()));
    values.addAll(exchange.parameters(name));
    return values;
  }

  /** The matchers of every selector of {@code match[]}. */
  List<List<LabelMatcher>> matchers() {
    List<List<LabelMatcher>> matchers = new ArrayList<>();
    for (String match : all("match[]")) {
      try {
        if (PromQl.parse(match) instanceof Expr.VectorSelector selector
            && selector.modifiers().equals(Modifiers.NONE)) {
          matchers.add(selector.matchers());
        } else {
          throw invalid("match[]", "'%s' is no series selector".formatted(match));
        }
      } catch (PromQlException e) {
        throw invalid("match[]", e.getMessage());
      }
    }
    return matchers;
  }

  /** A time in ms since 1970: seconds with a fraction, or RFC 3339. */
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

  /** Clients that mean "always" send times that no dataset has, which become the last that are. */
  private static long millis(String text) {
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

  /** A length of time: seconds with a fraction, or as {@code 1h30m}. */
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

  /** How many at most; 0 for all. */
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
