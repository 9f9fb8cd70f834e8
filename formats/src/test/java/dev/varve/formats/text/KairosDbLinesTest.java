package dev.varve.formats.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Resolution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KairosDbLinesTest {
  private final LeftOut leftOut = new LeftOut();
  private final KairosDbLines lines = new KairosDbLines(Resolution.MILLISECONDS, leftOut);

  @Test
  void readsALineOfAnExport() {
    assertThat(
            Reading.of(
                lines,
                """
                {"name":"m","tags":{"host":"a","dc":"b"},"datapoints":[[1,2,"long"],[3,4.5,"double"],[5,"six","string"],[7,8,"double"]]}\
                """))
        .containsExactly(
            "m{dc=\"b\",host=\"a\"} 1 2i",
            "m{dc=\"b\",host=\"a\"} 3 4.5",
            "m{dc=\"b\",host=\"a\"} 5 \"six\"",
            "m{dc=\"b\",host=\"a\"} 7 8.0");
  }

  @Test
  void tellsTheTypeByTheValueWhereNoneIsGiven() {
    assertThat(
            Reading.of(lines, "{\"datapoints\":[[1,2],[3,4.0],[5,1e1],[-7,\"8\"]],\"name\":\"m\"}"))
        .containsExactly("m{} 1 2i", "m{} 3 4.0", "m{} 5 10.0", "m{} -7 \"8\"");
  }

  @Test
  void readsNumbersThatAreWrittenAsTexts() {
    assertThat(
            Reading.of(
                lines,
                """
                {"name":"m","datapoints":[[1,"2","long"],[2,"NaN","double"],[3,"-Infinity","double"],[4,"1.5","double"]]}\
                """))
        .containsExactly("m{} 1 2i", "m{} 2 NaN", "m{} 3 -Infinity", "m{} 4 1.5");
  }

  @Test
  void passesOverOtherMembersAndBlankLines() {
    assertThat(
            Reading.of(
                lines,
                "",
                "  \r",
                "{\"ttl\":{\"a\":[1]},\"name\":\"m\",\"x\":null,\"datapoints\":[[1,2]]}"))
        .containsExactly("m{} 1 2i");
  }

  @Test
  void readsAPointThatStandsInTheObjectItself() {
    assertThat(
            Reading.of(
                lines,
                "{\"name\":\"m\",\"tags\":{\"a\":\"b\"},\"timestamp\":1,\"value\":2}",
                "{\"value\":\"2\",\"time\":\"3\",\"type\":\"double\",\"name\":\"m\"}",
                "{\"name\":\"m\",\"timestamp\":9,\"value\":\"x\",\"datapoints\":[[1,2.5]]}"))
        .containsExactly("m{a=\"b\"} 1 2i", "m{} 3 2.0", "m{} 1 2.5", "m{} 9 \"x\"");
  }

  @Test
  void takesANumberForATag() {
    assertThat(Reading.of(lines, "{\"name\":\"m\",\"tags\":{\"cpu\":0},\"datapoints\":[[1,2]]}"))
        .containsExactly("m{cpu=\"0\"} 1 2i");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          []                                            | an export line is an object {"name":...}
          {"datapoints":[[1,2]]}                        | 'name' is missing
          {"name":"","datapoints":[[1,2]]}              | 'name' is missing
          {"name":1}                                    | 'name' is a text
          {"name":null}                                 | 'name' is a text
          {"name":"m","tags":[]}                        | 'tags' is an object of names and texts
          {"name":"m","tags":{"a":null}}                | tag 'a' is not a text
          {"name":"m","tags":{"a":{}}}                  | tag 'a' is not a text
          {"name":"m","tags":{"a":"b"}}                 | there is no point: expected 'datapoints', or 'timestamp' and 'value'
          {"name":"m","datapoints":[]}                  | there is no point: expected 'datapoints', or 'timestamp' and 'value'
          {"name":"m","timestamp":1}                    | 'timestamp' and 'value' stand together
          {"name":"m","value":1}                        | 'timestamp' and 'value' stand together
          {"name":"m","value":[1],"timestamp":1}        | 'value' is a number or a text
          {"name":"m","value":1,"timestamp":1.5}        | 'timestamp' is an integer in milliseconds
          {"name":"m","datapoints":{}}                  | 'datapoints' is an array of [time, value, "type"]
          {"name":"m","datapoints":[1,2]}               | data point 0 is not an array [time, value, "type"], and 1 more points are bad
          {"name":"m","datapoints":[[]]}                | data point 0 has no time; it comes first, an integer in milliseconds
          {"name":"m","datapoints":[["1",2]]}           | data point 0 has no time; it comes first, an integer in milliseconds
          {"name":"m","datapoints":[[1.5,2]]}           | data point 0 has no time; it comes first, an integer in milliseconds
          {"name":"m","datapoints":[[1]]}               | data point 0 has no value; it comes second, a number or a text
          {"name":"m","datapoints":[[1,[]]]}            | data point 0 has no value; it comes second, a number or a text
          {"name":"m","datapoints":[[1,null]]}          | data point 0 has no value; it comes second, a number or a text
          {"name":"m","datapoints":[[1,true,"long"]]}   | data point 0 has no value; it comes second, a number or a text
          {"name":"m","datapoints":[[1,2,3]]}           | data point 0 has a type that is not a text (known: long, double, string)
          {"name":"m","datapoints":[[1,2,"int"]]}       | data point 0 is of unknown type 'int' (known: long, double, string)
          {"name":"m","datapoints":[[1,2,"long",4]]}    | data point 0 has more than time, value and type
          {"name":"m","datapoints":[[1,2.5,"long"]]}    | data point 0: value '2.5' is not an integer of 64 bits
          {"name":"m","datapoints":[[1,"x","double"]]}  | data point 0: value 'x' is not a number
          {"name":"m","datapoints":[[1,1e999]]}         | data point 0: value '1e999' is too large for a double
          {"name":"m","datapoints":[[1,9223372036854775808]]} | data point 0: value '9223372036854775808' is not an integer of 64 bits
          {"name":"m","datapoints":[[9223372036854775808,1]]} | data point 0: time '9223372036854775808' is not an integer of 64 bits
          {"name":"m","datapoints":[[1,2]]} {}          | something follows the object; a line holds one
          {"name":"a\\ud800","datapoints":[[1,2]]}      | a text has an unpaired surrogate (\\ud800 to \\udfff)
          """)
  void saysWhatIsWrongWithALine(String line, String complaint) {
    assertThat(Reading.complaint(lines, line)).isEqualTo(complaint);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          {"name":"m"
          {"name":"m","datapoints":[[1,2]
          name=m
          {"name":"m","name":"n","datapoints":[[1,2]]}
          {"name":"m","tags":{"a":"1","a":"2"},"datapoints":[[1,2]]}
          {"name":"m","datapoints":[[1,NaN]]}
          """)
  void refusesWhatIsNotJsonOrNamesAMemberTwice(String line) {
    assertThat(Reading.complaint(lines, line)).startsWith("not JSON: ");
  }

  @Test
  void refusesATimeThatDoesNotFitTheDataset() {
    assertThat(
            Reading.complaint(
                new KairosDbLines(Resolution.NANOSECONDS, leftOut),
                "{\"name\":\"m\",\"datapoints\":[[9223372036855,1]]}"))
        .isEqualTo("data point 0 has a time, 9223372036855, that is too large for ns");
  }

  @Test
  void leavesOutBadPointsAndReadsTheRestOfTheLine() {
    assertThat(
            Reading.of(
                lines,
                """
                {"datapoints":[[1,2],3,[4,[5,[6]],7],{"a":[8]},[9,"x","double"],[],[10,"\\ud800"],[11,12]],"name":"m","tags":{"a":"b"}}\
                """))
        .containsExactly("m{a=\"b\"} 1 2i", "m{a=\"b\"} 11 12i");
    assertThat(leftOut.reasons())
        .containsExactly(
            "data point 1 is not an array [time, value, \"type\"]",
            "data point 2 has no value; it comes second, a number or a text",
            "data point 3 is not an array [time, value, \"type\"]",
            "data point 4: value 'x' is not a number",
            "data point 5 has no time; it comes first, an integer in milliseconds",
            "data point 6 has a text with an unpaired surrogate (\\ud800 to \\udfff)");
    Reading.of(lines, "{\"name\":\"m\",\"datapoints\":[[1,2]]}");
    assertThat(leftOut.count()).isZero();
  }

  @Test
  void namesTheFirstReasonsOfALineOfManyBadPoints() {
    Reading.of(lines, "{\"name\":\"m\",\"datapoints\":[[1,2]" + ",3".repeat(50) + "]}");
    assertThat(leftOut.count()).isEqualTo(50);
    assertThat(leftOut.reasons()).hasSize(21).endsWith("and 30 more");
  }
}
