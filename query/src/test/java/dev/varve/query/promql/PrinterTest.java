package dev.varve.query.promql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.query.promql.QueryGenerator.Label;
import dev.varve.query.promql.QueryGenerator.Vocabulary;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class PrinterTest {
  /** Names that are keywords or need quotes; texts that need escapes. */
  private static final List<String> TEXTS =
      List.of("", "v", "\"", "'`\\", "\n\t\u0000\u00a0\u200b", "\uFFFD", "😀\uDBFF\uDFFF");

  private static final Vocabulary WILD =
      new Vocabulary(
          List.of("up", "a:b", "sum", "by", "or", "offset", "start", "_", "Count_Values"),
          List.of("le"),
          Stream.of("a", "le", "without", "inf", "on", "atan2", "d.e", "é", "x y", "1st", "__name")
              .map(name ->
                  new Label(name, TEXTS, List.of(".+", "", "a|b", "(?i:x)\\d{2,3}", ".*\"\n")))
              .toList(),
          TEXTS,
          1,
          400L * 86_400_000,
          -1_000_000_000_000L,
          4_000_000_000_000L);

  @Property(tries = 3000)
  void printedIsReadAsTheSame(@ForAll long seed) {
    Expr expr = new QueryGenerator(new Random(seed), WILD).next(5);
    String line = Printer.print(expr);
    assertThat(PlainTrees.of(PromQl.parse(line))).as(line).isEqualTo(PlainTrees.of(expr));
  }

  @Property(tries = 1000)
  void laidOutIsReadAsTheSame(@ForAll long seed) {
    Expr expr = new QueryGenerator(new Random(seed), WILD).next(8);
    String lines = PrettyPrinter.print(expr);
    assertThat(PlainTrees.of(PromQl.parse(lines))).as(lines).isEqualTo(PlainTrees.of(expr));
  }

  @Test
  void everyFunctionAndOperatorIsGenerated() {
    StringBuilder all = new StringBuilder();
    for (int seed = 0; seed < 3000; seed++) {
      all.append(Printer.print(new QueryGenerator(new Random(seed), WILD).next(5))).append('\n');
    }
    List<String> forms = new ArrayList<>();
    Function.all().forEach(function -> forms.add(function.text() + "("));
    for (BinaryOperator operator : BinaryOperator.values()) {
      forms.add(" " + operator.text() + " ");
    }
    for (AggregateOperator operator : AggregateOperator.values()) {
      if (!operator.isExperimental()) {
        forms.add(operator.text() + "(");
        forms.add(operator.text() + " by (");
        forms.add(operator.text() + " without (");
      }
    }
    forms.addAll(List.of(" bool ", " ignoring (", " on (", " group_left (", " group_right ("));
    forms.addAll(List.of(" offset -", " @ start()", " @ end()", " @ -", ":] ", " unless on ("));
    assertThat(forms).filteredOn(form -> all.indexOf(form) < 0).isEmpty();
  }

  @Test
  void sortsMatchersAndQuotesWhatNeedsIt() {
    assertThat(Printer.print(PromQl.parse("x{b='1', a=\"2\", 'c.d'!~`e`}")))
        .isEqualTo("x{\"c.d\"!~\"e\",a=\"2\",b=\"1\"}");
  }

  @Test
  void stopsBeforeALayoutFillsTheMemory() {
    String labels = ",\"x\"".repeat(100_000);
    String deep = "abs(".repeat(390) + "label_join(up,\"a\"" + labels + ")" + ")".repeat(390);
    String digits = "1e308";
    for (int i = 0; i < 16; i++) {
      digits = "(" + digits + "+" + digits + ")";
    }
    for (String query : List.of(deep, digits)) {
      Expr expr = PromQl.parse(query);
      assertThatThrownBy(() -> PrettyPrinter.print(expr))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("the formatted query has more than 16777216 characters");
    }
  }
}
