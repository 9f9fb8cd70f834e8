package dev.varve.layout.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.CellDescription;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.RowSamples;
import dev.varve.model.Bytes;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every kind of column of a row of tsdb, written by hand. */
class ColumnsTest {
  private final OpenTsdbLayout layout = OpenTsdbLayout.of(Map.of());
  private final HandMadeRow row = new HandMadeRow();

  @ParameterizedTest
  @CsvSource({
    "0000, 2a, 0=42",
    "e0f1, ff7f, 3599000=-129",
    "0013, 80000000, 1000=-2147483648",
    "0017, 7fffffffffffffff, 1000=9223372036854775807",
    "001b, 3fc00000, 1000=1.5",
    "001f, 3ff199999999999a, 1000=1.1",
    "f0000040, 01, 1=1",
    "fdbb9fcf, 414b773fa0000000, 3599999=3599999.25",
    "f000fa4b, bfc00000, 1001=-1.5"
  })
  void readsAPointOfEveryWidth(String qualifier, String value, String expected) {
    assertThat(HandMadeRow.samples(row.cell(qualifier, value).decode(layout)))
        .containsExactly(expected + "@1000000");
    assertDescribed();
  }

  @ParameterizedTest
  @CsvSource({
    // An integer of two bytes with the flags of eight.
    "0017, 0102, 1000=258",
    // A float of four bytes with the flags of eight.
    "001f, 3fc00000, 1000=1.5",
    // A float with the flags of four bytes, preceded by four zero bytes.
    "001b, 000000003fc00000, 1000=1.5",
    // A double with flags of the wrong length.
    "0018, 3ff199999999999a, 1000=1.1",
  })
  void trustsTheLengthOfAnOldValue(String qualifier, String value, String expected) {
    assertThat(HandMadeRow.samples(row.cell(qualifier, value).decode(layout)))
        .containsExactly(expected + "@1000000");
    assertDescribed();
  }

  @Test
  void readsACompactedColumnOfSeconds() {
    row.cell("0000 0011 002b", "05 0102 3fc00000 00");

    assertThat(HandMadeRow.samples(row.decode(layout)))
        .containsExactly("0=5@1000000", "1000=258@1000000", "2000=1.5@1000000");
    assertThat(summary())
        .isEqualTo(
            "000001000001000001 2013-01-01T00:00:00Z "
                + "compacted, 3 points, first +0 s, integer on 1 = 5");
    assertDescribed();
  }

  @Test
  void readsACompactedColumnOfBothUnits() {
    row.cell("0050 f004e241 00a0 f00a410f", "05 1389 0a 4025000000000000 01");

    assertThat(HandMadeRow.samples(row.decode(layout)))
        .containsExactly(
            "5000=5@1000000", "5001=5001@1000000", "10000=10@1000000", "10500=10.5@1000000");
    assertDescribed();
  }

  @Test
  void keepsTheFirstOfTwoEntriesOfAnInstantInACompactedColumn() {
    row.cell("0010 f000fa00 0020", "01 02 03 01");

    assertThat(HandMadeRow.samples(row.decode(layout)))
        .containsExactly("1000=1@1000000", "2000=3@1000000");
  }

  @Test
  void readsAnAppendedColumnWhoseLaterEntriesReplaceEarlierOnes() {
    row.cell("050000", "0020 07  0010 01  f0007d0f 407f440000000000  0021 0102  0000 00");

    assertThat(HandMadeRow.samples(row.decode(layout)))
        .containsExactly("0=0@1000000", "1000=1@1000000", "2000=258@1000000", "500=500.25@1000000");
    assertThat(summary()).endsWith("appended, 5 entries, first +2 s, integer on 1 = 7");
    assertDescribed();
  }

  @Test
  void readsAnAppendedColumnInOrder() {
    row.cell("050000", "0000 00  0010 01  f000fa40 02");

    assertThat(HandMadeRow.samples(row.decode(layout)))
        .containsExactly("0=0@1000000", "1000=1@1000000", "1001=2@1000000");
  }

  @Test
  void ranksSamplesOfOneInstantByCellTimeThenByPlace() {
    row.cell("0000 0010", "09 09 00", 3000)
        .cell("0010", "01", 2000)
        .cell("0011", "0102", 3000)
        .cell("f000fa00", "07", 4000);

    assertThat(HandMadeRow.samples(row.decode(layout)))
        .containsExactly(
            "0=9@3000000",
            "1000=9@3000000",
            "1000=1@1999999",
            "1000=258@2999998",
            "1000=7@3999997");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "010e0f|1357001999,\"endTime\":0,\"description\":\"é\",\"custom\":null|3599000",
        "01000003e9|1356998401001|1001",
        "010001|1356998401000,\"custom\":{\"startTime\":\"7\",\"tsuid\":\"\"}|1000",
        // The original interprets this time as milliseconds and loses it in the qualifier.
        "010d47| 1356999000 |600000",
      })
  void readsAnAnnotation(String qualifier, String rest, long offset) {
    String json = "{\"tsuid\":\"000001000001000001\",\"startTime\":" + rest + "}";
    RowSamples decoded = row.text(qualifier, json).decode(layout);

    assertThat(decoded.damages()).isEmpty();
    assertThat(decoded.attributes())
        .containsExactly(
            new RowSamples.Found("annotation", HandMadeRow.BASE + offset, new Value.Text(json)));
    assertThat(summary()).contains("annotation at " + (HandMadeRow.BASE + offset) + " ms: {");
    assertDescribed();
  }

  @ParameterizedTest
  @CsvSource({"060001, 1000", "06000003e9, 1001"})
  void readsAHistogramRaw(String qualifier, long offset) {
    assertThat(row.cell(qualifier, "00 0001 3f800000").decode(layout).attributes())
        .containsExactly(
            new RowSamples.Found(
                "histogram",
                HandMadeRow.BASE + offset,
                new Value.Raw(Bytes.fromHex("0000013f800000"))));
    assertDescribed();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "000050|2a|0|interval 5 = 42",
        "03e0ff|3ff8000000000000|3|interval 3599 = 1.5",
        "73756d3a 0051|0102|sum|interval 5 = 258",
        "434f554e543a 0050|07|COUNT|interval 5 = 7",
        "6d696d6d61783a 0050|07|mimmax|interval 5 = 7",
        "010050|07|1|interval 5 = 7",
        "050050|07|5|interval 5 = 7",
        "050000|07|5|interval 0 = 7",
      })
  void keepsARollupRawAndTakesItForNoSample(
      String qualifier, String value, String aggregator, String shown) {
    RowSamples decoded = row.cell(qualifier, value).decode(layout);

    assertThat(decoded.damages()).isEmpty();
    assertThat(decoded.vectors()).isEmpty();
    Bytes raw = Bytes.fromHex(qualifier.substring(qualifier.length() - 4) + value);
    assertThat(decoded.attributes())
        .containsExactly(
            new RowSamples.Found("rollup." + aggregator, HandMadeRow.BASE, new Value.Raw(raw)));
    assertThat(summary()).endsWith("rollup, aggregator " + aggregator + ", " + shown);
    assertDescribed();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|01|qualifier : no point, annotation, histogram or rollup has one of 0 bytes",
        "00|01|one of 1 bytes",
        "0700000000|01|one of 5 bytes",
        "e100|01|offset of 3600000 ms, a row holds 3600000",
        "fdbba000|01|offset of 3600000 ms",
        "f0000070|01|bits 4 and 5 are set",
        "0010|''|0 bytes, a number takes 1 to 8",
        "0010|010203|integer on 3 bytes",
        "0018|0102|float on 2 bytes",
        "0010|010203040506070809|9 bytes, a number takes 1 to 8",
        "001b|0000000100000000|begins with 00000001, not with zeros",
        "f0000001|01|value: 1 bytes, the qualifier says 2",
        "f0000002|010203|integer on 3 bytes",
        "f010|01|its qualifier takes 4 bytes, 2 are left",
        "000f|7ff0000000000000|Infinity, a number of OpenTSDB is finite",
        "f000004b|7fc00000|NaN, a number of OpenTSDB is finite",
        "0000 001b|01 7fc00000 00|NaN, a number of OpenTSDB is finite",
        "050000|0000 01 001b 7fc00000|NaN, a number of OpenTSDB is finite",
        "050000|''|value: empty, an appended column has an entry",
        "0000 0010|01 02|value, byte 1: a number of 1 bytes and one more, 1 are left",
        "0000 0010|01 02 03 00|value: 2 bytes after the last number",
        "0000 0010|01 02 02|ends in 02",
        "0010 0000|01 02 00|qualifier, byte 2: an entry at 0 ms comes after one at 1000 ms",
        "0000 f000|01 02 00|its qualifier takes 4 bytes, 2 are left",
        "0000 0012|01 010203 00|integer on 3 bytes",
        "050000|0000 01 0011 02|value, byte 5: a number of 2 bytes, 1 are left",
        "050000|0000 01 00|its qualifier takes 2 bytes, 1 are left",
        "050000|0000 01 f00000|its qualifier takes 4 bytes, 3 are left",
        "060e10|01|offset of 3600000 ms",
        "060000|''|histogram: no value",
        "800050|07|aggregator 128, they are numbered 0 to 127",
        "000051|07|rollup: a value of 1 bytes, the qualifier says 2",
        "010000|7b 22 61 22 3a 31 2c 22 62 22|annotation: JSON, character 10: ':' expected",
        "010000|7b80 7d|annotation: its value is not UTF-8",
        "010000|7b 78 7d|annotation: JSON, character 1: '\"' expected, there is 'x'",
        "0100000000|5b5d|annotation: JSON, character 0: '{' expected, there is '['",
      })
  void refusesADamagedCellAndKeepsTheOthers(String qualifier, String value, String reason) {
    row.cell("0000", "2a").cell(qualifier, value).cell("f0000040", "01");

    RowSamples decoded = row.decode(layout);
    assertThat(decoded.damages()).extracting(RowSamples.Damage::cell).containsExactly(1);
    assertThat(decoded.damages().getFirst().reason()).contains(reason);
    assertThat(HandMadeRow.samples(decoded)).containsExactly("0=42@1000000", "1=1@999998");
    assertThatThrownBy(() -> layout.describe(OpenTsdbLayout.DATA, row.cells.cell(1)))
        .isInstanceOf(DamagedCellException.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "000001000001000001|1357002001|its startTime is 1357002001, which is not that of row time",
        "000001000001000001|1356998402|its startTime is 1356998402, which is not that of row time",
        "000001000001000001|null|its startTime is missing, which is not that of row time",
        "000001000001000002|1356998401|its tsuid is '000001000001000002', the row's is '00000100",
        "''|1356998401|its tsuid is '', the row's is '000001000001000001'",
      })
  void refusesAnAnnotationOfAnotherRow(String tsuid, String start, String reason) {
    row.text("010001", "{\"tsuid\":\"" + tsuid + "\",\"startTime\":" + start + "}");

    assertThat(row.decode(layout).damages())
        .singleElement()
        .extracting(RowSamples.Damage::reason)
        .asString()
        .startsWith("annotation: " + reason);
  }

  @ParameterizedTest
  @CsvSource({
    "00000000, 0000, 07, 0",
    "00000000, 060000, 07, 0",
    "00000000, 000000, 07, 0",
    "540bd910, af00, 07, 10000000000000",
    "540bd910, faae6000, 07, 10000000000000",
    "540bd910, 06002ab980, 07, 10000000000000"
  })
  void refusesWhatStandsAtAnInstantThatTheOriginalTakesNothingOf(
      String base, String qualifier, String value, long time) {
    row.cells.add(
        new Cell(
            Bytes.fromHex("000001" + base + "000001000001"),
            OpenTsdbLayout.POINTS,
            Bytes.fromHex(qualifier),
            0,
            Bytes.fromHex(value)));

    assertThat(row.decode(layout).damages())
        .singleElement()
        .extracting(RowSamples.Damage::reason)
        .asString()
        .isEqualTo("time %d ms is outside of 1 to 9999999999999".formatted(time));
  }

  @Test
  void givesOutNothingOfARowWhoseKeyIsDamaged() {
    row.cells.add(
        new Cell(
            Bytes.fromHex("00000150e22701000001000001"),
            0,
            Bytes.fromHex("0000"),
            0,
            Bytes.fromHex("2a")));

    RowSamples decoded = row.decode(layout);
    assertThat(decoded.vectors()).isEmpty();
    assertThat(decoded.damages())
        .extracting(RowSamples.Damage::reason)
        .containsExactly("row key: base time 50E22701 (1356998401 s) is not a whole hour");
  }

  private String summary() {
    return layout.describe(OpenTsdbLayout.DATA, row.cells.cell(0)).summary();
  }

  /** Checks that the description of the only cell covers all of its bytes. */
  private void assertDescribed() {
    CellDescription described = layout.describe(OpenTsdbLayout.DATA, row.cells.cell(0));
    assertThat(OriginalCellsTest.covered(described, "row")).isEqualTo(row.cells.rowLength(0));
    assertThat(OriginalCellsTest.covered(described, "qualifier"))
        .isEqualTo(row.cells.qualifierLength(0));
    assertThat(OriginalCellsTest.covered(described, "value")).isEqualTo(row.cells.valueLength(0));
  }
}
