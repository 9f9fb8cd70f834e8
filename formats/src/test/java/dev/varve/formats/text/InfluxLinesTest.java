package dev.varve.formats.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Resolution;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
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
import org.junit.jupiter.params.provider.ValueSource;

class InfluxLinesTest {
  private static final long NOW = 1_700_000_000_123L;

  private final InfluxLines lines = in(Resolution.NANOSECONDS);

  private static InfluxLines in(Resolution unit) {
    return new InfluxLines(unit, Resolution.MILLISECONDS, () -> NOW, false);
  }

  @Test
  void readsMeasurementTagsFieldsAndTime() {
    assertThat(Reading.of(lines, "weather,place=lab,floor=2 temp=82.5,rain=0i 1465839830100400200"))
        .containsExactly(
            "weather{floor=\"2\",place=\"lab\"}#temp 1465839830100 82.5",
            "weather{floor=\"2\",place=\"lab\"}#rain 1465839830100 0i");
  }

  @Test
  void readsEveryKindOfValue() {
    assertThat(
            Reading.of(
                lines, "m a=1,b=-2.5e-3,c=3i,d=-4i,e=5u,f=t,g=FALSE,h=\"text\",i=.5,j=6. 1000000"))
        .containsExactly(
            "m{}#a 1 1.0",
            "m{}#b 1 -0.0025",
            "m{}#c 1 3i",
            "m{}#d 1 -4i",
            "m{}#e 1 5i",
            "m{}#f 1 1i",
            "m{}#g 1 0i",
            "m{}#h 1 \"text\"",
            "m{}#i 1 0.5",
            "m{}#j 1 6.0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"t", "T", "true", "True", "TRUE", "f", "F", "false", "False", "FALSE"})
  void readsBooleansAsOneAndZero(String word) {
    String expected = word.toLowerCase(Locale.ROOT).startsWith("t") ? "1i" : "0i";
    assertThat(Reading.of(lines, "m on=" + word + " 0")).containsExactly("m{}#on 0 " + expected);
  }

  @ParameterizedTest
  @CsvSource({
    "s,1465839830,1465839830000",
    "ms,1465839830123,1465839830123",
    "us,1465839830123456,1465839830123",
    "ns,-1,-1"
  })
  void readsTimesInTheUnitOfTheSenderAndRoundsTowardsThePast(
      String unit, String sent, long expected) {
    assertThat(Reading.of(in(Resolution.ofSymbol(unit)), "m value=1i " + sent))
        .containsExactly("m{} " + expected + " 1i");
  }

  @Test
  void givesALineWithoutATimeThatOfNow() {
    assertThat(Reading.of(lines, "m value=1i", "m value=2i ", "m value=3i\r"))
        .containsExactly("m{} " + NOW + " 1i", "m{} " + NOW + " 2i", "m{} " + NOW + " 3i");
  }

  @Test
  void passesOverBlankLinesAndComments() {
    assertThat(Reading.of(lines, "", "  ", "\r", "# comment", "  #another=1 2")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a\\,b\\ c,t=1 value=1i 0             | a,b c{t="1"} 0 1i
          a\\=b value=1i 0                     | a\\=b{} 0 1i
          m,t\\,\\ \\=n=v\\,\\ \\=w value=1i 0 | m{t, =n="v, =w"} 0 1i
          m f\\,\\ \\=g=1i 0                   | m{}#f, =g 0 1i
          m,path=C:\\new value=1i 0            | m{path="C:\\new"} 0 1i
          m,t=a\\\\ b value=1i 0               | m{t="a\\ b"} 0 1i
          m value="a, b = c" 0                 | m{} 0 "a, b = c"
          m value="say \\"yes\\"" 0            | m{} 0 "say "yes""
          m value="C:\\\\dir\\x" 0             | m{} 0 "C:\\dir\\x"
          m value="" 0                         | m{} 0 ""
          m,ort=Köln value="größer" 0          | m{ort="Köln"} 0 "größer"
          """)
  void readsEscapesWhereTheyMeanSomethingAndKeepsOtherBackslashes(String line, String expected) {
    assertThat(Reading.of(lines, line)).containsExactly(expected);
  }

  @Test
  void endsATextWithTheFirstQuoteThatNoBackslashHides() {
    assertThat(Reading.of(lines, "m a=\"x\\\\\",b=2i 0"))
        .containsExactly("m{}#a 0 \"x\\\"", "m{}#b 0 2i");
  }

  @Test
  void joinsFieldsToMetricsForLayoutsWithoutFields() {
    InfluxLines joined =
        new InfluxLines(Resolution.MILLISECONDS, Resolution.MILLISECONDS, () -> NOW, true);
    assertThat(Reading.of(joined, "disk,host=a free=1i,value=2i 5"))
        .containsExactly("disk_free{host=\"a\"} 5 1i", "disk{host=\"a\"} 5 2i");
  }

  @Test
  void readsTheSameKeyAgainAsItReadItFirst() {
    assertThat(Reading.of(lines, "m,b=2,a=1 value=1i 0", "m,b=2,a=1 value=2i 1000000"))
        .containsExactly("m{a=\"1\",b=\"2\"} 0 1i", "m{a=\"1\",b=\"2\"} 1 2i");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          m                            | no fields: expected field=value after the measurement and tags
          ,t=1 v=1                     | the measurement is missing before the tags
          m,t v=1                      | tag 't' is not name=value
          m,t= v=1                     | tag 't=' is not name=value
          m,=x v=1                     | tag '=x' is not name=value
          m, v=1                       | tag '' is not name=value
          m,t=1,t=2 v=1                | tag 't' comes twice
          m v                          | field 'v' is not name=value
          m v=                         | field 'v': '' is no value (try 1.5, 1i, true or "text")
          m =1                         | field '' is not name=value
          m v=1,                       | field '' is not name=value
          m v=abc                      | field 'v': 'abc' is no value (try 1.5, 1i, true or "text")
          m v=NaN                      | field 'v': 'NaN' is no value (try 1.5, 1i, true or "text")
          m v=-1u                      | field 'v': '-1u' is no value (try 1.5, 1i, true or "text")
          m v=1.5i                     | field 'v': '1.5' is not an integer of 64 bits
          m v=9223372036854775808i     | field 'v': '9223372036854775808' is not an integer of 64 bits
          m v=0x10                     | field 'v': '0x10' is not a number
          m v=1e999                    | field 'v': '1e999' is too large for a double
          m v="a                       | the text "a has no closing quote
          m v="a\\"                    | the text "a\\" has no closing quote
          m v="a"b                     | time 'b' is not an integer of 64 bits
          m v=1 soon                   | time 'soon' is not an integer of 64 bits
          m v=1 1.5                    | time '1.5' is not an integer of 64 bits
          m v=1 1 2                    | unexpected '2' after the time
          """)
  void saysWhatIsWrongWithALine(String line, String complaint) {
    assertThat(Reading.complaint(lines, line)).isEqualTo(complaint);
  }

  @Test
  void refusesATimeThatDoesNotFitTheDataset() {
    InfluxLines seconds =
        new InfluxLines(Resolution.SECONDS, Resolution.NANOSECONDS, () -> NOW, false);
    assertThat(Reading.complaint(seconds, "m v=1 9223372037"))
        .isEqualTo("time '9223372037' in s is too large for ns");
  }

  @Test
  void refusesNamesThatAreNotUtf8() {
    assertThat(Reading.complaint(lines, "m,ort=Köln v=1".getBytes(StandardCharsets.ISO_8859_1)))
        .isEqualTo("'K\uFFFDln' is not UTF-8");
  }

  @Property
  void readsBackWhatAnInfluxClientWrites(
      @ForAll("name") String measurement,
      @ForAll("tags") Map<String, String> tags,
      @ForAll("name") String field,
      @ForAll("text") String text) {
    String line =
        escape(measurement, ", ")
            + tags.entrySet().stream()
                .map(tag -> "," + escape(tag.getKey(), ",= ") + "=" + escape(tag.getValue(), ",= "))
                .collect(Collectors.joining())
            + " "
            + escape(field, ",= ")
            + "=\""
            + escape(text, "\"\\")
            + "\" 7000000";
    String shownTags =
        new TreeMap<>(tags)
            .entrySet().stream()
                .map(tag -> tag.getKey() + "=\"" + tag.getValue() + '"')
                .collect(Collectors.joining(","));
    String shownField = field.equals("value") ? "" : "#" + field;
    assertThat(Reading.of(lines, line))
        .isEqualTo(
            List.of(measurement + "{" + shownTags + "}" + shownField + " 7 \"" + text + '"'));
  }

  private static String escape(String text, String escaped) {
    return text.chars()
        .mapToObj(c -> (escaped.indexOf(c) >= 0 ? "\\" : "") + (char) c)
        .collect(Collectors.joining());
  }

  /** Backslashes occur only inside names: line protocol cannot represent one at the end. */
  @Provide
  Arbitrary<String> name() {
    Arbitrary<String> edge = Arbitraries.strings().withChars("ab=, ü").ofLength(1);
    Arbitrary<String> first = Arbitraries.strings().withChars("abü").ofLength(1);
    Arbitrary<String> middle = Arbitraries.strings().withChars("ab\\ü").ofMaxLength(4);
    return first.flatMap(a -> middle.flatMap(b -> edge.map(c -> a + b + "x" + c)));
  }

  @Provide
  Arbitrary<Map<String, String>> tags() {
    return Arbitraries.maps(name(), name()).ofMaxSize(3);
  }

  @Provide
  Arbitrary<String> text() {
    return Arbitraries.strings().withChars("ab\\\"=, ü").ofMaxLength(8);
  }
}
