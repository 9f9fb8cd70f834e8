package dev.varve.formats.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CsvLinesTest {
  private static CsvLines lines() {
    return lines(null, Map.of());
  }

  private static CsvLines lines(@Nullable String timePattern, Map<String, Kind> fields) {
    return new CsvLines(
        new CsvLines.Columns(
            "price",
            null,
            "date",
            Resolution.SECONDS,
            timePattern == null ? null : DateTimeFormatter.ofPattern(timePattern, Locale.ENGLISH),
            List.of("symbol"),
            Map.of("source", "x"),
            fields),
        Resolution.MILLISECONDS);
  }

  @Test
  void readsTimeTagsAndFieldsByTheirColumns() {
    assertThat(Reading.of(lines(), "close,date,symbol,open", "2.5,10,SPX,1", "4,11,,3"))
        .containsExactly(
            "price{source=\"x\",symbol=\"SPX\"}#close 10000 2.5",
            "price{source=\"x\",symbol=\"SPX\"}#open 10000 1.0",
            "price{source=\"x\"}#close 11000 4.0",
            "price{source=\"x\"}#open 11000 3.0");
  }

  @Test
  void takesTheMetricFromAColumn() {
    CsvLines lines =
        new CsvLines(
            new CsvLines.Columns(
                null, "what", "time", Resolution.MILLISECONDS, null, List.of(), Map.of(), Map.of()),
            Resolution.MILLISECONDS);
    assertThat(Reading.of(lines, "time,what,value", "1,a,2", "1,b,3"))
        .containsExactly("a{} 1 2.0", "b{} 1 3.0");
    assertThat(Reading.complaint(lines, "1,,2")).isEqualTo("the metric is empty");
  }

  @Test
  void readsFieldsByTheirKinds() {
    Map<String, Kind> kinds = new LinkedHashMap<>();
    kinds.put("volume", Kind.INT64);
    kinds.put("close", Kind.DOUBLE);
    kinds.put("note", Kind.STRING);
    assertThat(
            Reading.of(
                lines(null, kinds),
                "date,symbol,note,unused,close,volume",
                "1,S, as it is ,x,NaN,9007199254740993",
                "2,S,,x,-inf,"))
        .containsExactly(
            "price{source=\"x\",symbol=\"S\"}#volume 1000 9007199254740993i",
            "price{source=\"x\",symbol=\"S\"}#close 1000 NaN",
            "price{source=\"x\",symbol=\"S\"}#note 1000 \" as it is \"",
            "price{source=\"x\",symbol=\"S\"}#close 2000 -Infinity");
  }

  @Test
  void readsQuotedCells() {
    CsvLines lines = lines(null, Map.of("note", Kind.STRING));
    assertThat(
            Reading.of(
                lines,
                "\"date\",symbol,\"note\"",
                "\"1\",\"a,b\",\"say \"\"yes\"\"\"\r",
                "2,\"\",\",\""))
        .containsExactly(
            "price{source=\"x\",symbol=\"a,b\"}#note 1000 \"say \"yes\"\"",
            "price{source=\"x\"}#note 2000 \",\"");
  }

  @Test
  void passesOverEmptyLinesAndAByteOrderMark() {
    assertThat(Reading.of(lines(), "", "\uFEFFdate,symbol,close\r", "\r", "1,S,2", ""))
        .containsExactly("price{source=\"x\",symbol=\"S\"}#close 1000 2.0");
  }

  @ParameterizedTest
  @CsvSource({
    "10,10000",
    "-1,-1000",
    "' 10 ',10000",
    "1970-01-02,86400000",
    "1970-01-01T00:00:01Z,1000",
    "1970-01-01T01:00:00+01:00,0",
    "1970-01-01 00:00:00.5,500",
    "1970-01-01T00:01,60000",
    "1969-12-31T23:59:59.9999Z,-1"
  })
  void readsTimesAsIntegersAndAsIso8601(String written, long expected) {
    assertThat(Reading.of(lines(), "date,symbol,close", "\"" + written + "\",S,2"))
        .containsExactly("price{source=\"x\",symbol=\"S\"}#close " + expected + " 2.0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          MMM d yyyy          | Jan 2 1970              | 86400000
          dd.MM.yyyy HH:mm    | 01.01.1970 00:01        | 60000
          yyyyMMddHHmmssXX    | 19700101010000+0100     | 0
          """)
  void readsTimesByAPattern(String pattern, String written, long expected) {
    assertThat(Reading.of(lines(pattern, Map.of()), "date,symbol,close", written + ",S,2"))
        .containsExactly("price{source=\"x\",symbol=\"S\"}#close " + expected + " 2.0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          1,S            | the line has 2 columns, the first one has 3
          1,S,2,3        | the line has 4 columns, the first one has 3
          1,S,two        | column 'close': 'two' is not a number
          1,S,0x1p3      | column 'close': '0x1p3' is not a number
          1,S,1d         | column 'close': '1d' is not a number
          1,S,1e999      | column 'close': '1e999' is too large for a double
          1,S,"2         | a quoted value has no closing quote; a record is one line
          1,"S"x,2       | column 2: expected a comma after the closing quote
          ,S,2           | time '' cannot be read as an integer in s, 2026-01-31 or 2026-01-31T12:00:00Z
          1.5,S,2        | time '1.5' cannot be read as an integer in s, 2026-01-31 or 2026-01-31T12:00:00Z
          2026-02-30,S,2 | time '2026-02-30' cannot be read as an integer in s, 2026-01-31 or 2026-01-31T12:00:00Z
          99999999999999999,S,2 | time '99999999999999999' cannot be read as an integer in s, 2026-01-31 or 2026-01-31T12:00:00Z
          +999999999-01-01T00:00:00Z,S,2 | time '+999999999-01-01T00:00:00Z' cannot be read as an integer in s, 2026-01-31 or 2026-01-31T12:00:00Z
          """)
  void saysWhatIsWrongWithALine(String line, String complaint) {
    CsvLines lines = lines();
    assertThat(Reading.of(lines, "date,symbol,close")).isEmpty();
    assertThat(Reading.complaint(lines, line)).isEqualTo(complaint);
  }

  @Test
  void saysWhatIsWrongWithATimeThatHasAPattern() {
    CsvLines lines = lines("MMM d yyyy", Map.of());
    assertThat(Reading.of(lines, "date,symbol,close")).isEmpty();
    assertThat(Reading.complaint(lines, "Foo 1 2000,S,1"))
        .isEqualTo(
            "time 'Foo 1 2000' cannot be read as the pattern says (Text 'Foo 1 2000' could not be"
                + " parsed at index 0)");
  }

  @Test
  void refusesAnIntegerThatIsNone() {
    CsvLines lines = lines(null, Map.of("volume", Kind.INT64));
    assertThat(Reading.of(lines, "date,symbol,volume")).isEmpty();
    assertThat(Reading.complaint(lines, "1,S,1.0"))
        .isEqualTo("column 'volume': '1.0' is not an integer of 64 bits");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          day,symbol,close   | there is no column 'date' (the columns are day, symbol, close)
          date,close         | there is no column 'symbol' (the columns are date, close)
          date,symbol        | no column is left for a value (the columns are date, symbol)
          date,symbol,a,a    | there are two columns 'a'
          "date,symbol,a     | the line that names the columns: a quoted value has no closing quote; a record is one line
          """)
  void refusesTheWholeFileWhereTheColumnsAreNotThoseLookedFor(String header, String complaint) {
    CsvLines lines = lines();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Reading.of(lines, header))
        .withMessage(complaint);
  }

  @ParameterizedTest
  @ValueSource(strings = {"yyyy", "HH:mm"})
  void refusesTimesOfAPatternWithoutADay(String pattern) {
    CsvLines lines = lines(pattern, Map.of());
    assertThat(Reading.of(lines, "date,symbol,close")).isEmpty();
    assertThat(Reading.complaint(lines, "2000,S,1")).startsWith("time '2000' cannot be read");
  }

  @Property
  void readsBackWhatIsQuotedAsTheStandardSays(
      @ForAll @Size(min = 1, max = 5)
          List<@NotEmpty @Chars({'a', '"', ',', ' ', 'ü'}) @StringLength(max = 5) String> cells) {
    Map<String, Kind> fields = new LinkedHashMap<>();
    for (int i = 0; i < cells.size(); i++) {
      fields.put("c" + i, Kind.STRING);
    }
    String header = "date,symbol," + String.join(",", fields.keySet());
    String line =
        cells.stream()
            .map(cell -> "\"" + cell.replace("\"", "\"\"") + "\"")
            .collect(Collectors.joining(",", "1,S,", ""));
    assertThat(Reading.of(lines(null, fields), header, line))
        .isEqualTo(
            fields.keySet().stream()
                .map(name ->
                    "price{source=\"x\",symbol=\"S\"}#%s 1000 \"%s\""
                        .formatted(name, cells.get(Integer.parseInt(name.substring(1)))))
                .toList());
  }
}
