package dev.varve.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TagFilter.Equal;
import dev.varve.model.TagFilter.Has;
import dev.varve.model.TagFilter.In;
import dev.varve.model.TagFilter.NotEqual;
import dev.varve.model.TagFilter.NotRegex;
import dev.varve.model.TagFilter.Prefix;
import dev.varve.model.TagFilter.Regex;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SelectorParserTest {
  private static List<TagFilter> parse(String text) {
    return SelectorParser.parse(text).filters();
  }

  private static Equal metric(String name) {
    return new Equal(Series.NAME_LABEL, name);
  }

  @Test
  void readsAMetricAndItsMatchers() {
    assertThat(parse("cpu")).containsExactly(metric("cpu"));
    assertThat(parse(" cpu { } ")).containsExactly(metric("cpu"));
    assertThat(parse("cpu{host=\"a\", dc!=\"b\" , os=~\"l[io]nux\",arch!~\"arm.*\",}"))
        .containsExactly(
            metric("cpu"),
            new Equal("host", "a"),
            new NotEqual("dc", "b"),
            new Regex("os", "l[io]nux"),
            new NotRegex("arch", "arm.*"));
    assertThat(parse("{__name__=\"cpu\"}")).containsExactly(metric("cpu"));
    assertThat(parse("{__name__=~\"cpu.+\",host='a'}"))
        .containsExactly(new Regex(Series.NAME_LABEL, "cpu.+"), new Equal("host", "a"));
    assertThat(parse("{}")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "((a{1000}){1000}){1000}",
        "(?:(?:[^]a]{1000})|b){11}",
        "(\\\\p{Greek}{100}){101}",
        "(\\\\Qa{2\\\\E{100}x(a{1000}){10,11})",
        "x{1,1000}y{1000}(z{1000}){9}",
        "((((((((((a?){1000}){1000}){1000}",
        "(a?){1000}(a?){1000}",
      })
  void refusesPatternsThatAreLargeOnceWrittenOut(String pattern) {
    for (String operator : List.of("=~", "!~")) {
      assertThatThrownBy(() -> parse("cpu{host" + operator + "\"" + pattern + "\"}"))
          .isInstanceOf(SelectorSyntaxException.class)
          .hasMessageContaining("expand to more than 10000 steps");
    }
  }

  @Test
  void takesLongPatternsThatAreNotLargeAndRefusesLongOnes() {
    for (String pattern :
        List.of("[a-z]{1000}", "([{}()]{10}){90}", "(\\\\w{1,63}[.]){1,20}", "(a|b+)*c{0,999}")) {
      assertThat(parse("cpu{host=~\"" + pattern + "\"}"))
          .contains(new Regex("host", pattern.replace("\\\\", "\\")));
    }
    for (String deep : List.of("(".repeat(3000) + "a" + ")".repeat(3000), "()?".repeat(1666))) {
      assertThatThrownBy(() -> parse("cpu{host=~\"" + deep + "\"}"))
          .hasMessageContaining("expand to more than 10000 steps");
    }
    String many = "value-of-a-tag|".repeat(2000) + "x";
    assertThat(parse("cpu{host=~\"" + many + "\"}")).hasSize(2);
    assertThatThrownBy(() -> parse("cpu{host=~\"" + many + ".?\"}"))
        .hasMessageContaining("more than the limit of 10000");
  }

  @Test
  void readsQuotedNames() {
    assertThat(parse("{\"a metric\", \"a tag\"=\"v\", 'b'!='w'}"))
        .containsExactly(metric("a metric"), new Equal("a tag", "v"), new NotEqual("b", "w"));
    assertThat(parse("{host=\"a\", \"cpu\"}"))
        .containsExactly(new Equal("host", "a"), metric("cpu"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.b-c", "sys.cpu.0/user", "job:rate:5m", "ünï.metric", "_x", "0day"})
  void takesPlainNamesWithDotsAndTheirLike(String name) {
    assertThat(parse(name + "{host.name=\"a\"}"))
        .containsExactly(metric(name), new Equal("host.name", "a"));
  }

  @Test
  void takesPatternsForWhatTheySaySimply() {
    assertThat(parse("m{a=~\"x|y|z\"}").getLast()).isEqualTo(new In("a", Set.of("x", "y", "z")));
    assertThat(parse("m{a=~\"x\"}").getLast()).isEqualTo(new Equal("a", "x"));
    assertThat(parse("m{a=~\"web.*\"}").getLast()).isEqualTo(new Prefix("a", "web"));
    assertThat(parse("m{a=~\"10\\\\.0\\\\..*\"}").getLast()).isEqualTo(new Prefix("a", "10.0."));
    assertThat(parse("m{a=~`a\\.b|c\\|d`}").getLast()).isEqualTo(new Regex("a", "a\\.b|c\\|d"));
    assertThat(parse("m{a=~`a\\.b|c`}").getLast()).isEqualTo(new In("a", Set.of("a.b", "c")));
    assertThat(parse("m{a=~\".+\"}").getLast()).isEqualTo(new Has("a"));
    assertThat(parse("m{a!=\"\"}").getLast()).isEqualTo(new Has("a"));
    assertThat(parse("m{a=\"\"}").getLast()).isEqualTo(new Equal("a", ""));
    assertThat(parse("m{a=~\".*\"}")).containsExactly(metric("m"));
    assertThat(parse("m{a=~\"x|\"}").getLast()).isEqualTo(new In("a", Set.of("x", "")));
    assertThat(parse("m{a=~\"(x|y).*\"}").getLast()).isEqualTo(new Regex("a", "(x|y).*"));
  }

  @Test
  void knowsTheEscapesOfGo() {
    assertThat(
            parse("m{a=\"\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\\x41\\101\\u00e9\\U0001F600\\xc3\\xa9\"}")
                .getLast())
        .isEqualTo(new Equal("a", "\u0007\b\f\n\r\t\u000b\\\"AA\u00e9\uD83D\uDE00\u00e9"));
    assertThat(parse("m{a='it\\'s'}").getLast()).isEqualTo(new Equal("a", "it's"));
    assertThat(parse("m{a=`\\n`}").getLast()).isEqualTo(new Equal("a", "\\n"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      textBlock =
          """
          ~~; 1; expected the name of a metric or '{', found the end
          =a; 1; expected the name of a metric or '{', found '='
          cpu{; 5; expected the name of a tag, found the end
          cpu{host}; 9; expected '=', '!=', '=~' or '!~' after the name of a tag, found '}'
          cpu{host=a}; 10; expected a value in quotes after '=', found 'a'
          cpu{host="a" dc="b"}; 14; expected ',' or '}', found 'd'
          cpu{host="a"; 13; expected ',' or '}', found the end
          cpu{host="a; 10; the string that begins here has no end
          cpu{host="\\q"}; 11; is not an escape
          cpu{host="\\xg"}; 11; the escape needs 2 digits
          cpu{host="\\ud800"}; 11; the escape names no character
          cpu{host=~"("}; 11; is not a regular expression
          cpu{"mem"}; 5; the metric is named twice
          cpu{__name__="mem"}; 5; the metric is named twice
          cpu{} by; 7; expected the end of the selector, found 'b'
          cpu{,}; 5; expected the name of a tag, found ','
          """)
  void saysWhereAndWhatWasExpected(String text, int character, String message) {
    assertThatThrownBy(() -> SelectorParser.parse(text))
        .isInstanceOf(SelectorSyntaxException.class)
        .hasMessageStartingWith("character " + character + ": ")
        .hasMessageContaining(message)
        .hasMessageEndingWith("in: " + text);
  }
}
