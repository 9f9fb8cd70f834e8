package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON as maps, lists, texts, booleans, nulls and {@linkplain Numeral numbers as they are written}.
 */
final class JsonTree {
  private static final JsonFactory FACTORY = new JsonFactory();

  private JsonTree() {}

  /** A number as it is written, because {@code 3} and {@code 3.0} differ for clients. */
  record Numeral(String text) {
    boolean isWhole() {
      return text.matches("-?\\d+");
    }

    double value() {
      return Double.parseDouble(text);
    }
  }

  /** Returns an object with names and values in turn, in this order. */
  static Map<String, @Nullable Object> object(@Nullable Object... members) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    for (int i = 0; i < members.length; i += 2) {
      object.put(String.valueOf(members[i]), members[i + 1]);
    }
    return object;
  }

  /** Reads a document; one that is no JSON is a text. A repeated name is numbered. */
  static @Nullable Object read(String text) {
    try (JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      JsonToken first = json.nextToken();
      if (first == null) {
        return "";
      }
      Object value = value(json, first);
      return json.nextToken() == null ? value : text;
    } catch (JacksonException e) {
      return text;
    }
  }

  private static @Nullable Object value(JsonParser json, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String name = json.currentName();
          String free = name;
          for (int i = 2; map.containsKey(free); i++) {
            free = name + "#" + i;
          }
          map.put(free, value(json, json.nextToken()));
        }
        yield map;
      }
      case START_ARRAY -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (JsonToken next = json.nextToken();
            next != JsonToken.END_ARRAY;
            next = json.nextToken()) {
          list.add(value(json, next));
        }
        yield list;
      }
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Numeral(json.getString());
      default -> json.getString();
    };
  }

  /** Writes a document; numbers may also be of Java's types. */
  static String write(@Nullable Object value) {
    StringBuilder text = new StringBuilder();
    write(value, text);
    return text.toString();
  }

  private static void write(@Nullable Object value, StringBuilder text) {
    switch (value) {
      case null -> text.append("null");
      case Map<?, ?> map -> {
        text.append('{');
        map.forEach((name, member) -> {
          text.append(text.charAt(text.length() - 1) == '{' ? "" : ",");
          write(name, text);
          text.append(':');
          write(member, text);
        });
        text.append('}');
      }
      case List<?> list -> {
        text.append('[');
        for (int i = 0; i < list.size(); i++) {
          text.append(i == 0 ? "" : ",");
          write(list.get(i), text);
        }
        text.append(']');
      }
      case String string -> quote(string, text);
      case Numeral number -> text.append(number.text());
      default -> text.append(value);
    }
  }

  private static void quote(String string, StringBuilder text) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ') {
        text.append("\\u%04x".formatted((int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }
}
