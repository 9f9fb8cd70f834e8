package dev.varve.server.opentsdb.expression;

import dev.varve.server.opentsdb.expression.Formula.Binary;
import dev.varve.server.opentsdb.expression.Formula.Operator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses formulas by recursive descent: {@code ? :}, or, and, comparisons, sums, products, signs,
 * numbers, variables and parentheses, weakest first.
 */
final class FormulaParser {
  private static final int DEPTH_MAX = 100;

  /** Maximum length of a formula in characters. */
  private static final int LENGTH_MAX = 10_000;

  private static final Map<String, Operator> OR = Map.of("||", Operator.OR, "or", Operator.OR);
  private static final Map<String, Operator> AND = Map.of("&&", Operator.AND, "and", Operator.AND);
  private static final Map<String, Operator> COMPARISONS =
      Map.ofEntries(
          Map.entry("<=", Operator.LESS_OR_EQUAL),
          Map.entry(">=", Operator.GREATER_OR_EQUAL),
          Map.entry("==", Operator.EQUAL),
          Map.entry("!=", Operator.NOT_EQUAL),
          Map.entry("<", Operator.LESS),
          Map.entry(">", Operator.GREATER),
          Map.entry("le", Operator.LESS_OR_EQUAL),
          Map.entry("ge", Operator.GREATER_OR_EQUAL),
          Map.entry("eq", Operator.EQUAL),
          Map.entry("ne", Operator.NOT_EQUAL),
          Map.entry("lt", Operator.LESS),
          Map.entry("gt", Operator.GREATER));
  private static final Map<String, Operator> SUMS =
      Map.of("+", Operator.ADD, "-", Operator.SUBTRACT);
  private static final Map<String, Operator> PRODUCTS =
      Map.of(
          "*",
          Operator.MULTIPLY,
          "/",
          Operator.DIVIDE,
          "%",
          Operator.REMAINDER,
          "div",
          Operator.DIVIDE,
          "mod",
          Operator.REMAINDER);

  /** The levels of operators between two values, weakest first. */
  private static final List<Map<String, Operator>> LEVELS =
      List.of(OR, AND, COMPARISONS, SUMS, PRODUCTS);

  private final String text;
  private int at;
  private int depth;

  private FormulaParser(String text) {
    this.text = text;
  }

  /**
   * Parses a formula.
   *
   * @throws IllegalArgumentException if it is malformed; the message says where
   */
  static Formula parse(String text) {
    if (text.length() > LENGTH_MAX) {
      throw new IllegalArgumentException(
          "the formula has %d characters, more than %d".formatted(text.length(), LENGTH_MAX));
    }
    FormulaParser parser = new FormulaParser(text);
    Formula formula = parser.choice();
    parser.space();
    if (parser.at < text.length()) {
      throw parser.wrong("an operator or the end");
    }
    return formula;
  }

  private Formula choice() {
    if (++depth > DEPTH_MAX) {
      throw wrong("at most %d levels".formatted(DEPTH_MAX));
    }
    Formula condition = level(0);
    if (take("?")) {
      Formula then = choice();
      if (!take(":")) {
        throw wrong("':'");
      }
      condition = new Formula.Choice(condition, then, choice());
    }
    depth--;
    return condition;
  }

  private Formula level(int level) {
    if (level == LEVELS.size()) {
      return signed();
    }
    Formula left = level(level + 1);
    for (Operator operator = operator(LEVELS.get(level));
        operator != null;
        operator = operator(LEVELS.get(level))) {
      left = new Binary(operator, left, level(level + 1));
    }
    return left;
  }

  private @Nullable Operator operator(Map<String, Operator> operators) {
    for (int length = 3; length > 0; length--) {
      space();
      if (at + length <= text.length()) {
        String word = text.substring(at, at + length);
        Operator operator = operators.get(word);
        if (operator != null && take(word)) {
          return operator;
        }
      }
    }
    return null;
  }

  private Formula signed() {
    if (++depth > DEPTH_MAX) {
      throw wrong("at most %d levels".formatted(DEPTH_MAX));
    }
    Formula formula;
    if (take("-")) {
      formula = new Formula.Negated(signed());
    } else if (take("!") || take("not")) {
      formula = new Formula.Not(signed());
    } else {
      formula = value();
    }
    depth--;
    return formula;
  }

  private Formula value() {
    if (take("(")) {
      Formula inner = choice();
      if (!take(")")) {
        throw wrong("')'");
      }
      return inner;
    }
    space();
    int from = at;
    if (at < text.length() && isDigit(text.charAt(at))) {
      return number(from);
    }
    while (at < text.length() && isName(text.charAt(at))) {
      at++;
    }
    if (at == from) {
      throw wrong("a number, a variable or '('");
    }
    return switch (text.substring(from, at)) {
      case "true" -> new Formula.Constant(new Formula.Truth(true));
      case "false" -> new Formula.Constant(new Formula.Truth(false));
      default -> new Formula.Variable(text.substring(from, at));
    };
  }

  private Formula number(int from) {
    boolean real = false;
    while (at < text.length() && isOfNumber(text.charAt(at), from)) {
      real |= !isDigit(text.charAt(at));
      at++;
    }
    String digits = text.substring(from, at);
    try {
      return new Formula.Constant(
          real
              ? new Formula.Real(Double.parseDouble(digits))
              : new Formula.Whole(Long.parseLong(digits)));
    } catch (NumberFormatException e) {
      at = from;
      throw wrong("a number");
    }
  }

  /** Returns whether a character continues a number; a sign does after an exponent. */
  private boolean isOfNumber(char c, int from) {
    char before = at > from ? text.charAt(at - 1) : ' ';
    return isDigit(c)
        || c == '.'
        || c == 'e'
        || c == 'E'
        || ((c == '-' || c == '+') && (before == 'e' || before == 'E'));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isName(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c == '@';
  }

  /** Skips a word if it comes next, as a whole. */
  private boolean take(String word) {
    space();
    int end = at + word.length();
    boolean whole = !isName(word.charAt(0)) || end >= text.length() || !isName(text.charAt(end));
    if (text.startsWith(word, at) && whole) {
      at = end;
      return true;
    }
    return false;
  }

  private void space() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private IllegalArgumentException wrong(String expected) {
    String found = at < text.length() ? "'" + text.charAt(at) + "'" : "the end";
    return new IllegalArgumentException(
        "formula '%s', character %d: %s expected, there is %s"
            .formatted(text, at + 1, expected, found));
  }
}
