package dev.varve.formats.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Resolution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenTsdbLinesTest {
  private final OpenTsdbLines lines = new OpenTsdbLines(Resolution.MILLISECONDS);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          put sys.cpu 1356998400 42.5 host=a cpu=0    | sys.cpu{cpu="0",host="a"} 1356998400000 42.5
          sys.cpu 1356998400 42 host=a                | sys.cpu{host="a"} 1356998400000 42i
          m 1356998400123 -7 host=a                   | m{host="a"} 1356998400123 -7i
          m 1356998400.123 +7 host=a                  | m{host="a"} 1356998400123 7i
          m 4294967295 1 host=a                       | m{host="a"} 4294967295000 1i
          m 4294967296 1 host=a                       | m{host="a"} 4294967296 1i
          m 0 1e3 host=a                              | m{host="a"} 0 1000.0
          m 1 -0.0 host=a host=a                      | m{host="a"} 1000 -0.0
          put put 1 2 put=put                         | put{put="put"} 1000 2i
          m 1 2 url=a=b                               | m{url="a=b"} 1000 2i
          """)
  void readsALine(String line, String expected) {
    assertThat(Reading.of(lines, line)).containsExactly(expected);
  }

  @Test
  void readsTexts() {
    LineFormat afterCommand = lines::readText;
    assertThat(
            Reading.of(
                afterCommand,
                " m 1000 up a=b",
                " m 2000 \"two words\" a=b",
                " m 3000 \"\" a=b",
                " m 4000 12 a=b"))
        .containsExactly(
            "m{a=\"b\"} 1000 \"up\"",
            "m{a=\"b\"} 2000 \"two words\"",
            "m{a=\"b\"} 3000 \"\"",
            "m{a=\"b\"} 4000 \"12\"");
    assertThat(Reading.complaint(afterCommand, " m 1000 \"half a=b"))
        .isEqualTo("the text '\"half a=b' has no closing quote");
    assertThat(Reading.complaint(afterCommand, " m 1000 up"))
        .isEqualTo("expected metric, time, text and at least one tag=value");
    assertThat(Reading.complaint(afterCommand, ""))
        .isEqualTo("expected metric, time, text and at least one tag=value");
  }

  @Test
  void readsTimesInMillisecondsWhereTheyAreSaidToBe() {
    LineFormat afterCommand = lines::readMilliseconds;
    assertThat(
            Reading.of(
                afterCommand,
                " m 1000 1 a=b",
                "\tm 1356998400 2.5 a=b",
                " put 1356998400123 3 a=b"))
        .containsExactly(
            "m{a=\"b\"} 1000 1i", "m{a=\"b\"} 1356998400 2.5", "put{a=\"b\"} 1356998400123 3i");
    assertThat(Reading.complaint(afterCommand, " m 1356998400.123 1 a=b"))
        .isEqualTo("time '1356998400.123' is not an integer of 64 bits");
    assertThat(Reading.complaint(afterCommand, ""))
        .isEqualTo("expected metric, time, value and at least one tag=value");
  }

  @Test
  void takesAnyBlanksBetweenWordsAndAtTheEnds() {
    assertThat(Reading.of(lines, "\tput  m\t1   2  host=a   dc=b \r"))
        .containsExactly("m{dc=\"b\",host=\"a\"} 1000 2i");
  }

  @Test
  void passesOverBlankLinesAndComments() {
    assertThat(Reading.of(lines, "", " ", "\r", "# m 1 2 host=a")).isEmpty();
  }

  @Test
  void roundsTimesTowardsThePastForADatasetOfSeconds() {
    assertThat(Reading.of(new OpenTsdbLines(Resolution.SECONDS), "m 1356998400999 1 a=b"))
        .containsExactly("m{a=\"b\"} 1356998400 1i");
  }

  @Test
  void readsTheSameKeyAgainAsItReadItFirst() {
    assertThat(Reading.of(lines, "m 1 1 a=b", "put m 2 2 a=b", "m 3 3 a=c"))
        .containsExactly("m{a=\"b\"} 1000 1i", "m{a=\"b\"} 2000 2i", "m{a=\"c\"} 3000 3i");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          put                        | expected metric, time, value and at least one tag=value
          m                          | expected metric, time, value and at least one tag=value
          m 1                        | expected metric, time, value and at least one tag=value
          m 1 2                      | expected metric, time, value and at least one tag=value
          m 1 2 host                 | tag 'host' is not name=value
          m 1 2 host=                | tag 'host=' is not name=value
          m 1 2 =a                   | tag '=a' is not name=value
          m 1 2 host=a host=b        | tag 'host' comes twice, with 'a' and 'b'
          m now 2 host=a             | time 'now' is not an integer of 64 bits
          m -1 2 host=a              | time '-1' is before 1970
          m -1.500 2 host=a          | time '-1.500' is before 1970
          m 1.5 2 host=a             | time '1.5' needs three digits after the decimal point
          m 1.+50 2 host=a           | time '1.+50' needs three digits after the decimal point
          m 9223372036854775.808 2 a=b | time '9223372036854775.808' is too large for ms
          m 1 nan host=a             | value 'nan' is not a number
          m 1 1e400 host=a           | value '1e400' is too large for a double
          m 1 9223372036854775808 a=b | value '9223372036854775808' is not an integer of 64 bits
          m 1 0x10 host=a            | value '0x10' is not a number
          """)
  void saysWhatIsWrongWithALine(String line, String complaint) {
    assertThat(Reading.complaint(lines, line)).isEqualTo(complaint);
  }

  @Test
  void refusesATimeThatDoesNotFitTheDataset() {
    assertThat(
            Reading.complaint(
                new OpenTsdbLines(Resolution.NANOSECONDS), "m 9223372036855 1 host=a"))
        .isEqualTo("time '9223372036855' is too large for ns");
  }
}
