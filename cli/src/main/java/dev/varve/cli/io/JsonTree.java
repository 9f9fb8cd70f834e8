package dev.varve.cli.io;

import dev.varve.formats.json.Json;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamReadException;

/**
 * Parses small JSON documents into maps, lists, strings, numbers and booleans. A number is a Long
 * if one has its value and sign, and a Double otherwise.
 */
public final class JsonTree {
  private JsonTree() {}

  public static Object parse(String text) {
    try (JsonParser json = Json.parser(text)) {
      if (json.nextToken() == null) {
        throw new StreamReadException(json, "the document is empty");
      }
      return Objects.requireNonNull(value(json));
    }
  }

  /**
   * Returns a member of an object.
   *
   * @throws CommandFailedException if it is missing
   */
  public static Object member(Object object, String name) {
    if (object instanceof Map<?, ?> map) {
      Object member = map.get(name);
      if (member != null) {
        return member;
      }
    }
    throw new MissingException(name);
  }

  /** Thrown if an object lacks a member. */
  public static final class MissingException extends CommandFailedException {
    private static final long serialVersionUID = 1;
    private final String name;

    private MissingException(String name) {
      super("the answer has no '" + name + "': is the server of another version?");
      this.name = name;
    }

    /** Returns the name of the member. */
    public String name() {
      return name;
    }
  }

  /**
   * Returns a member of an object as text.
   *
   * @throws CommandFailedException if it is missing
   */
  public static String text(Object object, String name) {
    return String.valueOf(member(object, name));
  }

  /**
   * Returns a member of an object that is an integer.
   *
   * @throws CommandFailedException if it is missing or no integer
   */
  public static long number(Object object, String name) {
    if (member(object, name) instanceof Long number) {
      return number;
    }
    throw new CommandFailedException(
        "'%s' is '%s', not an integer".formatted(name, member(object, name)));
  }

  /**
   * Returns a member of an object whose own members are tags.
   *
   * @throws CommandFailedException if it is missing or no object
   */
  public static Tags tags(Object object, String name) {
    if (!(member(object, name) instanceof Map<?, ?> members)) {
      throw new CommandFailedException(
          "'%s' is '%s', not an object of tags".formatted(name, member(object, name)));
    }
    Map<String, String> tags = new TreeMap<>();
    members.forEach((tag, value) -> tags.put(String.valueOf(tag), String.valueOf(value)));
    return Tags.of(tags);
  }

  /** Returns the elements of an array without nulls; none if the value is not an array. */
  public static List<Object> list(@Nullable Object array) {
    List<Object> elements = new ArrayList<>();
    if (array instanceof List<?> list) {
      for (Object element : list) {
        if (element != null) {
          elements.add(element);
        }
      }
    }
    return elements;
  }

  private static @Nullable Object value(JsonParser json) {
    return switch (json.currentToken()) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String name = json.currentName();
          json.nextToken();
          map.put(name, value(json));
        }
        yield map;
      }
      case START_ARRAY -> {
        List<@Nullable Object> list = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          list.add(value(json));
        }
        yield list;
      }
      case VALUE_NUMBER_INT -> integer(json.getString());
      case VALUE_NUMBER_FLOAT -> Double.parseDouble(json.getString());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> json.getString();
    };
  }

  /** Some servers write doubles such as 1e20 and negative zero without a point. */
  private static Object integer(String digits) {
    try {
      long integer = Long.parseLong(digits);
      return integer == 0 && digits.startsWith("-") ? (Object) (-0.0) : (Object) integer;
    } catch (NumberFormatException e) {
      return Double.parseDouble(digits);
    }
  }
}
