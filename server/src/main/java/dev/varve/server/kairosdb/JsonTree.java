package dev.varve.server.kairosdb;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON as a tree of {@link Map}, {@link List}, {@link String}, {@link Numeral} and {@link Boolean},
 * for small documents such as queries. A JSON null is a null.
 */
final class JsonTree {
  private static final int TEXT_MAX = 8 << 20;
  private static final int NESTING_MAX = 200;

  /** A generator that is closed half way leaves its text half done, as it should look then. */
  static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
          // JSON is UTF-8 (RFC 8259, 8.1): nothing is guessed.
          .disable(TokenStreamFactory.Feature.CHARSET_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(TEXT_MAX)
                  .maxNestingDepth(NESTING_MAX)
                  .build())
          .build();

  private JsonTree() {}

  /** What is wrong with a document, and where. */
  static String reason(JacksonException failure) {
    @Nullable TokenStreamLocation where = failure.getLocation();
    return where == null
        ? failure.getOriginalMessage()
        : "%s, line %d, column %d"
            .formatted(failure.getOriginalMessage(), where.getLineNr(), where.getColumnNr());
  }

  /** A number as it stands in the text. */
  record Numeral(String text) {}

  /** Reads one document; null where there is none. */
  static @Nullable Object read(byte[] utf8) {
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), utf8)) {
      return json.nextToken() == null ? null : value(json);
    }
  }

  static @Nullable Object read(String text) {
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      return json.nextToken() == null ? null : value(json);
    }
  }

  private static @Nullable Object value(JsonParser json) {
    return switch (json.currentToken()) {
      case START_OBJECT -> object(json);
      case START_ARRAY -> array(json);
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Numeral(json.getString());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> json.getString();
    };
  }

  private static Map<String, @Nullable Object> object(JsonParser json) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      object.put(name, value(json));
    }
    return object;
  }

  private static List<@Nullable Object> array(JsonParser json) {
    List<@Nullable Object> array = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(json));
    }
    return array;
  }
}
