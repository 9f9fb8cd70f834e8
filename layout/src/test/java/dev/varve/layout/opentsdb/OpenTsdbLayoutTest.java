package dev.varve.layout.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Attribute;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpenTsdbLayoutTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("k", "v"));
  private static final long T = HandMadeRow.BASE;

  private final OpenTsdbLayout layout = OpenTsdbLayout.of(Map.of());
  private final TsdbTables tables = new TsdbTables(layout);

  @AfterEach
  void close() {
    tables.close();
  }

  @Test
  void isKnownByEveryParameterThatChangesAByte() {
    assertThat(layout.identity())
        .hasToString(
            "opentsdb{codec.cell=1, codec.row=1, float=8, metricWidth=3, saltWidth=0, tagkWidth=3,"
                + " tagvWidth=3, time=auto}");
    assertThat(
            OpenTsdbLayout.of(Map.of("saltWidth", "1", "time", "milliseconds", "float", "4"))
                .identity()
                .parameters())
        .containsEntry("saltBuckets", "20")
        .containsEntry("time", "milliseconds")
        .containsEntry("float", "4");
    assertThat(OpenTsdbLayout.of(Map.of("saltBuckets", "7")).identity())
        .isEqualTo(layout.identity());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "metricwidth|4|no parameter 'metricwidth' (did you mean metricWidth?)",
        "tagkWidth|9|tagkWidth is '9', and should be a whole number from 1 to 8",
        "saltWidth|-1|saltWidth is '-1', and should be a whole number from 0 to 8",
        "saltBuckets|257|saltBuckets is '257', and should be a whole number from 1 to 256",
        "time|s|time is 's', and should be one of auto, seconds, milliseconds",
        "float|2|float is '2', and should be 8 or 4",
      })
  void refusesParametersThatItDoesNotKnow(String name, String value, String message) {
    Map<String, String> parameters = new TreeMap<>(Map.of("saltWidth", "1"));
    parameters.put(name, value);

    assertThatThrownBy(() -> OpenTsdbLayout.of(parameters))
        .isInstanceOf(RefusedException.class)
        .hasMessageStartingWith("layout opentsdb")
        .hasMessageEndingWith(message);
  }

  @Test
  void isFoundByItsName() {
    assertThat(Layouts.of("opentsdb", Map.of("tagvWidth", "4")).identity().parameters())
        .containsEntry("tagvWidth", "4");
    assertThat(Layouts.list())
        .contains(
            new Layouts.Entry(
                "opentsdb",
                "the tables of OpenTSDB 2.x in HBase, byte for byte",
                OpenTsdbParameters.LIST,
                false));
  }

  @ParameterizedTest
  @CsvSource({
    "auto, 1356998401000, 0010", "auto, 1356998401001, f000fa40",
    "seconds, 1356998401000, 0010", "milliseconds, 1356998401000, f000fa00",
    "milliseconds, 1, f0000040", "auto, 4294969199999, fdbb9fc0",
  })
  void writesTimesAsToldTo(String form, long time, String qualifier) {
    tables.write(OpenTsdbLayout.of(Map.of("time", form)), KEY, time, new Value.Int64(7));

    assertThat(tables.refusals).isEmpty();
    assertThat(tables.cells(OpenTsdbLayout.DATA).qualifier(0).hex()).isEqualTo(qualifier);
    assertThat(tables.read(layout)).extracting(TsdbTables.Found::time).containsExactly(time);
  }

  @ParameterizedTest
  @CsvSource({
    "8, 1.5, 000f, 3ff8000000000000",
    "4, 1.5, 000b, 3fc00000",
    "4, -0.0, 000b, 80000000",
    "4, 1.1, 000f, 3ff199999999999a",
    "4, 3.4028234663852886E38, 000b, 7f7fffff",
    "4, 1.0E39, 000f, 48078287f49c4a1d",
    "4, 1.401298464324817E-45, 000b, 00000001",
    "4, 4.9E-324, 000f, 0000000000000001",
    "4, 42.0, 000b, 42280000",
  })
  void writesDoublesOnFourBytesWhereThatLosesNothing(
      String form, double value, String qualifier, String bytes) {
    tables.write(OpenTsdbLayout.of(Map.of("float", form)), KEY, T, new Value.Real(value));

    assertThat(tables.dump()).contains("tsdb t " + HandMadeRow.KEY + " " + qualifier + " " + bytes);
    assertThat(tables.read(layout))
        .extracting(TsdbTables.Found::value)
        .containsExactly(new Value.Real(value));
  }

  /** The original interprets larger numbers of seconds as milliseconds. */
  @ParameterizedTest
  @CsvSource({
    "4294967295000, fffff960, 69f0",
    "4294967296000, fffff960, f6784000",
    "4294969200000, 00000770, f0000000",
    "8589934800000, 000000d0, f0000000",
    "9999999999999, 540bd910, faae5fc0"
  })
  void writesSecondsThatTakeMoreThan32BitsAsMilliseconds(long time, String base, String qualifier) {
    tables.write(layout, KEY, time, new Value.Int64(1));

    String row = HandMadeRow.KEY.replace("50e22700", base);
    assertThat(tables.dump()).contains("tsdb t " + row + " " + qualifier + " 01");
    assertThat(tables.read(layout)).extracting(TsdbTables.Found::time).containsExactly(time);
  }

  @Test
  void refusesSamplesOutsideItsDomainAndKeepsTheOthers() {
    tables.write(
        OpenTsdbLayout.of(Map.of("time", "seconds")),
        KEY,
        new long[] {
          T, 0, T + 1, 4_294_967_296_000L, 10_000_000_000_000L, T + 1000, T + 2000, T + 3000
        },
        new Value.Int64(1),
        new Value.Int64(1),
        new Value.Int64(2),
        new Value.Int64(3),
        new Value.Int64(4),
        new Value.Real(Double.NaN),
        new Value.Text("x"),
        new Value.Real(Double.NEGATIVE_INFINITY));

    assertThat(tables.refusals)
        .extracting(Refusal::message)
        .containsExactly(
            "time 0 ms: OpenTSDB holds 1 to 9999999999999",
            "time 1356998400001 ms is not a whole second up to 4294967295 s (time=seconds)",
            "time 4294967296000 ms is not a whole second up to 4294967295 s (time=seconds)",
            "time 10000000000000 ms: OpenTSDB holds 1 to 9999999999999",
            "NaN is not finite; OpenTSDB cannot store it",
            "OpenTSDB cannot hold text samples, only int64 and double",
            "-Infinity is not finite; OpenTSDB cannot store it");
    assertThat(tables.read(layout)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|k|v|metric is empty",
        "a b|k|v|metric 'a b': character 1 is U+0020",
        "a|''|v|tag name is empty",
        "a|k|''|value of tag k is empty",
        "a|k|a\u0101|value of tag k 'a\u0101': character 1 is U+0101",
        "a|k\uD83D\uDE00|v|character 1 is U+1F600",
        "a|k|\u00D7|value of tag k '\u00D7': character 0 is U+00D7",
      })
  void refusesNamesOutsideItsAlphabet(String metric, String name, String value, String message) {
    assertThatThrownBy(() -> layout.bind(GroupKey.of(metric, Tags.of(name, value)), true))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining(message);
  }

  @Test
  void takesTheLettersOfLatin1AsOneByte() {
    GroupKey key = GroupKey.of("caf\u00E9", Tags.of("\u00DF", "\u00B5.-_/9Z"));
    tables.write(layout, key, T, new Value.Int64(1));

    assertThat(tables.dump()).contains("tsdb-uid name 000001 6d657472696373 636166e9");
    assertThat(tables.read(layout)).extracting(TsdbTables.Found::key).containsExactly(key);
  }

  @Test
  void refusesResourcesAndFields() {
    assertThatThrownBy(
            () -> layout.bind(new GroupKey("m", Tags.of("k", "v"), Tags.of("pod", "p")), true))
        .hasMessage("resource {pod=\"p\"}: OpenTSDB has only tags");
    tables.write(layout, new BatchBuilder().add(KEY, "max", T, new Value.Int64(1)).build());

    assertThat(tables.refusals)
        .containsExactly(
            new Refusal("opentsdb.field", "field 'max': OpenTSDB has no fields but 'value'"));
  }

  @Test
  void keepsTheLastOfTheSamplesOfAnInstantThatAreWrittenTogether() {
    tables.write(
        layout,
        KEY,
        new long[] {T, T + 1000, T, T},
        new Value.Int64(300),
        new Value.Int64(5),
        new Value.Real(1.5),
        new Value.Int64(7));

    CellBatch cells = tables.cells(OpenTsdbLayout.DATA);
    assertThat(cells.size()).isEqualTo(4);
    // In row order: 7 (written last), 300 (first), 1.5 (between them), and 5, alone at its instant.
    long last = cells.time(0);
    assertThat(List.of(cells.time(1), cells.time(2), cells.time(3)))
        .containsExactly(last - 2, last - 1, last);
    assertThat(tables.newest(layout))
        .containsEntry(KEY + " " + T, new Value.Int64(7))
        .containsEntry(KEY + " " + (T + 1000), new Value.Int64(5));
  }

  @Test
  void writesAnAnnotationAsTheOriginalDoes() {
    String json =
        "{\"tsuid\":\"000001000001000001\",\"startTime\":1356998460,\"endTime\":0,"
            + "\"description\":\"deploy\",\"notes\":\"\",\"custom\":null}";
    Attribute annotation = new Attribute(KEY, "annotation", T + 60_000, new Value.Text(json));
    tables.write(layout, annotation);

    assertThat(tables.dump())
        .contains("tsdb t " + HandMadeRow.KEY + " 01003c " + Bytes.utf8(json).hex());
    assertThat(tables.read(layout)).isEmpty();
    assertThat(tables.attributes).containsExactly(annotation);
  }

  @Test
  void keepsTheOriginalsQualifierOfASecondThatIsAMultipleOfAThousand() {
    String json = "{\"tsuid\":\"000001000001000001\",\"startTime\":1356999000}";
    Attribute annotation =
        new Attribute(KEY, "annotation", 1_356_999_000_000L, new Value.Text(json));
    tables.write(layout, annotation);

    assertThat(tables.cells(OpenTsdbLayout.DATA).qualifier(0).hex()).isEqualTo("010d47");
    tables.read(layout);
    assertThat(tables.attributes).containsExactly(annotation);
  }

  @Test
  void keepsTheAnnotationsOfNoSeriesInRowsWithoutTags() {
    OpenTsdbLayout salted = OpenTsdbLayout.of(Map.of("saltWidth", "1"));
    GroupKey global = GroupKey.of("", Tags.EMPTY);
    Attribute annotation =
        new Attribute(global, "annotation", T + 1, new Value.Text("{\"startTime\":1356998400001}"));
    try (TsdbTables own = new TsdbTables(salted)) {
      own.write(salted, annotation);
      own.write(salted, global, T, new Value.Int64(1));

      assertThat(own.dump())
          .hasSize(1)
          .first()
          .asString()
          .startsWith("tsdb t 00" + "000000" + "50e22700" + " 0100000001 ");
      assertThat(own.read(salted)).isEmpty();
      assertThat(own.attributes).containsExactly(annotation);
      assertThat(own.refusals).extracting(Refusal::rule).containsExactly("opentsdb.metric");
    }
  }

  @ParameterizedTest
  @CsvSource({"auto, 1000, 060001", "auto, 1001, 06000003e9", "milliseconds, 1000, 06000003e8"})
  void writesAHistogramRaw(String form, long offset, String qualifier) {
    Attribute histogram =
        new Attribute(KEY, "histogram", T + offset, new Value.Raw(Bytes.fromHex("000001")));
    tables.write(OpenTsdbLayout.of(Map.of("time", form)), histogram);

    assertThat(tables.dump()).contains("tsdb t " + HandMadeRow.KEY + " " + qualifier + " 000001");
    tables.read(layout);
    assertThat(tables.attributes).containsExactly(histogram);
  }

  @Test
  void refusesAttributesThatHaveNoPlace() {
    refusesAttribute("unit", T, new Value.Text("s"), "attribute 'unit': a row of OpenTSDB holds");
    refusesAttribute("annotation", null, new Value.Text("{}"), "'annotation' has no time");
    refusesAttribute("annotation", 0L, new Value.Text("{}"), "time 0 ms");
    refusesAttribute("annotation", T, new Value.Int64(1), "its value is a JSON text");
    refusesAttribute("annotation", T, new Value.Text("{\"a\":\"\uD83D\"}"), "a JSON text in UTF-8");
    refusesAttribute("annotation", T, new Value.Text("deploy"), "character 0: '{' expected");
    refusesAttribute(
        "annotation", T, new Value.Text("{}"), "its tsuid is 'null', the row's is '0000");
    refusesAttribute(
        "annotation",
        T,
        new Value.Text("{\"tsuid\":\"000001000001000001\"}"),
        "its startTime is missing, it must be its time, 1356998400000 ms");
    refusesAttribute(
        "annotation",
        T,
        new Value.Text("{\"tsuid\":\"000001000001000001\",\"startTime\":1356998401}"),
        "its startTime is 1356998401, it must be its time, 1356998400000 ms");
    refusesAttribute("histogram", T, new Value.Text("x"), "its value is the bytes of its codec");
    refusesAttribute("rollup", T, new Value.Text("{}"), "attribute 'rollup'");
    refusesAttribute("rollup.sum", T, new Value.Text("{}"), "its value is two bytes of interval");
    refusesAttribute("rollup.sum", T, raw("00"), "its value is two bytes of interval");
    refusesAttribute("rollup.sum", T + 1000, raw("005007"), "its time a whole hour");
    refusesAttribute(
        "rollup.sum", T, raw("0051" + "07"), "a value of 1 bytes, the qualifier says 2");
    refusesAttribute("rollup.6", T, raw("005007"), "with aggregator 6 it reads as something else");
    for (String aggregator : List.of("", "007", "128", "s-m", "1a", "\u00E9")) {
      refusesAttribute(
          "rollup." + aggregator, T, raw("005007"), "aggregator '" + aggregator + "' is neither");
    }
  }

  private static Value raw(String hex) {
    return new Value.Raw(Bytes.fromHex(hex));
  }

  @ParameterizedTest
  @CsvSource({"0, 005007, 00", "sum, 00510102, 73756d3a", "1, 005007, 01", "5, 000007, 05"})
  void keepsARollup(String aggregator, String raw, String prefix) {
    Attribute rollup = new Attribute(KEY, "rollup." + aggregator, T, raw(raw));
    tables.write(layout, rollup);

    assertThat(tables.cells(OpenTsdbLayout.DATA).qualifier(0).hex())
        .isEqualTo(prefix + raw.substring(0, 4));
    assertThat(tables.read(layout)).isEmpty();
    assertThat(tables.attributes).containsExactly(rollup);
  }

  private void refusesAttribute(String name, @Nullable Long time, Value value, String message) {
    assertThatThrownBy(() -> tables.write(layout, new Attribute(KEY, name, time, value)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\":[1,-0.5e+3,{\"b\":\"\\u00e9\\n\"},[],true,false,null]}|''",
        "{\"a\":01}|character 6: '}' expected, there is '1'",
        "{\"a\":1,}|character 7: '\"' expected, there is '}'",
        "{\"a\":\"\\x\"}|character 7: an escape expected",
        "{\"a\":\"\\u00g0\"}|character 10: four hexadecimal digits expected",
        "{\"a|character 3: a string without control characters expected, there is the end",
        "{\"a\":.5}|character 5: a value expected",
        "{\"a\":nul}|character 5: a value expected",
        "{} {}|character 3: the end expected",
        "{\"startTime\":1.5}|character 13: a whole number from 1 on expected",
        "{\"startTime\":0}|character 13: a whole number from 1 on expected",
        "{\"startTime\":-18446742716711151}|character 13: a whole number from 1 on expected",
      })
  void readsNothingButJson(String text, String flaw) {
    if (flaw.isEmpty()) {
      assertThat(AnnotationJson.parse(text)).isEqualTo(new AnnotationJson(null, null));
    } else {
      assertThatThrownBy(() -> AnnotationJson.parse(text)).hasMessageContaining(flaw);
    }
  }
}
