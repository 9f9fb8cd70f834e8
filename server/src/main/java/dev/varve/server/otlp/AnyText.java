package dev.varve.server.otlp;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

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

  private static final JsonFactory FACTORY = new JsonFactory();

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
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return Double.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    }
    double size = Math.abs(value);
    if (size == 0 || (size >= 1e-6 && size < 1e21)) {
      return digits(value);
    }
    BigDecimal exact = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    String unscaled = exact.unscaledValue().abs().toString();
    int exponent = unscaled.length() - 1 - exact.scale();
    return (value < 0 ? "-" : "")
        + unscaled.charAt(0)
        + (unscaled.length() > 1 ? "." + unscaled.substring(1) : "")
        + (exponent < 0 ? "e" : "e+")
        + exponent;
  }

  /**
   * Returns the shortest decimal digits that identify the number, never with an exponent; {@code
   * NaN}, {@code +Inf} or {@code -Inf} if it is not finite.
   */
  static String digits(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return real(value);
    }
    if (value == 0) {
      return 1 / value < 0 ? "-0" : "0";
    }
    return new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
  }

  private static String json(Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      write(value, json);
    }
    return text.toString();
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
