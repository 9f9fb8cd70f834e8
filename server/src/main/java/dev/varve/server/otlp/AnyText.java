package dev.varve.server.otlp;

import dev.varve.formats.json.Json;
import dev.varve.formats.number.GoNumber;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Converts the value of an attribute to the text of a label: strings unchanged, numbers in decimal,
 * booleans as {@code true} or {@code false}, bytes in Base64, lists and maps as JSON, a missing
 * value as the empty string. This is the conversion of OpenTelemetry's Go library, which Prometheus
 * uses.
 *
 * <p>Values are {@link String}, {@link Boolean}, {@link Long}, {@link Double}, {@link List}, {@link
 * Map} and null.
 */
final class AnyText {
  /** Maximum nesting depth of lists and maps. */
  static final int DEPTH_MAX = 32;

  private AnyText() {}

  static String of(@Nullable Object value) {
    return switch (value) {
      case null -> "";
      case Double real -> real(real);
      case List<?> list -> json(list);
      case Map<?, ?> map -> json(map);
      default -> value.toString();
    };
  }

  /** Formats a number as JSON does, with an exponent only below 1e-6 and from 1e21 on. */
  private static String real(double value) {
    double size = Math.abs(value);
    if (!Double.isFinite(value) || size == 0 || (size >= 1e-6 && size < 1e21)) {
      return GoNumber.plain(value);
    }
    // Go's encoder of JSON writes e-7, not e-07.
    return GoNumber.exponential(value, GoNumber.SHORTEST).replaceFirst("e([+-])0(\\d)$", "e$1$2");
  }

  private static String json(Object value) {
    return Json.text(json -> write(value, json));
  }

  private static void write(@Nullable Object value, JsonGenerator json) {
    switch (value) {
      case null -> json.writeNull();
      case Boolean bool -> json.writeBoolean(bool);
      case Long number -> json.writeNumber(number);
      case Double number -> {
        if (Double.isNaN(number) || Double.isInfinite(number)) {
          json.writeString(real(number));
        } else {
          json.writeNumber(real(number));
        }
      }
      case List<?> list -> {
        json.writeStartArray();
        list.forEach(item -> write(item, json));
        json.writeEndArray();
      }
      case Map<?, ?> map -> {
        json.writeStartObject();
        map.keySet().stream()
            .map(String::valueOf)
            .sorted()
            .forEach(key -> {
              json.writeName(key);
              write(map.get(key), json);
            });
        json.writeEndObject();
      }
      default -> json.writeString(value.toString());
    }
  }
}
