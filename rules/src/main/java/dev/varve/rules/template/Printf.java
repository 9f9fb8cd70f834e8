package dev.varve.rules.template;

import dev.varve.formats.number.GoNumber;
import dev.varve.query.promql.Quoting;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Go's {@code printf} for the values of templates: verbs {@code v s q d b o x X c U t e E f F g G
 * T}, flags, width and precision, including {@code *}.
 */
final class Printf {
  private static final int WIDTH_MAX = Template.OUTPUT_MAX;

  private final String format;
  private final List<@Nullable Object> arguments;
  private final StringBuilder out = new StringBuilder();
  private int at;
  private int next;

  private boolean minus;
  private boolean plus;
  private boolean sharp;
  private boolean space;
  private boolean zero;
  private int width;
  private int precision;

  private Printf(String format, List<@Nullable Object> arguments) {
    this.format = format;
    this.arguments = arguments;
  }

  static String print(String format, List<@Nullable Object> arguments) throws Failure.Refused {
    return new Printf(format, arguments).run();
  }

  private String run() throws Failure.Refused {
    while (at < format.length()) {
      int percent = format.indexOf('%', at);
      if (percent < 0) {
        out.append(format, at, format.length());
        break;
      }
      out.append(format, at, percent);
      at = percent + 1;
      verb();
      if (out.length() > Template.OUTPUT_MAX) {
        throw Functions.tooLong();
      }
    }
    if (next < arguments.size()) {
      out.append("%!(EXTRA ");
      for (int i = next; i < arguments.size(); i++) {
        out.append(i > next ? ", " : "").append(typed(arguments.get(i)));
      }
      out.append(')');
    }
    return out.toString();
  }

  private static String typed(@Nullable Object value) {
    return value == null ? "<nil>" : Values.type(value) + "=" + Values.text(value);
  }

  private void verb() throws Failure.Refused {
    flags();
    width = count(-1);
    if (width < -1) {
      minus = true;
      width = -width;
    }
    precision = -1;
    if (at < format.length() && format.charAt(at) == '.') {
      at++;
      precision = count(0);
    }
    if (at >= format.length()) {
      out.append("%!(NOVERB)");
      return;
    }
    int verb = format.codePointAt(at);
    at += Character.charCount(verb);
    if (verb == '%') {
      out.append('%');
    } else if (next >= arguments.size()) {
      out.append("%!").appendCodePoint(verb).append("(MISSING)");
    } else {
      value(verb, arguments.get(next++));
    }
  }

  private void flags() {
    minus = plus = sharp = space = zero = false;
    for (; at < format.length(); at++) {
      switch (format.charAt(at)) {
        case '-' -> minus = true;
        case '+' -> plus = true;
        case '#' -> sharp = true;
        case ' ' -> space = true;
        case '0' -> zero = true;
        default -> {
          return;
        }
      }
    }
  }

  private int count(int otherwise) throws Failure.Refused {
    if (at < format.length() && format.charAt(at) == '*') {
      at++;
      if (next < arguments.size() && arguments.get(next++) instanceof Long count) {
        return bounded(Math.abs(count)) * (count < 0 ? -1 : 1);
      }
      out.append("%!(BADWIDTH)");
      return otherwise;
    }
    int start = at;
    while (at < format.length() && format.charAt(at) >= '0' && format.charAt(at) <= '9') {
      at++;
    }
    if (at == start) {
      return otherwise;
    }
    return at - start > 9
        ? bounded(Long.MAX_VALUE)
        : bounded(Long.parseLong(format, start, at, 10));
  }

  private static int bounded(long count) throws Failure.Refused {
    if (count > WIDTH_MAX) {
      throw Functions.tooLong();
    }
    return (int) count;
  }

  private void value(int verb, @Nullable Object value) {
    if (verb == 'T') {
      pad(Values.type(value), false);
      return;
    }
    if (verb == 'v' && (value == null || !(value instanceof Double || value instanceof Long))) {
      pad(
          value == null
              ? "<nil>"
              : sharp && value instanceof String s ? Quoting.quoted(s) : Values.text(value),
          false);
      return;
    }
    boolean done =
        switch (value) {
          case String text -> text(verb, text);
          case Double real -> real(verb, real);
          case Long whole -> whole(verb, whole);
          case Boolean truth when verb == 't' -> pad(truth.toString(), false);
          case null, default -> false;
        };
    if (!done) {
      out.append("%!").appendCodePoint(verb).append('(');
      out.append(typed(value)).append(')');
    }
  }

  private boolean text(int verb, String text) {
    String cut =
        precision >= 0 && precision < text.codePointCount(0, text.length())
            ? text.substring(0, text.offsetByCodePoints(0, precision))
            : text;
    return switch (verb) {
      case 's' -> pad(cut, false);
      case 'q' -> pad(Quoting.quoted(cut), false);
      case 'x' -> pad(hex(cut), false);
      case 'X' -> pad(hex(cut).toUpperCase(Locale.ROOT), false);
      default -> false;
    };
  }

  private static String hex(String text) {
    return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
  }

  private boolean real(int verb, double value) {
    String text =
        switch (verb) {
          case 'v' ->
              precision < 0
                  ? GoNumber.text(value)
                  : GoNumber.general(value, Math.max(precision, 1));
          case 'g', 'G' ->
              precision < 0
                  ? GoNumber.general(value, GoNumber.SHORTEST)
                  : GoNumber.general(value, Math.max(precision, 1));
          case 'e', 'E' -> GoNumber.exponential(value, precision < 0 ? 6 : precision);
          case 'f', 'F' -> GoNumber.fixed(value, precision < 0 ? 6 : precision);
          default -> "";
        };
    if (text.isEmpty()) {
      return false;
    }
    if (text.startsWith("+") && !plus) {
      text = text.substring(1).equals("Inf") ? "+Inf" : text.substring(1);
    } else if (!text.startsWith("-") && !text.startsWith("+")) {
      text = plus && !text.equals("NaN") ? "+" + text : space ? " " + text : text;
    }
    boolean capital = verb == 'E' || verb == 'G';
    return pad(capital ? text.replace('e', 'E') : text, Double.isFinite(value));
  }

  private boolean whole(int verb, long value) {
    String digits =
        switch (verb) {
          case 'd', 'v' -> Long.toString(value);
          case 'b' -> Long.toString(value, 2);
          case 'o' -> Long.toString(value, 8);
          case 'x' -> Long.toString(value, 16);
          case 'X' -> Long.toString(value, 16).toUpperCase(Locale.ROOT);
          case 'c' ->
              Character.isValidCodePoint((int) value) ? Character.toString((int) value) : "\uFFFD";
          case 'q' -> "'" + Character.toString(Math.clamp(value, 0, 0x10FFFF)) + "'";
          case 'U' -> "U+%04X".formatted(value);
          default -> "";
        };
    if (digits.isEmpty()) {
      return false;
    }
    if ("dvboxX".indexOf(verb) >= 0) {
      boolean negative = digits.startsWith("-");
      String size = negative ? digits.substring(1) : digits;
      if (precision > size.length()) {
        size = "0".repeat(precision - size.length()) + size;
      }
      String prefix = sharp && (verb == 'x' || verb == 'X') ? "0" + (char) verb : "";
      digits = (negative ? "-" : plus ? "+" : space ? " " : "") + prefix + size;
      return pad(digits, precision < 0);
    }
    return pad(digits, false);
  }

  private boolean pad(String text, boolean number) {
    int missing = width - text.codePointCount(0, text.length());
    if (missing <= 0) {
      out.append(text);
    } else if (minus) {
      out.append(text).repeat(' ', missing);
    } else if (zero) {
      boolean signed = number && "+- ".indexOf(text.charAt(0)) >= 0;
      out.append(signed ? text.substring(0, 1) : "").repeat('0', missing);
      out.append(signed ? text.substring(1) : text);
    } else {
      out.repeat(' ', missing).append(text);
    }
    return true;
  }
}
