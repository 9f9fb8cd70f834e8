package dev.varve.acceptance;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads JSON into maps, lists, strings, {@link BigDecimal}s, booleans and null. Numbers stay exact,
 * so that tests compare what the server sends.
 */
final class Json {
  private static final JsonFactory JSON = new JsonFactory();

  private Json() {}

  static @Nullable Object parse(String text) {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
      json.nextToken();
      Object value = value(json);
      if (json.nextToken() != null) {
        throw new AssertionError("more than one value: " + text);
      }
      return value;
    }
  }

  static Map<String, Object> object(String text) {
    return members(parse(text));
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> members(@Nullable Object value) {
    return (Map<String, Object>) Objects.requireNonNull(value);
  }

  @SuppressWarnings("unchecked")
  static List<Object> elements(@Nullable Object value) {
    return (List<Object>) Objects.requireNonNull(value);
  }

  /** Returns the number of a member, which must exist. */
  static BigDecimal number(Map<String, Object> members, String name) {
    return (BigDecimal) Objects.requireNonNull(members.get(name), name);
  }

  private static @Nullable Object value(JsonParser json) {
    return switch (json.currentToken()) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String name = json.currentName();
          json.nextToken();
          members.put(name, value(json));
        }
        yield members;
      }
      case START_ARRAY -> {
        List<@Nullable Object> elements = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          elements.add(value(json));
        }
        yield elements;
      }
      case VALUE_STRING -> json.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new BigDecimal(json.getString());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new AssertionError("no value: " + json.currentToken());
    };
  }
}
