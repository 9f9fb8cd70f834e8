package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.RefusedException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** A reversible change applied to a text before it becomes part of a row key. */
public sealed interface TextTransform {
  /** Returns the identity transform. */
  static TextTransform none() {
    return new None();
  }

  /**
   * Transforms a text.
   *
   * @throws RefusedException if the result could not be reversed
   */
  String apply(String text);

  /** Returns whether bytes that are a valid text could be a result of {@link #apply}. */
  default boolean makes(byte[] bytes, int from, int to) {
    return true;
  }

  /**
   * Reverses the transform.
   *
   * @throws DamagedCellException if {@link #apply} cannot have produced the text
   */
  String undo(String text);

  String text();

  record None() implements TextTransform {
    @Override
    public String apply(String text) {
      return text;
    }

    @Override
    public String undo(String text) {
      return text;
    }

    @Override
    public String text() {
      return "none";
    }
  }

  /**
   * Reverses domain labels, so that {@code www.example.com} becomes {@code com.example.www} and one
   * domain is one range of keys.
   */
  record ReverseDomain() implements TextTransform {
    @Override
    public String apply(String text) {
      List<String> labels = Arrays.asList(text.split("\\.", -1));
      Collections.reverse(labels);
      return String.join(".", labels);
    }

    @Override
    public String undo(String text) {
      return apply(text);
    }

    @Override
    public String text() {
      return "reverse-domain";
    }
  }

  /** Reverses the characters. This spreads sequential numbers, but loses their order. */
  record Reverse() implements TextTransform {
    @Override
    public String apply(String text) {
      return new StringBuilder(text).reverse().toString();
    }

    @Override
    public String undo(String text) {
      return apply(text);
    }

    @Override
    public String text() {
      return "reverse";
    }
  }

  /** Pads whole numbers with leading zeros, so that they sort numerically. */
  record ZeroPad(int digits) implements TextTransform {
    @Override
    public String apply(String text) {
      if (!isNumber(text) || text.length() > digits) {
        throw new RefusedException(
            "declared.number",
            "'%s' is not a whole number of at most %d digits without leading zeros"
                .formatted(text, digits));
      }
      return "0".repeat(digits - text.length()) + text;
    }

    @Override
    public boolean makes(byte[] bytes, int from, int to) {
      for (int i = from; i < to; i++) {
        if (bytes[i] < '0' || bytes[i] > '9') {
          return false;
        }
      }
      return to - from == digits;
    }

    @Override
    public String undo(String text) {
      int start = 0;
      while (start < text.length() - 1 && text.charAt(start) == '0') {
        start++;
      }
      String number = text.substring(start);
      if (text.length() != digits || !isNumber(number)) {
        throw new DamagedCellException(
            "row key: '%s' is not a number of %d digits".formatted(text, digits));
      }
      return number;
    }

    private static boolean isNumber(String text) {
      for (int i = 0; i < text.length(); i++) {
        if (text.charAt(i) < '0' || text.charAt(i) > '9') {
          return false;
        }
      }
      return text.equals("0") || (!text.isEmpty() && text.charAt(0) != '0');
    }

    @Override
    public String text() {
      return "zero-pad " + digits;
    }
  }
}
