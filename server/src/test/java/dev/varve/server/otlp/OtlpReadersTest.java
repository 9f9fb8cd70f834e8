package dev.varve.server.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.otlp.OtlpMetric.HistogramPoint;
import dev.varve.server.otlp.OtlpMetric.SummaryPoint;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Both encodings of a request are read as the same content. */
class OtlpReadersTest {
  /** Records what a reader finds, as text. */
  private static final class RecordingSink implements OtlpSink {
    private final List<String> found = new ArrayList<>();

    @Override
    public void resource(Map<String, String> attributes) {
      found.add("resource " + new TreeMap<>(attributes));
    }

    @Override
    public void metric(OtlpMetric metric) {
      found.add(
          switch (metric.points()) {
            case OtlpMetric.Histogram histogram ->
                metric.name()
                    + metric.unit()
                    + metric.description()
                    + histogram.temporality()
                    + histogram.points().stream().map(RecordingSink::words).toList();
            case OtlpMetric.Summary summary ->
                metric.name() + summary.points().stream().map(RecordingSink::words).toList();
            case null -> metric.name() + " without points";
            default -> metric.toString();
          });
    }

    private static String words(HistogramPoint point) {
      return "%s %d %d %d %s %s %s %d"
          .formatted(
              point.attributes(),
              point.startNanos(),
              point.timeNanos(),
              point.count(),
              point.sum(),
              Arrays.toString(point.bucketCounts()),
              Arrays.toString(point.bounds()),
              point.flags());
    }

    private static String words(SummaryPoint point) {
      return "%s %d %d %s %s %s %d"
          .formatted(
              point.attributes(),
              point.timeNanos(),
              point.count(),
              point.sum(),
              Arrays.toString(point.quantiles()),
              Arrays.toString(point.values()),
              point.flags());
    }

    @Override
    public void endOfResource() {
      found.add("end");
    }
  }

  private static List<String> json(String text) {
    RecordingSink sink = new RecordingSink();
    new OtlpJson(sink, WriteBudget.unlimited())
        .read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    return sink.found;
  }

  private static List<String> protobuf(byte[] bytes) throws IOException {
    RecordingSink sink = new RecordingSink();
    new OtlpProtobuf(sink, WriteBudget.unlimited()).read(new ByteArrayInputStream(bytes));
    return sink.found;
  }

  /** Returns JSON and the bytes that Google's library wrote for it. */
  private static List<String[]> requests() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(OtlpReadersTest.class.getResourceAsStream("/otlp/requests.tsv"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split("\t", 2))
          .toList();
    }
  }

  @Test
  void bothReadTheSame() throws IOException {
    List<String[]> requests = requests();
    assertThat(requests).hasSize(40);
    for (String[] request : requests) {
      assertThat(json(request[0]))
          .as(request[0])
          .hasSize(4)
          .isEqualTo(protobuf(HexFormat.of().parseHex(request[1])));
    }
  }

  @Test
  void whateverBytesComeTheyAreReadOrRefused() throws IOException {
    Random random = new Random(3);
    for (String[] request : requests()) {
      byte[] bytes = HexFormat.of().parseHex(request[1]);
      for (int i = 0; i < 200; i++) {
        byte[] damaged = Arrays.copyOf(bytes, random.nextInt(bytes.length) + 1);
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
        try {
          assertThat(protobuf(damaged)).isNotNull();
        } catch (MalformedMessageException e) {
          assertThat(e).hasMessageMatching(".+");
        }
      }
    }
  }

  @Test
  void readsWhatJsonLeavesOpen() {
    List<String> read =
        json(
            """
            {"resourceMetrics":[{"scopeMetrics":[{"metrics":[
              {"name":"n","sum":{"aggregationTemporality":"AGGREGATION_TEMPORALITY_DELTA","dataPoints":[
                {"timeUnixNano":1700000000000000000,"asInt":7,"flags":null,"unheard":[{"of":1}]},
                {"timeUnixNano":"18446744073709551615","asDouble":"1.5e3"}]}},
              {"name":"none","gauge":null},
              {"name":"x","exponentialHistogram":{"dataPoints":[{"scale":3},{}]}}]}],
              "resource":{"attributes":[{"key":"a","value":{"intValue":5}},{"key":"a","value":{"stringValue":"later"}}]}}]}
            """);
    assertThat(read).hasSize(5);
    assertThat(read.getFirst()).isEqualTo("resource {a=5}");
    assertThat(read.get(1))
        .contains("temporality=DELTA, monotonic=false")
        .contains("timeNanos=1700000000000000000, value=7.0")
        .contains("timeNanos=-1, value=1500.0");
    assertThat(read.get(3)).contains("Exponential[count=2]");
  }

  @Test
  void saysWhatIsWrongWithJson() {
    refused("no JSON object", "[]");
    refused("'resourceMetrics' is not a list (line 1", "{\"resourceMetrics\":5}");
    refused("line 2", "{\"resourceMetrics\":\n[}");
    refused("something follows", "{} {}");
    refused("no JSON object", "");
    refused(
        "'x' is not an integer of 64 bits",
        "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"gauge\":{\"dataPoints\":[{\"asInt\":\"x\"}]}}]}]}]}");
    String deep = "{\"arrayValue\":{\"values\":[".repeat(100);
    refused(
        "nested deeper than",
        "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":\"a\",\"value\":" + deep);
    refused("nesting depth", "{\"a\":" + "[".repeat(100_000));
  }

  private static void refused(String message, String text) {
    assertThatThrownBy(() -> json(text))
        .isInstanceOf(MalformedMessageException.class)
        .hasMessageContaining(message);
  }
}
