package dev.varve.server.prometheus;

import dev.varve.query.promql.Durations;
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
import org.jspecify.annotations.Nullable;

/** The parameters of a request: those of the body, then those of the URL. */
final class Parameters {
  /** Far enough for every dataset, and far from where sums overflow. */
  private static final long MILLIS_MAX = 1L << 53;

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

  /** A time in ms since 1970: seconds with a fraction, or RFC 3339. */
  @Nullable Long time(String name) {
    String text = text(name);
    return text == null ? null : time(name, text);
  }

  long requiredTime(String name) {
    String text = text(name);
    return time(name, text == null ? "" : text);
  }

  private static long time(String name, String text) {
    try {
      if (text.matches("[-+]?[0-9]*\\.?[0-9]+([eE][-+]?[0-9]{1,2})?|[-+]?[0-9]+\\.")) {
        BigDecimal millis = new BigDecimal(text).movePointRight(3);
        long whole = millis.setScale(0, RoundingMode.HALF_EVEN).longValueExact();
        if (Math.abs(whole) <= MILLIS_MAX) {
          return whole;
        }
      } else if (!text.isEmpty()) {
        long millis = OffsetDateTime.parse(text).toInstant().toEpochMilli();
        if (Math.abs(millis) <= MILLIS_MAX) {
          return millis;
        }
      }
    } catch (ArithmeticException | DateTimeException e) {
      throw invalid(name, "cannot parse \"%s\" to a valid timestamp".formatted(text));
    }
    throw invalid(name, "cannot parse \"%s\" to a valid timestamp".formatted(text));
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
    if (text.matches("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]{1,2})?")) {
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
