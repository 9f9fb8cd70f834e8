package dev.varve.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.request.ReadGuard;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValueMatchTest {
  @Test
  void turnsLiteralsIntoLookUps() {
    assertThat(ValueMatch.ofRegex("host-1", ReadGuard.NONE))
        .isEqualTo(new ValueMatch.OneOf(Set.of("host-1")));
    assertThat(ValueMatch.ofRegex("a|b|", ReadGuard.NONE))
        .isEqualTo(new ValueMatch.OneOf(Set.of("a", "b", "")));
    assertThat(ValueMatch.ofRegex("(a|b\\.c)", ReadGuard.NONE))
        .isEqualTo(new ValueMatch.OneOf(Set.of("a", "b.c")));
    assertThat(ValueMatch.ofRegex("(?:a)", ReadGuard.NONE))
        .isEqualTo(new ValueMatch.OneOf(Set.of("a")));
  }

  @Test
  void turnsPrefixesIntoLookUps() {
    assertThat(ValueMatch.ofRegex("web.*", ReadGuard.NONE))
        .isEqualTo(new ValueMatch.Begins("web", 0));
    assertThat(ValueMatch.ofRegex(".+", ReadGuard.NONE)).isEqualTo(new ValueMatch.Begins("", 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.c", "a|b.*", "a*", "(?i)a", "(?i:a)", "(a)(b)", "a\\d", "^a$", "[a]"})
  void leavesTheRestToTheAutomaton(String regex) {
    assertThat(ValueMatch.ofRegex(regex, ReadGuard.NONE)).isInstanceOf(ValueMatch.Matches.class);
  }

  @ParameterizedTest
  @CsvSource({
    "'a|b.*', bcd, true",
    "'a|b.*', ab, false",
    "'(?i)A', a, true",
    "'a.c', 'a\nc', true",
    "'.*', 'a\nc', true",
    "'(a)(b)', ab, true",
    "'[ab]', ab, false",
  })
  void matchesTheWholeValue(String regex, String value, boolean expected) {
    assertThat(ValueMatch.ofRegex(regex, ReadGuard.NONE).test(value)).isEqualTo(expected);
  }
}
