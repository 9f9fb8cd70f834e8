package dev.varve.formats.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Resolution;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrometheusLinesTest {
  private final PrometheusLines lines = new PrometheusLines(Resolution.MILLISECONDS, () -> 77);

  @Test
  void readsAnExposition() {
    assertThat(
            Reading.of(
                lines,
                """
                # HELP http_requests_total The total number of HTTP requests.
                # TYPE http_requests_total counter
                http_requests_total{method="post",code="200"} 1027 1395066363000
                http_requests_total{method="post",code="400",} 3 1395066363000

                # Escaping in label values:
                msdos_file_access_time_seconds{path="C:\\\\DIR\\\\FILE.TXT",error="Cannot find file:\\n\\"FILE.TXT\\""} 1.458255915e9
                metric_without_timestamp_and_labels 12.47
                something_weird{problem="division by zero"} +Inf -3982045
                rpc_duration_seconds_count 2693
                # EOF
                """
                    .split("\n")))
        .containsExactly(
            "http_requests_total{code=\"200\",method=\"post\"} 1395066363000 1027.0",
            "http_requests_total{code=\"400\",method=\"post\"} 1395066363000 3.0",
            "msdos_file_access_time_seconds{error=\"Cannot find file:\n\"FILE.TXT\"\",path=\"C:\\DIR\\FILE.TXT\"}"
                + " 77 1.458255915E9",
            "metric_without_timestamp_and_labels{} 77 12.47",
            "something_weird{problem=\"division by zero\"} -3982045 Infinity",
            "rpc_duration_seconds_count{} 77 2693.0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          m NaN                            | m{} 77 NaN
          m -nan                           | m{} 77 NaN
          m -Inf                           | m{} 77 -Infinity
          m +infinity                      | m{} 77 Infinity
          m{} 1e-3                         | m{} 77 0.001
          m { a = "b" , c = "d" } 1        | m{a="b",c="d"} 77 1.0
          m{a="}"} 1                       | m{a="}"} 77 1.0
          m{a="\\x"} 1                     | m{a="\\x"} 77 1.0
          m{a=""} 1                        | m{} 77 1.0
          {"my.metric"} 1                  | my.metric{} 77 1.0
          {"my.metric",a="b"} 1            | my.metric{a="b"} 77 1.0
          {"my \\"metric\\"","a.b"="c"} 1  | my "metric"{a.b="c"} 77 1.0
          m{"a.b"="c"} 1                   | m{a.b="c"} 77 1.0
          a:b:c 1                          | a:b:c{} 77 1.0
          """)
  void readsALine(String line, String expected) {
    assertThat(Reading.of(lines, line)).containsExactly(expected);
  }

  @Test
  void readsTheSameKeyAgainAsItReadItFirst() {
    assertThat(Reading.of(lines, "m{a=\"b\"} 1 1", "m{a=\"b\"} 2 2"))
        .containsExactly("m{a=\"b\"} 1 1.0", "m{a=\"b\"} 2 2.0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          m                    | no value after m
          m{a="b"}             | no value after m{a="b"}
          m{a="b" 1            | the labels have no closing brace
          m{a="b} 1            | the labels have no closing brace
          m{a="b\\"} 1         | the labels have no closing brace
          m{                   | the labels have no closing brace
          m{a} 1               | label 'a' has no value: '}'
          m{a=} 1              | the value of label 'a' is not quoted: '}'
          m{a=b} 1             | the value of label 'a' is not quoted: 'b}'
          m{a="b"c="d"} 1      | expected , or } after label 'a': 'c="d"}'
          m{a="b",,c="d"} 1    | expected label="value" at ',c="d"}'
          m{="b"} 1            | expected label="value" at '="b"}'
          m{a="b",a="c"} 1     | label 'a' comes twice
          m{"n"} 1             | label 'n' has no value: '}'
          m{__name__="n"} 1    | expected label="value" at '__name__="n"}'
          {a="b"} 1            | the name of the metric is missing: name{label="value"} 1
          {} 1                 | the name of the metric is missing: name{label="value"} 1
          a=b                  | the name of the metric ends at a blank or {; any other name is quoted: '=b'
          a"b{c="d"} 1         | the name of the metric ends at a blank or {; any other name is quoted: '"b{c="d"}'
          m 1,5                | value '1,5' is not a number
          m one                | value 'one' is not a number
          m 1 now              | time 'now' is not an integer of 64 bits
          m 1 2 # {a="b"} 3    | unexpected '# {a="b"} 3' after the time
          """)
  void saysWhatIsWrongWithALine(String line, String complaint) {
    assertThat(Reading.complaint(lines, line)).isEqualTo(complaint);
  }

  @Test
  void refusesATimeThatDoesNotFitTheDataset() {
    assertThat(
            Reading.complaint(
                new PrometheusLines(Resolution.NANOSECONDS, () -> 0), "m 1 9223372036855"))
        .isEqualTo("time '9223372036855' is too large for ns");
  }

  @Property
  void readsBackWhatAnExporterWrites(
      @ForAll("labels") Map<String, String> labels, @ForAll double value) {
    String line =
        labels.entrySet().stream()
                .map(label ->
                    ",\"" + escape(label.getKey()) + "\"=\"" + escape(label.getValue()) + '"')
                .collect(Collectors.joining("", "{\"my metric\"", "} "))
            + Double.toString(value).replace("Infinity", "Inf");
    String shown =
        new TreeMap<>(labels)
            .entrySet().stream()
                .map(label -> label.getKey() + "=\"" + label.getValue() + '"')
                .collect(Collectors.joining(",", "my metric{", "}"));
    assertThat(Reading.of(lines, line)).containsExactly(shown + " 77 " + value);
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  @Provide
  Arbitrary<Map<String, String>> labels() {
    Arbitrary<String> texts =
        Arbitraries.strings().withChars("an\\\"{}=, \nü").ofMinLength(1).ofMaxLength(6);
    return Arbitraries.maps(texts, texts).ofMaxSize(4);
  }
}
