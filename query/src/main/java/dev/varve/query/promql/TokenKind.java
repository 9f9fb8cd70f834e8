package dev.varve.query.promql;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The kind of a token, and its form in error messages. */
enum TokenKind {
  END("end of input", Family.LITERAL),
  IDENTIFIER("identifier", Family.LITERAL),
  METRIC_IDENTIFIER("metric identifier", Family.LITERAL),
  NUMBER("number", Family.LITERAL),
  DURATION("duration", Family.LITERAL),
  STRING("string", Family.LITERAL),

  LEFT_PAREN("(", Family.PUNCTUATION),
  RIGHT_PAREN(")", Family.PUNCTUATION),
  LEFT_BRACE("{", Family.PUNCTUATION),
  RIGHT_BRACE("}", Family.PUNCTUATION),
  LEFT_BRACKET("[", Family.PUNCTUATION),
  RIGHT_BRACKET("]", Family.PUNCTUATION),
  COMMA(",", Family.PUNCTUATION),
  COLON(":", Family.PUNCTUATION),
  EQUAL("=", Family.PUNCTUATION),

  MATCH("=~", Family.OPERATOR),
  NO_MATCH("!~", Family.OPERATOR),
  AT("@", Family.OPERATOR),
  ADD(BinaryOperator.ADD),
  SUBTRACT(BinaryOperator.SUBTRACT),
  MULTIPLY(BinaryOperator.MULTIPLY),
  DIVIDE(BinaryOperator.DIVIDE),
  MODULO(BinaryOperator.MODULO),
  POWER(BinaryOperator.POWER),
  COMPARE_EQUAL(BinaryOperator.EQUAL),
  NOT_EQUAL(BinaryOperator.NOT_EQUAL),
  LESS(BinaryOperator.LESS),
  LESS_OR_EQUAL(BinaryOperator.LESS_OR_EQUAL),
  GREATER(BinaryOperator.GREATER),
  GREATER_OR_EQUAL(BinaryOperator.GREATER_OR_EQUAL),
  AND(BinaryOperator.AND),
  OR(BinaryOperator.OR),
  UNLESS(BinaryOperator.UNLESS),
  ATAN2(BinaryOperator.ATAN2),

  AVG(AggregateOperator.AVG),
  BOTTOMK(AggregateOperator.BOTTOMK),
  COUNT(AggregateOperator.COUNT),
  COUNT_VALUES(AggregateOperator.COUNT_VALUES),
  GROUP(AggregateOperator.GROUP),
  LIMITK(AggregateOperator.LIMITK),
  LIMIT_RATIO(AggregateOperator.LIMIT_RATIO),
  MAX(AggregateOperator.MAX),
  MIN(AggregateOperator.MIN),
  QUANTILE(AggregateOperator.QUANTILE),
  STDDEV(AggregateOperator.STDDEV),
  STDVAR(AggregateOperator.STDVAR),
  SUM(AggregateOperator.SUM),
  TOPK(AggregateOperator.TOPK),

  BOOL("bool", Family.KEYWORD),
  BY("by", Family.KEYWORD),
  GROUP_LEFT("group_left", Family.KEYWORD),
  GROUP_RIGHT("group_right", Family.KEYWORD),
  IGNORING("ignoring", Family.KEYWORD),
  OFFSET("offset", Family.KEYWORD),
  ON("on", Family.KEYWORD),
  WITHOUT("without", Family.KEYWORD),

  START("start", Family.PREPROCESSOR),
  LAST("end", Family.PREPROCESSOR);

  /** Kinds with the same form in error messages. */
  enum Family {
    LITERAL,
    PUNCTUATION,
    OPERATOR,
    AGGREGATOR,
    KEYWORD,
    PREPROCESSOR
  }

  private static final Map<String, TokenKind> WORDS = words();

  private final String text;
  private final Family family;
  private final @Nullable BinaryOperator binary;
  private final @Nullable AggregateOperator aggregate;

  TokenKind(String text, Family family) {
    this(text, family, null, null);
  }

  TokenKind(BinaryOperator binary) {
    this(binary.text(), Family.OPERATOR, binary, null);
  }

  TokenKind(AggregateOperator aggregate) {
    this(aggregate.text(), Family.AGGREGATOR, null, aggregate);
  }

  TokenKind(
      String text,
      Family family,
      @Nullable BinaryOperator binary,
      @Nullable AggregateOperator aggregate) {
    this.text = text;
    this.family = family;
    this.binary = binary;
    this.aggregate = aggregate;
  }

  String text() {
    return text;
  }

  Family family() {
    return family;
  }

  @Nullable BinaryOperator binary() {
    return binary;
  }

  @Nullable AggregateOperator aggregate() {
    return aggregate;
  }

  /** Returns the kind of a word outside of braces; keywords match in any case. */
  static TokenKind ofWord(String word) {
    TokenKind known = WORDS.get(word.toLowerCase(Locale.ROOT));
    if (known != null) {
      return known;
    }
    return word.indexOf(':') < 0 ? IDENTIFIER : METRIC_IDENTIFIER;
  }

  private static Map<String, TokenKind> words() {
    Map<String, TokenKind> words = new HashMap<>();
    for (TokenKind kind : values()) {
      if (kind.family.compareTo(Family.OPERATOR) >= 0 && Character.isLetter(kind.text.charAt(0))) {
        words.put(kind.text, kind);
      }
    }
    words.put("inf", NUMBER);
    words.put("nan", NUMBER);
    return words;
  }

  /** Returns whether this token can name a metric, as {@code metric_identifier} of Prometheus. */
  boolean isMetricName() {
    return switch (this) {
      case IDENTIFIER, METRIC_IDENTIFIER, AND, OR, UNLESS, BY, OFFSET, WITHOUT, START, LAST -> true;
      default -> family == Family.AGGREGATOR;
    };
  }

  /** Returns whether this token can name a label in a grouping, as {@code maybe_label}. */
  boolean isLabelName() {
    return switch (this) {
      case WITHOUT -> false;
      case IDENTIFIER, METRIC_IDENTIFIER, AND, OR, UNLESS, ATAN2 -> true;
      default ->
          family == Family.AGGREGATOR || family == Family.KEYWORD || family == Family.PREPROCESSOR;
    };
  }

  /** Returns whether this token can begin an expression. */
  boolean beginsExpression() {
    return switch (this) {
      case NUMBER, DURATION, STRING, LEFT_PAREN, LEFT_BRACE, ADD, SUBTRACT -> true;
      default -> isMetricName();
    };
  }

  boolean isSign() {
    return this == ADD || this == SUBTRACT;
  }

  /** Returns whether it is a number; a duration is a number of seconds. */
  boolean isNumber() {
    return this == NUMBER || this == DURATION;
  }
}
