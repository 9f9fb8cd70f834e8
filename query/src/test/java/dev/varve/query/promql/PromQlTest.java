package dev.varve.query.promql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.query.promql.Expr.Aggregate;
import dev.varve.query.promql.Expr.Binary;
import dev.varve.query.promql.Expr.Call;
import dev.varve.query.promql.Expr.MatrixSelector;
import dev.varve.query.promql.Expr.NumberLiteral;
import dev.varve.query.promql.Expr.Subquery;
import dev.varve.query.promql.Expr.VectorSelector;
import dev.varve.query.promql.LabelMatcher.Operator;
import dev.varve.query.promql.QueryGenerator.Label;
import dev.varve.query.promql.QueryGenerator.Vocabulary;
import dev.varve.query.promql.VectorMatching.Cardinality;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PromQlTest {
  private static final Vocabulary WORDS =
      new Vocabulary(
          List.of("up", "a:b", "by"),
          List.of("le"),
          Stream.of("a", "le", "d.e")
              .map(name -> new Label(name, List.of("", "v", "\"\n"), List.of(".+", "a|(b*)")))
              .toList(),
          List.of("", "v", "\"\n"),
          1,
          3_600_000,
          0,
          1_000_000);

  private static <T extends Expr> T parse(String query, Class<T> type) {
    return type.cast(PromQl.parse(query));
  }

  private static String problem(String query) {
    try {
      PromQl.parse(query);
    } catch (PromQlException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("no error");
  }

  @Test
  void keepsMatchersAsWrittenWithTheMetricAfterThem() {
    assertThat(parse("x{b=\"1\", a!=\"2\", c=~\"3\", d!~\"4\"}", VectorSelector.class).matchers())
        .containsExactly(
            new LabelMatcher("b", Operator.EQUAL, "1"),
            new LabelMatcher("a", Operator.NOT_EQUAL, "2"),
            new LabelMatcher("c", Operator.MATCH, "3"),
            new LabelMatcher("d", Operator.NO_MATCH, "4"),
            new LabelMatcher("__name__", Operator.EQUAL, "x"));
    VectorSelector quoted = parse("{\"x.y\", \"a b\"=\"1\"}", VectorSelector.class);
    assertThat(quoted.name()).isEmpty();
    assertThat(quoted.matchers())
        .containsExactly(
            new LabelMatcher("__name__", Operator.EQUAL, "x.y"),
            new LabelMatcher("a b", Operator.EQUAL, "1"));
  }

  @Test
  void keepsModifiersWithTheSelectorOfARange() {
    MatrixSelector matrix = parse("x[1d2h] @ -1.5 offset -90", MatrixSelector.class);
    assertThat(matrix.range()).isEqualTo(Duration.ofHours(26));
    assertThat(matrix.selector().modifiers())
        .isEqualTo(new Modifiers(Duration.ofSeconds(-90), new At.Time(-1500)));
    Subquery subquery = parse("x[1h:] offset 1ms @ end()", Subquery.class);
    assertThat(subquery.step()).isNull();
    assertThat(subquery.modifiers()).isEqualTo(new Modifiers(Duration.ofMillis(1), At.Edge.END));
  }

  @Test
  void matchesManyToManyBetweenSetsAndNothingBetweenOthers() {
    assertThat(parse("a and on (x) b", Binary.class).matching())
        .isEqualTo(new VectorMatching(Cardinality.MANY_TO_MANY, List.of("x"), true, List.of()));
    assertThat(parse("a / ignoring (x) group_right (y) b", Binary.class).matching())
        .isEqualTo(new VectorMatching(Cardinality.ONE_TO_MANY, List.of("x"), false, List.of("y")));
    assertThat(parse("1 + on () group_left () 2", Binary.class).matching()).isNull();
    assertThat(parse("1 + 2", Binary.class).type()).isEqualTo(ValueType.SCALAR);
  }

  @ParameterizedTest
  @CsvSource({
    "a + b * c, a + (b * c)",
    "a - b - c, (a - b) - c",
    "a ^ b ^ c, a ^ (b ^ c)",
    "-a ^ b, -(a ^ b)",
    "-a * b, (-a) * b",
    "a ^ -b * c, (a ^ (-b)) * c",
    "a or b and c unless d, a or ((b and c) unless d)",
    "a == b + c or d, (a == (b + c)) or d",
    "a atan2 b % c, (a atan2 b) % c",
    "a < b == c, (a < b) == c",
  })
  void bindsAsArithmeticDoes(String query, String parenthesised) {
    Expr plain = PlainTrees.of(PromQl.parse(query));
    assertThat(Printer.print(plain)).isEqualTo(query);
    assertThat(withoutParentheses(PlainTrees.of(PromQl.parse(parenthesised)))).isEqualTo(plain);
  }

  private static Expr withoutParentheses(Expr expr) {
    return switch (expr) {
      case Expr.Paren paren -> withoutParentheses(paren.expr());
      case Expr.Unary unary ->
          new Expr.Unary(unary.negative(), withoutParentheses(unary.expr()), unary.source());
      case Binary binary ->
          new Binary(
              binary.operator(),
              withoutParentheses(binary.left()),
              withoutParentheses(binary.right()),
              binary.bool(),
              binary.matching(),
              binary.operatorSource(),
              binary.type());
      default -> expr;
    };
  }

  @ParameterizedTest
  @CsvSource({
    "0x_1F, 31",
    "0x00000000000000000000000000001F, 31",
    "0x7fffffffffffffff, 9223372036854775807",
    "017, 15",
    "0777777777777777777777, 9223372036854775807",
    "01000000000000000000000, 1e21",
    "0000000000000000000000000000017, 15",
    "018, 18",
    "1_000.5, 1000.5",
    "1e-3, 0.001",
    ".5, 0.5",
    "1h30m, 5400",
    "1d1ms, 86400.001",
    "-1w, -604800",
    "iNf, Infinity",
    "-nan, NaN",
  })
  void readsNumbers(String text, double value) {
    assertThat(parse(text, NumberLiteral.class).value()).isEqualTo(Double.valueOf(value));
  }

  @Test
  void knowsWhereEverythingStandsInBytes() {
    Binary binary = parse("  sum(x{a=\"ö\"}) by (b)\n+ # c\n  rate(y[5m] offset 1m)", Binary.class);
    assertThat(binary.source()).isEqualTo(new SourceRange(2, 53));
    assertThat(binary.operatorSource()).isEqualTo(new SourceRange(24, 25));
    Aggregate sum = (Aggregate) binary.left();
    assertThat(sum.source()).isEqualTo(new SourceRange(2, 23));
    assertThat(sum.expr().source()).isEqualTo(new SourceRange(6, 15));
    Call rate = (Call) binary.right();
    assertThat(rate.source()).isEqualTo(new SourceRange(32, 53));
    assertThat(rate.arguments().getFirst().source()).isEqualTo(new SourceRange(37, 52));
  }

  @Test
  void tellsLineAndColumn() {
    assertThat(problem("sum(\n  a{b=\"ö\"} $\n)"))
        .isEqualTo("2:13: parse error: unexpected character: '$'");
    assertThatThrownBy(() -> PromQl.parse("a b"))
        .isInstanceOfSatisfying(PromQlException.class, e -> assertThat(e.offset()).isEqualTo(2));
    assertThat(problem("\uD800")).isEqualTo("1:1: parse error: unexpected character: '\uFFFD'");
    assertThat(problem("\"\uD800\"")).isEqualTo("1:1: parse error: invalid UTF-8 rune");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "double_exponential_smoothing",
        "info",
        "mad_over_time",
        "sort_by_label",
        "sort_by_label_desc",
        "ts_of_last_over_time",
        "ts_of_max_over_time",
        "ts_of_min_over_time"
      })
  void refusesExperimentalFunctionsByName(String name) {
    assertThat(problem(name + "(x[5m])"))
        .isEqualTo(
            "1:1: parse error: function \"%s\" is experimental and not supported".formatted(name));
  }

  @Test
  void boundsLengthDepthAndPatterns() {
    assertThat(problem("#".repeat(PromQl.LENGTH_MAX + 1)))
        .endsWith("the query has 1048577 bytes, more than the limit of 1048576");
    assertThat(problem("a" + " or a".repeat(PromQl.DEPTH_MAX)))
        .isEqualTo("1:2002: parse error: expressions are nested more than 400 levels deep");
    assertThat(problem("a{b=~\"(x{1000}){1000}\"}"))
        .isEqualTo(
            "1:3: parse error: the groups and repetitions of pattern '(x{1000}){1000}' expand to"
                + " more than 10000 steps");
    StringBuilder many = new StringBuilder("{");
    for (int i = 0; i < 12; i++) {
      many.append("a=~\"").append(i).append("x{1000}".repeat(9)).append("\",");
    }
    assertThat(problem(many.append("}").toString()))
        .endsWith("the regular expressions of the query expand to more than 100000 steps");
  }

  @Test
  void tellsOfAPatternBeforeWhatComesAfterIt() {
    assertThat(problem("a{b=~\"(\"} + $"))
        .isEqualTo("1:3: parse error: error parsing regexp: missing closing ): `(`");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(",
        "-",
        "+(",
        "[",
        "{",
        "a[",
        "a[(",
        "a[-",
        "a[5m:-",
        "sum(",
        "sum by(",
        "abs(",
        "a+",
        "a^",
        "a^-",
        "a or ",
        "1,",
        "a offset -",
        "a @ ",
        "a[5m:]",
        "a{b=\"c\",",
        "\"\\x41\"+",
        "# \n",
        "5m",
        "0",
        "_",
        "\"",
        "{a=~\"x\"}+",
        "topk(1,",
        "a+on(b)group_left(c)",
        "a[5m]@",
      })
  @Timeout(20)
  void aMegabyteOfAnythingEndsInAnAnswer(String piece) throws InterruptedException {
    String query = piece.repeat(PromQl.LENGTH_MAX / piece.length());
    assertThat(onVirtualThread(query)).isIn("read", "refused");
  }

  @ParameterizedTest
  @CsvSource({
    "0x, f, ''",
    "0, 7, ''",
    "1, 0, ''",
    "0., 1, ''",
    "1, 0, m",
    "'', 9_, 9",
    "1e, 9, ''"
  })
  @Timeout(20)
  void aMegabyteOfDigitsEndsInAnAnswer(String before, String digits, String after)
      throws InterruptedException {
    String query = before + digits.repeat(500_000) + after;
    assertThat(onVirtualThread(query)).isIn("read", "refused");
  }

  @ParameterizedTest
  @CsvSource({"(, )", "abs(, )", "sum(, )", "-, ''", "'a ^ ', ''", "'a or ', ''", "a ^ (, )"})
  void theDeepestFitsOnTheStackOfAVirtualThread(String before, String after)
      throws InterruptedException {
    int levels = PromQl.DEPTH_MAX - 1;
    int fitting = before.endsWith("^ (") ? levels / 2 : levels;
    String query = before.repeat(fitting) + "a" + after.repeat(fitting);
    assertThat(onVirtualThread(query)).isEqualTo("read");
    assertThat(onVirtualThread(before + before + query + after + after)).isEqualTo("refused");
  }

  private static String onVirtualThread(String query) throws InterruptedException {
    AtomicReference<String> outcome = new AtomicReference<>("failed");
    Thread thread =
        Thread.startVirtualThread(() -> {
          try {
            Expr expr = PromQl.parse(query);
            PromQl.parse(Printer.print(expr));
            PromQl.parse(PrettyPrinter.print(expr));
            outcome.set("read");
          } catch (PromQlException e) {
            outcome.set("refused");
          }
        });
    thread.join();
    return outcome.get();
  }

  @Property(tries = 5000)
  void anyTextIsReadOrRefused(@ForAll String text) {
    check(text);
  }

  @Property(tries = 5000)
  void anythingLikeAQueryIsReadOrRefused(@ForAll long seed) {
    Random random = new Random(seed);
    QueryGenerator generator = new QueryGenerator(random, WORDS);
    StringBuilder query = new StringBuilder(Printer.print(generator.next(3)));
    for (int i = random.nextInt(4); i > 0; i--) {
      int at = random.nextInt(query.length() + 1);
      int end = Math.min(query.length(), at + random.nextInt(4));
      switch (random.nextInt(3)) {
        case 0 -> query.delete(at, end);
        case 1 -> query.insert(at, Printer.print(generator.next(1)));
        default -> query.replace(at, end, Character.toString(random.nextInt(32, 127)));
      }
    }
    check(query.toString());
  }

  /** Checks that a valid query is formatted as a text that is parsed to the same tree. */
  private static void check(String text) {
    Expr expr;
    try {
      expr = PromQl.parse(text);
    } catch (PromQlException e) {
      assertThat(e.getMessage()).contains(": parse error: ");
      return;
    }
    String line = Printer.print(expr);
    assertThat(Printer.print(PromQl.parse(line))).isEqualTo(line);
    assertThat(Printer.print(PromQl.parse(PrettyPrinter.print(expr)))).isEqualTo(line);
  }
}
