package dev.varve.rules.template;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Parses the numbers in templates. */
final class Numeral {
  private Numeral() {}

  /** Returns a {@code Long} or a {@code Double}; null if the text is not a number. */
  static @Nullable Object read(String text) {
    String digits = text.replace("_", "");
    boolean real = !isHexadecimal(digits) && digits.matches(".*[.eEpP].*");
    try {
      if (!real) {
        return whole(digits);
      }
      return digits.matches("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?")
          ? (Object) Double.valueOf(digits)
          : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static boolean isHexadecimal(String digits) {
    return digits.matches("[-+]?0[xX][0-9a-fA-F]+");
  }

  private static Long whole(String digits) {
    boolean negative = digits.startsWith("-");
    String size = digits.startsWith("+") || negative ? digits.substring(1) : digits;
    String lower = size.toLowerCase(Locale.ROOT);
    int radix = 10;
    if (lower.startsWith("0x")) {
      radix = 16;
    } else if (lower.startsWith("0b")) {
      radix = 2;
    } else if (lower.startsWith("0o")) {
      radix = 8;
    } else if (lower.length() > 1 && lower.startsWith("0")) {
      radix = 8;
      size = "0o" + size.substring(1);
    }
    return Long.parseLong((negative ? "-" : "") + (radix == 10 ? size : size.substring(2)), radix);
  }
}
