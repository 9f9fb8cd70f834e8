package dev.varve.server.prometheus;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.server.http.Form;
import dev.varve.server.http.FuzzExchange;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Fuzzes forms of requests to Prometheus' API. Forms, times, durations and escaped names must be
 * the same after they are printed and read again; anything invalid is a bad request.
 */
public final class ParametersFuzz {
  private ParametersFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    Map<String, List<String>> form;
    try {
      form = Form.readAll(exchange(input));
    } catch (HttpError e) {
      ensureBadRequest(e);
      return;
    }
    if (!Form.readAll(exchange(printed(form).getBytes(UTF_8))).equals(form)) {
      throw new AssertionError(form + " is printed as " + printed(form));
    }
    Parameters parameters = Parameters.of(exchange(input));
    for (String name : form.keySet()) {
      if (!EscapedName.read(escaped(name)).equals(name)) {
        throw new AssertionError(name + " is escaped as " + escaped(name));
      }
      EscapedName.read(name);
      read(() -> time(parameters, name));
      read(() -> duration(parameters, name));
    }
    read(parameters::matchers);
    read(parameters::limit);
  }

  private static FuzzExchange exchange(byte[] body) {
    return new FuzzExchange(body, Map.of(), Map.of());
  }

  private static void read(Runnable reading) {
    try {
      reading.run();
    } catch (HttpError e) {
      ensureBadRequest(e);
    }
  }

  private static void ensureBadRequest(HttpError error) {
    if (error.status() != 400 && error.status() != 413) {
      throw error;
    }
  }

  private static String printed(Map<String, List<String>> form) {
    StringJoiner pairs = new StringJoiner("&");
    form.forEach((name, values) -> {
      for (String value : values) {
        pairs.add(URLEncoder.encode(name, UTF_8) + "=" + URLEncoder.encode(value, UTF_8));
      }
    });
    return pairs.toString();
  }

  private static String escaped(String name) {
    StringBuilder escaped = new StringBuilder("U__");
    name.codePoints()
        .forEach(point -> {
          if (point == '_') {
            escaped.append("__");
          } else if (point < 0x80 && Character.isLetterOrDigit(point)) {
            escaped.appendCodePoint(point);
          } else {
            escaped.append('_').append(Integer.toHexString(point)).append('_');
          }
        });
    return escaped.toString();
  }

  private static void time(Parameters parameters, String name) {
    Long time = parameters.time(name);
    if (time != null) {
      ensureSame(time, with(name, BigDecimal.valueOf(time, 3).toPlainString()).time(name));
    }
  }

  private static void duration(Parameters parameters, String name) {
    Duration read = parameters.duration(name);
    if (read != null && !read.isNegative()) {
      long millis = read.toMillis();
      ensureSame(Duration.ofMillis(millis), with(name, millis + "ms").duration(name));
    }
  }

  private static Parameters with(String name, String value) {
    try {
      return Parameters.of(exchange(printed(Map.of(name, List.of(value))).getBytes(UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void ensureSame(Object read, @Nullable Object again) {
    if (!Objects.equals(read, again)) {
      throw new AssertionError("%s is read again as %s".formatted(read, again));
    }
  }
}
