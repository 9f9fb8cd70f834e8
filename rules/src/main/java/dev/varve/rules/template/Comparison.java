package dev.varve.rules.template;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The functions {@code eq}, {@code ne}, {@code lt}, {@code le}, {@code gt} and {@code ge}. */
final class Comparison {
  private Comparison() {}

  static Boolean of(String name, List<@Nullable Object> arguments) throws Failure.Refused {
    Object left = arguments.getFirst();
    if (name.equals("eq")) {
      return equalsAny(left, arguments.subList(1, arguments.size()));
    }
    Object right = arguments.get(1);
    return switch (name) {
      case "ne" -> !equal(left, right);
      case "lt" -> less(left, right);
      case "le" -> less(left, right) || equal(left, right);
      case "gt" -> !(less(left, right) || equal(left, right));
      case "ge" -> !less(left, right);
      default -> throw new IllegalStateException("no function " + name);
    };
  }

  private static boolean equalsAny(@Nullable Object left, List<@Nullable Object> others)
      throws Failure.Refused {
    if (others.isEmpty()) {
      throw new Failure.Refused("missing argument for comparison");
    }
    for (Object other : others) {
      if (equal(left, other)) {
        return true;
      }
    }
    return false;
  }

  private static boolean equal(@Nullable Object left, @Nullable Object right)
      throws Failure.Refused {
    if (left == null || right == null) {
      return left == null && right == null;
    }
    requireBasic(left);
    requireBasic(right);
    if (left.getClass() != right.getClass()) {
      throw incompatible(left, right);
    }
    // As in Go and unlike equals(), NaN differs from itself, and 0 equals -0.
    return (left instanceof Double a && right instanceof Double b)
        ? a.doubleValue() == b.doubleValue()
        : left.equals(right);
  }

  private static void requireBasic(Object value) throws Failure.Refused {
    if (!(value instanceof String
        || value instanceof Long
        || value instanceof Double
        || value instanceof Boolean)) {
      throw new Failure.Refused(
          "non-comparable type %s: %s".formatted(Values.text(value), Values.type(value)));
    }
  }

  private static boolean less(@Nullable Object left, @Nullable Object right)
      throws Failure.Refused {
    return switch (left) {
      case String a when right instanceof String b -> compare(a, b) < 0;
      case Long a when right instanceof Long b -> a < b;
      case Double a when right instanceof Double b -> a < b;
      case Boolean a -> throw new Failure.Refused("invalid type for comparison");
      case String a -> throw incompatible(a, right);
      case Long a -> throw incompatible(a, right);
      case Double a -> throw incompatible(a, right);
      case null, default -> throw new Failure.Refused("invalid type for comparison");
    };
  }

  private static Failure.Refused incompatible(Object left, @Nullable Object right) {
    return new Failure.Refused(
        "incompatible types for comparison: %s and %s"
            .formatted(Values.type(left), Values.type(right)));
  }

  /** Compares texts by their UTF-8 bytes, which is by code points. */
  private static int compare(String left, String right) {
    return Arrays.compareUnsigned(
        left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }
}
