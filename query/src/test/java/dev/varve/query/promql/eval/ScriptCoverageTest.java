package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.QueryUses;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that the script for all layouts covers the whole language. */
class ScriptCoverageTest {
  private static final Pattern EVAL =
      Pattern.compile("eval (?:instant at \\S+|range from \\S+ to \\S+ step \\S+) (.+)");

  /** Fixed times since 1970, because the samples of the script have other times in every run. */
  private static final Set<String> SAID_ELSEWHERE = Set.of("@ time");

  @Test
  void everyFunctionOperatorAndFormIsAskedFor() {
    Set<String> missing = new TreeSet<>(QueryUses.all());
    missing.removeAll(uses("language"));
    assertThat(missing).isEqualTo(SAID_ELSEWHERE);
    assertThat(uses("selectors")).containsAll(SAID_ELSEWHERE);
  }

  private static Set<String> uses(String script) {
    Set<String> uses = new TreeSet<>();
    Matcher eval = EVAL.matcher(PromScriptsTest.text(script));
    while (eval.find()) {
      uses.addAll(QueryUses.of(PromQl.parse(eval.group(1))));
    }
    return uses;
  }
}
