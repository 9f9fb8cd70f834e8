package dev.varve.query;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.model.PatternSize;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses PromQL's instant vector selector (prometheus.io/docs/prometheus/latest/querying/basics):
 * {@code metric{tag="v", tag!="v", tag=~"re", tag!~"re"}}, with quotes around names that are not
 * identifiers: {@code {"a metric", "a tag"="v"}}.
 *
 * <p>It accepts more than PromQL in one respect: as no arithmetic can follow, unquoted names may
 * also contain {@code - . /} and letters of any script. Regular expressions are RE2, anchored at
 * both ends. Simple ones become simpler filters: {@code =~"a|b"} is a set, {@code =~"a.*"} a
 * prefix, {@code =~".+"} and {@code !=""} require the tag to be present, and {@code =~".*"} matches
 * everything.
 */
public final class SelectorParser {
  private final String text;
  private int at;
  private final List<TagFilter> filters = new ArrayList<>();

  /** The metric before the braces, which may then not name another; null if there is none. */
  private @Nullable String metric;

  private SelectorParser(String text) {
    this.text = text;
  }

  /**
   * Parses a selector.
   *
   * @throws SelectorSyntaxException if the text is not a selector
   */
  public static Selector parse(String text) {
    return new SelectorParser(text).selector();
  }

  private Selector selector() {
    skipSpace();
    if (at < text.length() && isNameStart(text.charAt(at))) {
      metric = name();
      filters.add(new TagFilter.Equal(Series.NAME_LABEL, metric));
      skipSpace();
    } else if (at >= text.length() || text.charAt(at) != '{') {
      throw error(at, "expected the name of a metric or '{'" + found());
    }
    if (at < text.length() && text.charAt(at) == '{') {
      at++;
      matchers();
    }
    skipSpace();
    if (at < text.length()) {
      throw error(at, "expected the end of the selector" + found());
    }
    return new Selector(filters);
  }

  private void matchers() {
    while (true) {
      skipSpace();
      if (at < text.length() && text.charAt(at) == '}') {
        at++;
        return;
      }
      matcher();
      skipSpace();
      if (at < text.length() && text.charAt(at) == ',') {
        at++;
      } else if (at >= text.length() || text.charAt(at) != '}') {
        throw error(at, "expected ',' or '}'" + found());
      }
    }
  }

  private void matcher() {
    int start = at;
    boolean quoted = at < text.length() && isQuote(text.charAt(at));
    String name;
    if (quoted) {
      name = string();
    } else if (at < text.length() && isNameStart(text.charAt(at))) {
      name = name();
    } else {
      throw error(at, "expected the name of a tag" + found());
    }
    skipSpace();
    String operator = operator();
    if (operator.isEmpty()) {
      if (!quoted) {
        throw error(at, "expected '=', '!=', '=~' or '!~' after the name of a tag" + found());
      }
      if (metric != null) {
        throw error(start, "the metric is named twice: '" + metric + "' and '" + name + "'");
      }
      filters.add(new TagFilter.Equal(Series.NAME_LABEL, name));
      return;
    }
    skipSpace();
    if (at >= text.length() || !isQuote(text.charAt(at))) {
      throw error(at, "expected a value in quotes after '" + operator + "'" + found());
    }
    if (name.equals(Series.NAME_LABEL) && metric != null) {
      throw error(start, "the metric is named twice: '" + metric + "' and by __name__");
    }
    int valueStart = at;
    add(name, operator, string(), valueStart);
  }

  private void add(String name, String operator, String value, int valueStart) {
    switch (operator) {
      case "=" -> filters.add(new TagFilter.Equal(name, value));
      case "!=" ->
          filters.add(
              value.isEmpty() ? new TagFilter.Has(name) : new TagFilter.NotEqual(name, value));
      case "=~" -> {
        TagFilter filter = checked(name, value, valueStart);
        if (filter != null) {
          filters.add(filter);
        }
      }
      default -> {
        checked(name, value, valueStart);
        filters.add(new TagFilter.NotRegex(name, value));
      }
    }
  }

  /** Returns the simplest filter for a valid pattern; null if every series matches. */
  private @Nullable TagFilter checked(String name, String pattern, int position) {
    TagFilter filter = SimplePattern.filter(name, pattern);
    if (filter instanceof TagFilter.Regex) {
      check(pattern, position);
    }
    return filter;
  }

  private void check(String pattern, int position) {
    try {
      PatternSize.check(pattern);
    } catch (IllegalArgumentException e) {
      throw error(position, String.valueOf(e.getMessage()));
    }
    try {
      Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      throw error(
          position,
          "'" + pattern + "' is not a regular expression in RE2 syntax: " + e.getDescription());
    }
  }

  private String operator() {
    for (String operator : List.of("=~", "!~", "!=", "=")) {
      if (text.startsWith(operator, at)) {
        at += operator.length();
        return operator;
      }
    }
    return "";
  }

  private String name() {
    int start = at;
    while (at < text.length() && isNamePart(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  private static boolean isNameStart(char c) {
    return c == '_' || c == ':' || Character.isLetterOrDigit(c) || Character.isSurrogate(c);
  }

  private static boolean isNamePart(char c) {
    return isNameStart(c) || c == '.' || c == '-' || c == '/';
  }

  private static boolean isQuote(char c) {
    return c == '"' || c == '\'' || c == '`';
  }

  /** Parses a Go string: raw in back quotes, otherwise with escapes. */
  private String string() {
    int start = at;
    char quote = text.charAt(at++);
    StringBuilder value = new StringBuilder();
    // Escapes may encode a UTF-8 character byte by byte.
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (at < text.length() && text.charAt(at) != quote) {
      char c = text.charAt(at++);
      if (c != '\\' || quote == '`') {
        flush(bytes, value);
        value.append(c);
      } else {
        escape(start, quote, value, bytes);
      }
    }
    if (at >= text.length()) {
      throw error(start, "the string that begins here has no end: expected " + quote);
    }
    at++;
    flush(bytes, value);
    return value.toString();
  }

  private void escape(int start, char quote, StringBuilder value, ByteArrayOutputStream bytes) {
    if (at >= text.length()) {
      throw error(start, "the string that begins here has no end: expected " + quote);
    }
    int escapeStart = at - 1;
    char c = text.charAt(at++);
    switch (c) {
      case 'x' -> bytes.write(number(escapeStart, 2, 16));
      case '0', '1', '2', '3', '4', '5', '6', '7' -> {
        at--;
        bytes.write(number(escapeStart, 3, 8));
      }
      default -> {
        flush(bytes, value);
        switch (c) {
          case 'a' -> value.append('\u0007');
          case 'b' -> value.append('\b');
          case 'f' -> value.append('\f');
          case 'n' -> value.append('\n');
          case 'r' -> value.append('\r');
          case 't' -> value.append('\t');
          case 'v' -> value.append('\u000b');
          case '\\' -> value.append('\\');
          case 'u' -> value.appendCodePoint(codePoint(escapeStart, 4));
          case 'U' -> value.appendCodePoint(codePoint(escapeStart, 8));
          default -> {
            if (c != quote) {
              throw error(
                  escapeStart,
                  "'\\" + c + "' is not an escape (a backslash itself is written '\\\\')");
            }
            value.append(c);
          }
        }
      }
    }
  }

  private static void flush(ByteArrayOutputStream bytes, StringBuilder value) {
    if (bytes.size() > 0) {
      value.append(bytes.toString(StandardCharsets.UTF_8));
      bytes.reset();
    }
  }

  private int codePoint(int escapeStart, int digits) {
    int point = number(escapeStart, digits, 16);
    if (!Character.isValidCodePoint(point)
        || (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)) {
      throw error(escapeStart, "the escape names no character");
    }
    return point;
  }

  private int number(int escapeStart, int digits, int radix) {
    int value = 0;
    for (int i = 0; i < digits; i++) {
      int digit = at < text.length() ? Character.digit(text.charAt(at), radix) : -1;
      if (digit < 0) {
        throw error(escapeStart, "the escape needs %d digits".formatted(digits));
      }
      value = value * radix + digit;
      at++;
    }
    if (radix == 8 && value > 255) {
      throw error(escapeStart, "the escape is more than a byte");
    }
    return value;
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private String found() {
    return at >= text.length() ? ", found the end" : ", found '" + text.charAt(at) + "'";
  }

  private SelectorSyntaxException error(int position, String message) {
    return new SelectorSyntaxException(text, position, message);
  }
}
