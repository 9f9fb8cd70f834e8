package dev.varve.server.otlp;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.server.http.HeldPart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads attributes, whose values may be nested, as texts. */
final class AttributeJson {
  /** Memory of an attribute in bytes, without its characters. */
  private static final int ATTRIBUTE_BYTES = 240;

  /** Memory of a nested value in bytes, without its characters. */
  private static final int VALUE_BYTES = 160;

  private final HeldPart held;

  AttributeJson(HeldPart held) {
    this.held = held;
  }

  /** Returns the memory of attributes in bytes. */
  static long bytes(Map<String, String> attributes) {
    long bytes = 0;
    for (Map.Entry<String, String> attribute : attributes.entrySet()) {
      long characters = attribute.getKey().length() + (long) attribute.getValue().length();
      bytes += ATTRIBUTE_BYTES + ProtoJson.TEXT_PER_CHARACTER * characters;
    }
    return bytes;
  }

  /** Reads a list of attributes. The first of several with the same key wins. */
  void read(ProtoJson json, Map<String, String> into) {
    json.each(() -> {
      held.hold(ATTRIBUTE_BYTES);
      String key = "";
      String value = "";
      while (json.next()) {
        switch (json.name()) {
          case "key" -> key = json.text();
          case "value" -> value = AnyText.of(value(json, 0));
          default -> json.skip();
        }
      }
      into.putIfAbsent(key, value);
    });
  }

  /** Returns a value of the types that {@link AnyText} accepts. */
  private @Nullable Object value(ProtoJson json, int depth) {
    checkDepth(depth);
    return json.enter() ? valueHere(json, depth) : null;
  }

  private static void checkDepth(int depth) {
    if (depth > AnyText.DEPTH_MAX) {
      throw new MalformedMessageException(
          "an attribute whose value is nested deeper than %d".formatted(AnyText.DEPTH_MAX));
    }
  }

  /** Reads the value after its object has been entered. */
  private @Nullable Object valueHere(ProtoJson json, int depth) {
    held.hold(VALUE_BYTES);
    Object value = null;
    while (json.next()) {
      switch (json.name()) {
        case "stringValue", "bytesValue" -> value = json.text();
        case "boolValue" -> value = json.bool();
        case "intValue" -> value = json.integer();
        case "doubleValue" -> value = json.real();
        case "arrayValue" -> value = list(json, depth + 1);
        case "kvlistValue" -> value = map(json, depth + 1);
        default -> json.skip();
      }
    }
    return value;
  }

  private List<@Nullable Object> list(ProtoJson json, int depth) {
    List<@Nullable Object> list = new ArrayList<>();
    eachOfValues(
        json,
        () -> {
          checkDepth(depth);
          list.add(valueHere(json, depth));
        });
    return list;
  }

  private Map<String, @Nullable Object> map(ProtoJson json, int depth) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    eachOfValues(json, () -> readEntry(json, depth, map));
    return map;
  }

  private static void eachOfValues(ProtoJson json, Runnable item) {
    if (json.enter()) {
      while (json.next()) {
        if (json.name().equals("values")) {
          json.each(item);
        } else {
          json.skip();
        }
      }
    }
  }

  private void readEntry(ProtoJson json, int depth, Map<String, @Nullable Object> into) {
    held.hold(VALUE_BYTES);
    String key = "";
    Object value = null;
    while (json.next()) {
      switch (json.name()) {
        case "key" -> key = json.text();
        case "value" -> value = value(json, depth);
        default -> json.skip();
      }
    }
    into.putIfAbsent(key, value);
  }
}
