package dev.varve.rules.template;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The functions {@code index} and {@code slice}. */
final class Elements {
  private Elements() {}

  static @Nullable Object index(List<@Nullable Object> arguments) throws Failure.Refused {
    Object value = arguments.getFirst();
    for (Object key : arguments.subList(1, arguments.size())) {
      value = index(value, key);
    }
    return value;
  }

  private static @Nullable Object index(@Nullable Object of, @Nullable Object key)
      throws Failure.Refused {
    return switch (of) {
      case null -> throw new Failure.Refused("index of untyped nil");
      case Values.ArgumentMap arguments -> arguments.values().get(name(key));
      case Map<?, ?> map -> map.containsKey(name(key)) ? map.get(name(key)) : "";
      case List<?> list -> list.get(place(key, list.size()));
      case String text -> {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        yield (long) (bytes[place(key, bytes.length)] & 0xFF);
      }
      default -> throw new Failure.Refused("can't index item of type " + Values.type(of));
    };
  }

  private static String name(@Nullable Object key) throws Failure.Refused {
    if (key instanceof String name) {
      return name;
    }
    throw new Failure.Refused(
        key == null
            ? "value is nil; should be of type string"
            : "value has type %s; should be string".formatted(Values.type(key)));
  }

  private static int place(@Nullable Object key, int size) throws Failure.Refused {
    if (!(key instanceof Long place)) {
      throw new Failure.Refused(
          key == null
              ? "cannot index slice/array with nil"
              : "cannot index slice/array with type " + Values.type(key));
    }
    if (place < 0 || place >= size) {
      throw new Failure.Refused("index out of range: " + place);
    }
    return place.intValue();
  }

  static Object slice(List<@Nullable Object> arguments) throws Failure.Refused {
    Object of = arguments.getFirst();
    if (arguments.size() > 4) {
      throw new Failure.Refused("too many slice indexes: " + (arguments.size() - 1));
    }
    int size =
        switch (of) {
          case String text -> text.getBytes(StandardCharsets.UTF_8).length;
          case List<?> list -> list.size();
          case null -> throw new Failure.Refused("slice of untyped nil");
          default -> throw new Failure.Refused("can't slice item of type " + Values.type(of));
        };
    int from = arguments.size() > 1 ? place(arguments.get(1), size + 1) : 0;
    int to = arguments.size() > 2 ? place(arguments.get(2), size + 1) : size;
    if (from > to) {
      throw new Failure.Refused("invalid slice index: %d > %d".formatted(from, to));
    }
    if (of instanceof List<?> list) {
      return list.subList(from, to);
    }
    byte[] bytes = ((String) of).getBytes(StandardCharsets.UTF_8);
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }
}
