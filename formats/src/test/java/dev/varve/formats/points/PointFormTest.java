package dev.varve.formats.points;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

class PointFormTest {
  private static final JsonFactory JSON = new JsonFactory();

  private static String write(Point point) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      PointWriter.write(point, json);
    }
    return text.toString();
  }

  @Property
  void readsWhatItWrites(@ForAll("points") Point point) {
    assertThat(PointReader.read(write(point))).isEqualTo(point);
  }

  @Property
  void writesOneLine(@ForAll("points") Point point) {
    assertThat(write(point)).doesNotContain("\n").doesNotContain("\r");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          {"metric":"m","tags":{},"time":0,"value":1}
          {"metric":"m","tags":{"b":"2","a":"1"},"resource":{"host":"h"},"time":-1,"value":1.5}
          {"metric":"m","tags":{},"time":0,"value":"NaN"}
          {"metric":"m","tags":{},"time":0,"value":"-Infinity"}
          {"metric":"m","tags":{},"time":0,"value":{"string":"text"}}
          {"metric":"m","tags":{},"time":0,"fields":{"b":1,"a":2.0}}
          {"metric":"m","tags":{},"attribute":"unit","value":"bytes"}
          {"metric":"m","tags":{},"attribute":"unit","value":"NaN"}
          {"metric":"m","tags":{},"attribute":"limit","time":5,"value":9.5}
          {"metric":"m","tags":{},"attribute":"limit","value":{"double":"NaN"}}
          {"metric":"m","tags":{},"attribute":"sketch","value":{"hex":"00ff"}}
          """)
  void readsAndWritesTheFormOfTheDocumentation(String line) {
    String sorted = line.replace("\"b\":\"2\",\"a\":\"1\"", "\"a\":\"1\",\"b\":\"2\"");
    assertThat(write(PointReader.read(line))).isEqualTo(sorted);
  }

  @Test
  void tellsIntegersFromDoublesByPointAndExponent() {
    assertThat(value("1")).isEqualTo(new Value.Int64(1));
    assertThat(value("1.0")).isEqualTo(new Value.Real(1));
    assertThat(value("1e0")).isEqualTo(new Value.Real(1));
    assertThat(value("-0.0")).isEqualTo(new Value.Real(-0.0));
    assertThat(value("\"Infinity\"")).isEqualTo(new Value.Real(Double.POSITIVE_INFINITY));
    assertThat(value("{\"string\":\"NaN\"}")).isEqualTo(new Value.Text("NaN"));
  }

  private static Value value(String written) {
    Point point = PointReader.read("{\"metric\":\"m\",\"time\":0,\"value\":" + written + "}");
    return ((Point.Sample) point).fields().values().iterator().next();
  }

  @Test
  void takesMembersInAnyOrder() {
    assertThat(
            PointReader.read(
                "{\"value\":\"NaN\",\"attribute\":\"a\",\"tags\":{\"t\":\"v\"},\"metric\":\"m\"}"))
        .isEqualTo(
            new Point.Described(
                new Attribute(
                    GroupKey.of("m", Tags.of("t", "v")), "a", null, new Value.Text("NaN"))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          []                                             | column 1: a point is an object {"metric":...}
          {"metric":"m","time":0,"value":1}{}            | column 34: something follows the object; a line holds one
          {"time":0,"value":1}                           | column 20: the point ends without 'metric'
          {"metric":"m","value":1}                       | column 24: the point ends without 'time'
          {"metric":"m","time":0}                        | column 23: the point ends without 'value' or 'fields'
          {"metric":"m","attribute":"a"}                 | column 30: the point ends without 'value' of the attribute
          {"metric":1}                                   | column 11: 'metric' is a text
          {"metric":null}                                | column 11: 'metric' is a text
          {"metric":"m","tags":[]}                       | column 22: 'tags' is an object of names and texts
          {"metric":"m","tags":{"a":1}}                  | column 27: 'a' is a text
          {"metric":"m","resource":"h"}                  | column 26: 'resource' is an object of names and texts
          {"metric":"m","time":"0"}                      | column 22: 'time' is an integer
          {"metric":"m","time":0.5}                      | column 22: 'time' is an integer
          {"metric":"m","time":0,"value":true}           | column 32: a value is a number, "NaN", "Infinity", "-Infinity" or {"string":"..."}
          {"metric":"m","time":0,"value":null}           | column 32: a value is a number, "NaN", "Infinity", "-Infinity" or {"string":"..."}
          {"metric":"m","time":0,"value":[1]}            | column 32: a value is a number, "NaN", "Infinity", "-Infinity" or {"string":"..."}
          {"metric":"m","time":0,"value":"text"}         | column 38: 'value' is a number, "NaN", "Infinity", "-Infinity" or {"string":"..."}
          {"metric":"m","time":0,"value":{"hex":"00"}}   | column 44: 'value' is a number, "NaN", "Infinity", "-Infinity" or {"string":"..."}
          {"metric":"m","time":0,"value":1e999}          | column 32: 1e999 is too large for a double; the largest is 1.8e308
          {"metric":"m","time":0,"value":{}}             | column 33: an object is {"string":"..."}, {"hex":"..."} or {"double":"NaN"}
          {"metric":"m","time":0,"value":{"text":"a"}}   | column 33: an object is {"string":"..."}, {"hex":"..."} or {"double":"NaN"}
          {"metric":"m","time":0,"value":{"string":1}}   | column 42: 'string' is a text
          {"metric":"m","time":0,"value":{"double":"1"}} | column 42: 'double' is "NaN", "Infinity" or "-Infinity"
          {"metric":"m","time":0,"value":{"string":"a","hex":""}} | column 46: an object that is a value has one member
          {"metric":"m","attribute":"a","value":{"hex":"0"}}      | column 46: 'hex' is an even number of hexadecimal digits
          {"metric":"m","attribute":"a","value":true}    | column 39: a value is a text, a number, {"double":"NaN"} or {"hex":"..."}
          {"metric":"m","attribute":"a","fields":{"f":1}}| column 47: the attribute 'a' has 'fields'; it has a 'value'
          {"metric":"m","time":0,"value":1,"fields":{"f":2}} | column 50: the point has both 'value' and 'fields'; it has one of them
          {"metric":"m","time":0,"fields":{"f":2},"value":1} | column 50: the point has both 'value' and 'fields'; it has one of them
          {"metric":"m","time":0,"fields":{}}            | column 34: 'fields' is empty; a point has at least one
          {"metric":"m","time":0,"fields":{"f":"text"}}  | column 38: field 'f' is a number, "NaN", "Infinity", "-Infinity" or {"string":"..."}
          {"metric":"m","time":0,"fields":{"f":{"hex":""}}} | column 47: field 'f' is a number, "NaN", "Infinity", "-Infinity" or {"string":"..."}
          {"metric":"m","time":0,"valeu":1}              | column 32: unknown member 'valeu' (known: metric, tags, resource, time, value, fields, attribute)
          {"metric":"\\ud800"}                           | column 11: the text has an unpaired surrogate (\\ud800 to \\udfff)
          """)
  void saysWhereAPointIsWrongAndWhatWouldBeRight(String line, String complaint) {
    assertThatExceptionOfType(PointFormatException.class)
        .isThrownBy(() -> PointReader.read(line))
        .withMessage(complaint);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          {"metric":"m","time":0,"value":1,"value":2}                    | Duplicate .*"value"
          {"metric":"m","metric":"n","time":0,"value":1}                 | Duplicate .*"metric"
          {"metric":"m","tags":{"a":"1","a":"2"},"time":0,"value":1}     | Duplicate .*"a"
          {"metric":"m","time":0,"fields":{"f":1,"f":2}}                 | Duplicate .*"f"
          {"metric":"m","time":9223372036854775808,"value":1}            | Numeric value .* out of range of .?long.*
          {"metric":"m","time":0,"value":9223372036854775808}            | Numeric value .* out of range of .?long.*
          {"metric":"m","time":0,"value":1                               | Unexpected end-of-input.*
          {"metric":"m                                                   | Unexpected end-of-input.*
          {"metric":"m","time":0,"value":01}                             | Invalid numeric value.*
          metric=m                                                       | Unrecognized token.*
          """)
  void passesOnWhereJsonIsWrong(String line, String complaint) {
    assertThatExceptionOfType(PointFormatException.class)
        .isThrownBy(() -> PointReader.read(line))
        .satisfies(e -> assertThat(e.getMessage()).matches("(?s)column \\d+: " + complaint));
  }

  @Property
  void anyLineIsReadOrRefusedWithItsPlace(
      @ForAll("points") Point point, @ForAll("changes") List<Character> put, @ForAll double where) {
    String line = write(point);
    int at = (int) (Math.abs(Double.isFinite(where) ? where % 1 : 0) * line.length());
    StringBuilder changed = new StringBuilder(line.substring(0, at));
    put.forEach(changed::append);
    changed.append(line.substring(Math.min(line.length(), at + 2)));
    try {
      assertThat(PointReader.read(changed.toString())).isNotNull();
    } catch (PointFormatException e) {
      assertThat(e.getMessage()).matches("(?s)column \\d+: .+");
    }
  }

  @Provide
  Arbitrary<List<Character>> changes() {
    return Arbitraries.of(
            '{', '}', '[', ']', '"', '\\', ',', ':', '0', '-', '.', 'e', 'n', ' ', '\n')
        .list()
        .ofMaxSize(4);
  }

  @Provide
  Arbitrary<Point> points() {
    Arbitrary<Point> samples =
        Combinators.combine(keys(), Arbitraries.longs(), fields()).as(Point.Sample::new);
    Arbitrary<Point> attributes =
        Combinators.combine(
                keys(),
                texts(),
                Arbitraries.longs().injectNull(0.5),
                Arbitraries.oneOf(values(), raw()))
            .as(Attribute::new)
            .map(Point.Described::new);
    return Arbitraries.oneOf(samples, attributes);
  }

  private static Arbitrary<GroupKey> keys() {
    return Combinators.combine(texts(), tags(), tags()).as(GroupKey::new);
  }

  private static Arbitrary<Tags> tags() {
    return Arbitraries.maps(texts(), texts()).ofMaxSize(3).map(Tags::of);
  }

  private static Arbitrary<Map<String, Value>> fields() {
    Arbitrary<String> names = Arbitraries.oneOf(Arbitraries.just("value"), texts());
    return Arbitraries.maps(names, values()).ofMinSize(1).ofMaxSize(3);
  }

  private static Arbitrary<Value> values() {
    Arbitrary<Double> doubles =
        Arbitraries.oneOf(
            Arbitraries.doubles(),
            Arbitraries.longs().map(Double::longBitsToDouble),
            Arbitraries.of(
                Double.NaN,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY,
                -0.0,
                Double.MIN_VALUE,
                1e16));
    return Arbitraries.oneOf(
        Arbitraries.longs().map(Value.Int64::new),
        doubles.map(Value.Real::new),
        texts().map(Value.Text::new));
  }

  private static Arbitrary<Value> raw() {
    return Arbitraries.bytes()
        .array(byte[].class)
        .ofMaxSize(5)
        .map(b -> new Value.Raw(Bytes.of(b)));
  }

  private static Arbitrary<String> texts() {
    Arbitrary<String> telling =
        Arbitraries.of(
            "",
            "NaN",
            "Infinity",
            "value",
            "string",
            "hex",
            "a\"b\\c",
            "\n\r\t\u0000",
            "ü\uD83D\uDE00");
    return Arbitraries.oneOf(
        telling, Arbitraries.strings().ofMaxLength(6).filter(PointFormTest::isWhole));
  }

  private static boolean isWhole(String text) {
    return text.codePoints()
        .noneMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
  }
}
