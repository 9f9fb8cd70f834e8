package dev.varve.formats.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.formats.text.BadLineException;
import dev.varve.formats.text.LineFormat;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests which samples the formats can hold and read back. */
class ExportFormatTest {
  private static final Series PLAIN =
      GroupKey.of("m_total", Tags.of("host", "a\"b\\c\nd")).field(Series.DEFAULT_FIELD);
  private static final Series ODD =
      new GroupKey("a metric, with", Tags.of("t", "x,y"), Tags.of("site", "s")).field("f");

  @Test
  void jsonIsThatOfVictoriaMetrics() throws IOException {
    assertThat(written(ExportFormat.json, Resolution.MILLISECONDS, 2, doubles()))
        .isEqualTo(
            """
            {"metric":{"__name__":"m_total","host":"a\\"b\\\\c\\nd"},"values":[1.5,2],"timestamps":[1000,2000]}
            {"metric":{"__name__":"m_total","host":"a\\"b\\\\c\\nd"},"values":[null,null],"timestamps":[3000,4000]}
            {"metric":{"__name__":"m_total","host":"a\\"b\\\\c\\nd"},"values":["Infinity","-Infinity"],"timestamps":[5000,6001]}
            """);
  }

  @Test
  void openMetricsHasSecondsAndAnEnd() throws IOException {
    assertThat(written(ExportFormat.openmetrics, Resolution.MILLISECONDS, 1, doubles()))
        .isEqualTo(
            """
            m_total{host="a\\"b\\\\c\\nd"} 1.5 1
            m_total{host="a\\"b\\\\c\\nd"} 2 2
            m_total{host="a\\"b\\\\c\\nd"} NaN 4
            m_total{host="a\\"b\\\\c\\nd"} +Inf 5
            m_total{host="a\\"b\\\\c\\nd"} -Inf 6.001
            # EOF
            """);
    Samples one = new Samples(Kind.INT64);
    one.add(-1, 7, 0);
    StringWriter out = new StringWriter();
    ExportWriter writer = ExportFormat.openmetrics.to(out, Resolution.NANOSECONDS, 1);
    writer.write(ODD, one, 0, 1);
    writer.finish();
    assertThat(out.toString())
        .isEqualTo(
            "{\"a metric, with\",t=\"x,y\",site=\"s\",__field__=\"f\"} 7 -0.000000001\n# EOF\n");
  }

  @Test
  void formatsSayWhatTheyLeaveOut() throws IOException {
    Samples texts = new Samples(Kind.STRING);
    byte[] text = "line\nbreak, \"x\"".getBytes(StandardCharsets.UTF_8);
    texts.add(1, text, 0, text.length, 0);
    for (ExportFormat format : ExportFormat.values()) {
      StringWriter out = new StringWriter();
      ExportWriter writer = format.to(out, Resolution.MILLISECONDS, 10);
      writer.write(ODD, texts, 0, 1);
      writer.write(PLAIN, doubles(), 0, 6);
      writer.finish();
      assertThat(writer.leftOut())
          .isEqualTo(
              switch (format) {
                case json -> 1;
                case csv -> 0;
                case openmetrics -> 2;
              });
    }
  }

  @Test
  void csvReadsBackWhateverItIs() throws IOException {
    StringWriter out = new StringWriter();
    ExportWriter writer = ExportFormat.csv.to(out, Resolution.MICROSECONDS, 1);
    BatchBuilder expected = new BatchBuilder();
    Samples texts = new Samples(Kind.STRING);
    byte[] text = "line\nbreak, \"x\"".getBytes(StandardCharsets.UTF_8);
    texts.add(-5, text, 0, text.length, 0);
    Samples integers = new Samples(Kind.INT64);
    integers.add(7, Long.MAX_VALUE, 0);
    writer.write(ODD, texts, 0, 1);
    writer.write(ODD, integers, 0, 1);
    writer.write(PLAIN, doubles(), 0, 6);
    writer.finish();
    expected.group(ODD.key()).add("f", -5000, text);
    expected.group(ODD.key()).add("f", 7000, Long.MAX_VALUE);
    for (int i = 0; i < 6; i++) {
      expected
          .group(PLAIN.key())
          .add(Series.DEFAULT_FIELD, doubles().time(i) * 1000, doubles().doubleAt(i));
    }
    assertThat(shown(read(new CsvRows(Resolution.NANOSECONDS), out.toString())))
        .isEqualTo(shown(expected.build()));
    assertThatThrownBy(() -> read(new CsvRows(Resolution.SECONDS), "time,value\n"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("metric,tags,resource,field,kind,time_ms,value");
  }

  @Test
  void csvSaysWhatItLeavesOut() throws IOException {
    StringWriter out = new StringWriter();
    ExportWriter writer = ExportFormat.csv.to(out, Resolution.MILLISECONDS, 4);
    writer.write(PLAIN, doubles(), 0, 1);
    writer.write(
        GroupKey.of("two\nlines", Tags.EMPTY).field(Series.DEFAULT_FIELD), doubles(), 0, 6);
    writer.finish();
    assertThat(writer.leftOut()).isEqualTo(6);
    assertThat(out.toString())
        .endsWith(
            "\n# 6 samples are left out: the name of their metric or field has a line break\n");
    CsvRows rows = new CsvRows(Resolution.MILLISECONDS);
    assertThat(read(rows, out.toString()).sampleCount()).isEqualTo(1);
    assertThat(rows.leftOut()).isEqualTo(6);
  }

  @Test
  void jsonReadsBackWhatItHolds() throws IOException {
    StringWriter out = new StringWriter();
    ExportWriter writer = ExportFormat.json.to(out, Resolution.MILLISECONDS, 4);
    writer.write(PLAIN, doubles(), 0, 6);
    Samples integers = new Samples(Kind.INT64);
    integers.add(8000, Long.MAX_VALUE, 0);
    integers.add(9000, 3, 0);
    writer.write(PLAIN, integers, 0, 2);
    writer.finish();
    BatchBuilder expected = new BatchBuilder();
    BatchBuilder.GroupBuilder group = expected.group(PLAIN.key());
    for (int i = 0; i < 6; i++) {
      double value = doubles().doubleAt(i);
      group.add(
          Series.DEFAULT_FIELD, doubles().time(i), Double.isNaN(value) ? StaleMarker.VALUE : value);
    }
    group.add(Series.DEFAULT_FIELD, 8000, Long.MAX_VALUE);
    group.add(Series.DEFAULT_FIELD, 9000, 3.0);
    assertThat(shown(read(lines(), out.toString()))).isEqualTo(shown(expected.build()));
  }

  @Test
  void badLinesSayWhatIsWrong() {
    for (Map.Entry<String, String> bad :
        Map.of(
                "[]",
                "no JSON object",
                "{\"metric\":{},\"values\":[],\"timestamps\":[]}",
                "has no \"__name__\"",
                "{\"metric\":{\"__name__\":\"m\"},\"values\":[1],\"timestamps\":[]}",
                "there are 1 values and 0 timestamps",
                "{\"metric\":{\"__name__\":\"m\"},\"values\":[\"x\"],\"timestamps\":[1]}",
                "'x' is no number",
                "{\"metric\":{\"__name__\":1}",
                "label '__name__' is no string",
                "{\"metric\":{\"__name__\":\"m\"},\"values\":[1],\"timestamps\":[1.5]}",
                "array of milliseconds",
                "{\"metric\":",
                "not JSON")
            .entrySet()) {
      assertThatThrownBy(() -> read(lines(), bad.getKey()))
          .isInstanceOf(BadLineException.class)
          .hasMessageContaining(bad.getValue());
    }
  }

  private static VictoriaMetricsLines lines() {
    return new VictoriaMetricsLines(Resolution.MILLISECONDS, Map.of());
  }

  private static Samples doubles() {
    Samples samples = new Samples(Kind.DOUBLE);
    samples.add(1000, 1.5, 0);
    samples.add(2000, 2.0, 0);
    samples.add(3000, StaleMarker.VALUE, 0);
    samples.add(4000, Double.NaN, 0);
    samples.add(5000, Double.POSITIVE_INFINITY, 0);
    samples.add(6001, Double.NEGATIVE_INFINITY, 0);
    return samples;
  }

  private static String written(
      ExportFormat format, Resolution resolution, int rows, Samples samples) throws IOException {
    StringWriter out = new StringWriter();
    ExportWriter writer = format.to(out, resolution, rows);
    writer.write(PLAIN, samples, 0, samples.size());
    writer.finish();
    return out.toString();
  }

  private static Batch read(LineFormat format, String text) {
    BatchBuilder batch = new BatchBuilder();
    for (String line : text.lines().toList()) {
      byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
      format.read(bytes, 0, bytes.length, batch);
    }
    return batch.build();
  }

  /** Returns all samples as text, in order, with the bits of doubles. */
  private static List<String> shown(Batch batch) {
    List<String> samples = new ArrayList<>();
    for (SampleGroup group : batch.groups()) {
      for (Column column : group.columns()) {
        for (int i = 0; i < group.size(); i++) {
          if (column.has(i)) {
            samples.add(
                "%s#%s at %d: %s"
                    .formatted(group.key(), column.field(), group.times()[i], value(column, i)));
          }
        }
      }
    }
    return samples;
  }

  private static String value(Column column, int index) {
    return switch (column) {
      case Column.Doubles(String _, double[] values, long[] _) ->
          Long.toHexString(Double.doubleToRawLongBits(values[index]));
      case Column.Longs(String _, long[] values, long[] _) -> Long.toString(values[index]);
      case Column.Texts texts ->
          new String(
              texts.bytes(),
              texts.start(index),
              texts.end(index) - texts.start(index),
              StandardCharsets.UTF_8);
    };
  }
}
