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
 * The text that the value of an attribute is as a label: a text itself, a number or boolean in
 * digits or letters, bytes in Base64, lists and maps in JSON, nothing as nothing. So
 * OpenTelemetry's Go library has it, and with it Prometheus.
 *
 * <p>Values are {@link String}, {@link Boolean}, {@link Long}, {@link Double}, {@link List}, {@link
 * Map} and null.
 */
final class AnyText {
  /** As deep lists and maps may stand in each other. */
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

  /** Digits, with an exponent only where there would be more than 21 of them. */
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
   * The shortest digits that make the number, never with an exponent; {@code +Inf} and the like.
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
