package dev.varve.server.security;

import dev.varve.formats.json.Json;
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
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON of tokens and issuers as maps, lists, strings, doubles and booleans; JSON null is null. A
 * name that occurs twice in an object is an error, because two readers could choose differently.
 */
final class JsonText {
  private static final int NESTING_MAX = 20;

  private static final JsonFactory FACTORY =
      Json.FACTORY
          .rebuild()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(NESTING_MAX).build())
          .build();

  private JsonText() {}

  /**
   * Reads an object.
   *
   * @throws IllegalArgumentException if the bytes are anything else; the message does not quote
   *     them
   */
  static Map<String, @Nullable Object> object(byte[] bytes) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), bytes)) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        Map<String, @Nullable Object> members = members(parser);
        if (parser.nextToken() == null) {
          return members;
        }
      }
      throw new IllegalArgumentException("it is no JSON object");
    } catch (JacksonException e) {
      throw new IllegalArgumentException("it is no JSON", null);
    }
  }

  private static Map<String, @Nullable Object> members(JsonParser parser) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      members.put(name, value(parser));
    }
    return members;
  }

  private static List<@Nullable Object> items(JsonParser parser) {
    List<@Nullable Object> items = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      items.add(value(parser));
    }
    return items;
  }

  private static @Nullable Object value(JsonParser parser) {
    return switch (parser.currentToken()) {
      case START_OBJECT -> members(parser);
      case START_ARRAY -> items(parser);
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case null, default -> null;
    };
  }
}
