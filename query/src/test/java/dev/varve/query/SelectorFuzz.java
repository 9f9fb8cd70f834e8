package dev.varve.query;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.re2j.Pattern;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.Modifiers;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.query.promql.Quoting;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Fuzz target for selectors. A valid selector is printed and parsed again to the same result, and a
 * PromQL selector has the same meaning as in PromQL.
 */
public final class SelectorFuzz {
  private SelectorFuzz() {}

  /** Processes one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    String text = new String(input, UTF_8);
    List<LabelMatcher> matchers = matchers(text);
    Selector selector;
    try {
      selector = SelectorParser.parse(text);
    } catch (SelectorSyntaxException e) {
      if (e.position() < 0 || e.position() > text.length()) {
        throw new AssertionError("an error at " + e.position(), e);
      }
      if (matchers != null) {
        throw new AssertionError("PromQL reads it as " + matchers, e);
      }
      return;
    }
    if (!SelectorParser.parse(printed(selector)).equals(selector)) {
      throw new AssertionError(selector + " is printed as " + printed(selector));
    }
    if (matchers != null) {
      for (LabelMatcher matcher : matchers) {
        for (String value : List.of(matcher.value(), matcher.value().replace("\\", ""), "", "a")) {
          ensureSame(matcher.name(), value, matchers, selector);
        }
      }
    }
  }

  /**
   * Returns the matchers of a PromQL selector; null if the text is something else or has a comment.
   */
  private static @Nullable List<LabelMatcher> matchers(String text) {
    try {
      return text.indexOf('#') < 0
              && PromQl.parse(text) instanceof Expr.VectorSelector selector
              && selector.modifiers().equals(Modifiers.NONE)
          ? selector.matchers()
          : null;
    } catch (PromQlException e) {
      return null;
    }
  }

  private static void ensureSame(
      String name, String value, List<LabelMatcher> matchers, Selector selector) {
    boolean there =
        matchers.stream().filter(m -> m.name().equals(name)).allMatch(m -> matches(m, value));
    boolean here =
        selector.filters().stream()
            .filter(filter -> filter.name().equals(name))
            .allMatch(filter -> matches(filter, value));
    if (there != here) {
      throw new AssertionError(
          "%s=%s matches %s in PromQL, %s here".formatted(name, value, there, here));
    }
  }

  private static boolean matches(LabelMatcher matcher, String value) {
    return switch (matcher.operator()) {
      case EQUAL -> value.equals(matcher.value());
      case NOT_EQUAL -> !value.equals(matcher.value());
      case MATCH -> fits(matcher.value(), value);
      case NO_MATCH -> !fits(matcher.value(), value);
    };
  }

  private static boolean matches(TagFilter filter, String value) {
    return switch (filter) {
      case TagFilter.Equal(var name, var wanted) -> value.equals(wanted);
      case TagFilter.NotEqual(var name, var unwanted) -> !value.equals(unwanted);
      case TagFilter.In(var name, var values) -> values.contains(value);
      case TagFilter.Prefix(var name, var prefix) -> value.startsWith(prefix);
      case TagFilter.Regex(var name, var pattern) -> fits(pattern, value);
      case TagFilter.NotRegex(var name, var pattern) -> !fits(pattern, value);
      case TagFilter.Has(var name) -> !value.isEmpty();
    };
  }

  private static boolean fits(String pattern, String value) {
    return Pattern.compile(pattern, Pattern.DOTALL).matcher(value).matches();
  }

  private static String printed(Selector selector) {
    StringJoiner matchers = new StringJoiner(",", "{", "}");
    selector.filters().forEach(filter -> matchers.add(printed(filter)));
    return matchers.toString();
  }

  private static String printed(TagFilter filter) {
    return Quoting.quoted(filter.name())
        + switch (filter) {
          case TagFilter.Equal(var name, var value) -> "=" + Quoting.quoted(value);
          case TagFilter.NotEqual(var name, var value) -> "!=" + Quoting.quoted(value);
          case TagFilter.In(var name, var values) ->
              "=~"
                  + Quoting.quoted(
                      values.stream().map(SelectorFuzz::literal).collect(Collectors.joining("|")));
          case TagFilter.Prefix(var name, var prefix) ->
              "=~" + Quoting.quoted(literal(prefix) + ".*");
          case TagFilter.Regex(var name, var pattern) -> "=~" + Quoting.quoted(pattern);
          case TagFilter.NotRegex(var name, var pattern) -> "!~" + Quoting.quoted(pattern);
          case TagFilter.Has(var name) -> "!=\"\"";
        };
  }

  private static String literal(String text) {
    return text.replaceAll("[\\\\.+*?()\\[\\]{}^$|]", "\\\\$0");
  }
}
