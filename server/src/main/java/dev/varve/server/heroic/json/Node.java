package dev.varve.server.heroic.json;

import dev.varve.server.heroic.error.HeroicError;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A value of a JSON document with its path. Reading it as something else than it is throws a {@link
 * HeroicError} that names the path.
 */
public final class Node {
  private final String path;
  private final @Nullable Object value;

  /**
   * Creates a node.
   *
   * @param value a map of nodes, a list of nodes, a {@link Numeral}, a String, a Boolean or null
   */
  Node(String path, @Nullable Object value) {
    this.path = path;
    this.value = value;
  }

  /** A number as written. */
  record Numeral(String text) {}

  /** Returns the path of a member. */
  static String member(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  public String path() {
    return path;
  }

  public boolean isObject() {
    return value instanceof Map;
  }

  public boolean isArray() {
    return value instanceof List;
  }

  public boolean isText() {
    return value instanceof String;
  }

  public boolean isNumber() {
    return value instanceof Numeral;
  }

  /** Returns the members of an object. */
  @SuppressWarnings("unchecked") // NodeReader builds maps of nodes alone
  public Map<String, Node> object() {
    if (value instanceof Map<?, ?> map) {
      return (Map<String, Node>) map;
    }
    throw wrong("an object");
  }

  /** Returns the elements of an array. */
  @SuppressWarnings("unchecked") // NodeReader builds lists of nodes alone
  public List<Node> array() {
    if (value instanceof List<?> list) {
      return (List<Node>) list;
    }
    throw wrong("an array");
  }

  /** Returns a member of an object; null if it is absent or null. */
  public @Nullable Node get(String name) {
    Node member = object().get(name);
    return member == null || member.value == null ? null : member;
  }

  /** Returns a member of an object that must be there. */
  public Node required(String name) {
    Node member = get(name);
    if (member == null) {
      throw HeroicError.json("'" + name + "' is missing", member(path, name));
    }
    return member;
  }

  public String text() {
    if (value instanceof String text) {
      return text;
    }
    throw wrong("a string");
  }

  public boolean truth() {
    if (value instanceof Boolean truth) {
      return truth;
    }
    throw wrong("true or false");
  }

  /** Returns a whole number of 64 bits; a fraction of zeros is allowed. */
  public long whole() {
    String text = number("a whole number");
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      double real = real();
      if (real == Math.rint(real) && Math.abs(real) < 0x1p53) {
        return (long) real;
      }
      throw wrong("a whole number of 64 bits");
    }
  }

  public double real() {
    try {
      return Double.parseDouble(number("a number"));
    } catch (NumberFormatException e) {
      throw wrong("a number");
    }
  }

  /** Returns the digits of a number, which may be in a string. */
  private String number(String wanted) {
    return switch (value) {
      case Numeral numeral -> numeral.text();
      case String text -> text;
      case null, default -> throw wrong(wanted);
    };
  }

  /** Returns the error for a value of another kind than the wanted one. */
  public HeroicError wrong(String wanted) {
    String found =
        switch (value) {
          case null -> "null";
          case Map<?, ?> map -> "an object";
          case List<?> list -> "an array";
          case Boolean truth -> truth.toString();
          case Numeral numeral -> shortened(numeral.text());
          default -> "'" + shortened(value.toString()) + "'";
        };
    return HeroicError.json("expected %s, found %s".formatted(wanted, found), path);
  }

  private static String shortened(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "...";
  }
}
