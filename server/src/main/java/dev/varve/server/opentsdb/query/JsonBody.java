package dev.varve.server.opentsdb.query;

import dev.varve.formats.json.Json;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamLocation;

/**
 * The object in the body of a request. Scalars are texts, whatever their type, since OpenTSDB takes
 * numbers for texts and the reverse.
 */
public final class JsonBody {
  private static final int NESTING_MAX = 100;

  /** Memory of an object or array, of a member or element, and of a text, in bytes. */
  private static final int OBJECT_BYTES = 160;

  private static final int MEMBER_BYTES = 72;
  private static final int TEXT_BYTES = 64;

  private static final String UNPARSEABLE = "Unable to parse the given JSON";

  private final Map<String, @Nullable Object> members;

  private JsonBody(Map<String, @Nullable Object> members) {
    this.members = members;
  }

  /**
   * Reads an object.
   *
   * @param memory accounts for the tree
   * @throws OpenTsdbError 400 if the body is not one JSON object
   */
  public static JsonBody read(byte[] utf8, Reservation memory) {
    return read(utf8, memory, false).getFirst();
  }

  /** Reads an object, or an array of objects. */
  public static List<JsonBody> readAll(byte[] utf8, Reservation memory) {
    return read(utf8, memory, true);
  }

  private static List<JsonBody> read(byte[] utf8, Reservation memory, boolean arrays) {
    if (utf8.length == 0) {
      throw new OpenTsdbError(
          400,
          "Missing message content",
          "Supply valid JSON formatted data in the body of your request");
    }
    try (JsonParser json = HeldJson.of(Json.FACTORY, new ByteArrayInputStream(utf8), memory)) {
      JsonToken first = json.nextToken();
      Object tree = first == null ? null : value(json, memory, 0);
      if (tree instanceof List<?> list && arrays) {
        return list.stream().map(JsonBody::of).toList();
      }
      return List.of(of(tree));
    } catch (JacksonException e) {
      throw new OpenTsdbError(400, UNPARSEABLE, reason(e));
    }
  }

  private static String reason(JacksonException failure) {
    TokenStreamLocation where = failure.getLocation();
    return where == null
        ? failure.getOriginalMessage()
        : "%s, line %d, column %d"
            .formatted(failure.getOriginalMessage(), where.getLineNr(), where.getColumnNr());
  }

  /** Returns an error in a body that is valid JSON. */
  public static OpenTsdbError wrong(String details) {
    return new OpenTsdbError(400, UNPARSEABLE, details);
  }

  private static JsonBody of(@Nullable Object tree) {
    if (tree instanceof JsonBody body) {
      return body;
    }
    throw wrong("an object is expected");
  }

  private static @Nullable Object value(JsonParser json, Reservation memory, int depth) {
    if (depth > NESTING_MAX) {
      throw wrong("more than %d levels".formatted(NESTING_MAX));
    }
    return switch (json.currentToken()) {
      case START_OBJECT -> {
        memory.hold(OBJECT_BYTES);
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String name = json.currentName();
          memory.hold(MEMBER_BYTES + 2L * name.length());
          json.nextToken();
          members.put(name, value(json, memory, depth + 1));
        }
        yield new JsonBody(members);
      }
      case START_ARRAY -> {
        memory.hold(OBJECT_BYTES);
        List<@Nullable Object> items = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          memory.hold(MEMBER_BYTES);
          items.add(value(json, memory, depth + 1));
        }
        yield items;
      }
      case VALUE_NULL -> null;
      default -> {
        String text = json.getString();
        memory.hold(TEXT_BYTES + 2L * text.length());
        yield text;
      }
    };
  }

  /**
   * Checks that there are no members but the known ones.
   *
   * @throws OpenTsdbError 400 if there are others
   */
  public void requireOnly(String... known) {
    for (String name : members.keySet()) {
      if (!List.of(known).contains(name)) {
        throw wrong("'%s' is unknown; there are %s".formatted(name, String.join(", ", known)));
      }
    }
  }

  /** Returns the names of the members, in their order. */
  public Set<String> names() {
    return Collections.unmodifiableSet(members.keySet());
  }

  /** Returns whether a member is there and not null. */
  public boolean has(String name) {
    return members.get(name) != null;
  }

  /** Returns a scalar as text; null if it is missing. */
  public @Nullable String text(String name) {
    return switch (members.get(name)) {
      case null -> null;
      case String text -> text;
      default -> throw wrong("'%s' is a text or a number".formatted(name));
    };
  }

  /** Returns whether a member is true; false if it is missing. */
  public boolean is(String name) {
    String text = text(name);
    if (text != null && text.matches("-?[0-9]+")) {
      // OpenTSDB's JSON library takes any number but zero for true.
      return !text.matches("-?0+");
    }
    if (text != null && !Set.of("", "true", "false").contains(text)) {
      throw wrong("'%s' is true or false, not %s".formatted(name, text));
    }
    return "true".equals(text);
  }

  /** Returns an integer, or another value if it is missing. */
  public long integer(String name, long other) {
    String text = text(name);
    if (text == null || text.isEmpty()) {
      return other;
    }
    try {
      return text.matches("[+-]?[0-9]+") ? Long.parseLong(text) : (long) Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw wrong("'%s' is a number, not %s".formatted(name, text));
    }
  }

  /** Returns a number, or another value if it is missing. */
  public double number(String name, double other) {
    String text = text(name);
    try {
      return text == null ? other : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw wrong("'%s' is a number, not %s".formatted(name, text));
    }
  }

  /** Returns an object; null if it is missing. */
  public @Nullable JsonBody object(String name) {
    return switch (members.get(name)) {
      case null -> null;
      case JsonBody body -> body;
      default -> throw wrong("'%s' is an object".formatted(name));
    };
  }

  /** Returns the texts of an array; null if it is missing. */
  public @Nullable List<String> texts(String name) {
    List<?> items = array(name);
    if (items == null) {
      return null;
    }
    List<String> texts = new ArrayList<>();
    for (Object item : items) {
      if (!(item instanceof String text)) {
        throw wrong("'%s' is an array of texts".formatted(name));
      }
      texts.add(text);
    }
    return texts;
  }

  /** Returns the objects of an array; empty if it is missing. */
  public List<JsonBody> objects(String name) {
    List<?> items = array(name);
    if (items == null) {
      return List.of();
    }
    List<JsonBody> objects = new ArrayList<>();
    for (Object item : items) {
      if (!(item instanceof JsonBody body)) {
        throw wrong("'%s' is an array of objects".formatted(name));
      }
      objects.add(body);
    }
    return objects;
  }

  private @Nullable List<?> array(String name) {
    return switch (members.get(name)) {
      case null -> null;
      case List<?> list -> list;
      default -> throw wrong("'%s' is an array".formatted(name));
    };
  }

  /**
   * Returns the members of an object whose values are texts or null, in their order; empty if
   * missing.
   */
  public Map<String, @Nullable String> mapWithNulls(String name) {
    JsonBody object = object(name);
    Map<String, @Nullable String> map = new LinkedHashMap<>();
    if (object != null) {
      object.names().forEach(member -> map.put(member, object.text(member)));
    }
    return map;
  }

  /**
   * Returns the members of an object whose values are texts, in their order; empty if missing.
   *
   * @throws OpenTsdbError 400 if one of them is null
   */
  public Map<String, String> map(String name) {
    Map<String, String> map = new LinkedHashMap<>();
    mapWithNulls(name)
        .forEach((member, text) -> {
          if (text == null) {
            throw wrong("'%s' of '%s' is null, not a text".formatted(member, name));
          }
          map.put(member, text);
        });
    return map;
  }
}
