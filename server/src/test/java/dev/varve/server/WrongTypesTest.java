package dev.varve.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Replaces every value in a valid request of each dialect with values of other types. The client
 * must get an answer or an error that names the problem, never an internal error.
 */
class WrongTypesTest {
  private static final JsonFactory JSON = new JsonFactory();

  /** Replacements for a value, as JSON. */
  private static final List<String> VALUES =
      List.of(
          "null",
          "true",
          "\"\"",
          "\"x\"",
          "\"12\"",
          "\"1.5\"",
          "\"NaN\"",
          "0",
          "-1",
          "1.5",
          "1e3",
          "1e400",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775808",
          "123456789012345678901234567890",
          "[]",
          "[null]",
          "[[]]",
          "[1,2]",
          "[\"a\"]",
          "[{}]",
          "{}",
          "{\"a\":1}",
          "{\"a\":{\"a\":[]}}",
          "{\"\":null}");

  /** Replacements for a parameter. */
  private static final List<String> PARAMETERS =
      List.of(
          "",
          " ",
          "x",
          "-1",
          "0",
          "1.5",
          "1e400",
          "NaN",
          "Inf",
          "9223372036854775808",
          "{}",
          "[]",
          "m{",
          "m[5m]",
          "1y1y",
          "a,b",
          "\u0000",
          "é\ud83d\ude00",
          "%",
          "null",
          "true",
          "2026-13-45",
          "999999999y",
          "regex:(",
          "-9223372036854775808");

  @TempDir static @Nullable Path directory;

  private static @Nullable TestServer server;

  private static TestServer server() {
    return Objects.requireNonNull(server);
  }

  @BeforeAll
  static void start() throws IOException {
    server =
        new TestServer(
            Objects.requireNonNull(directory), null, "buckets", "kairosdb", "opentsdb", "heroic");
  }

  @AfterAll
  static void stop() {
    server().close();
  }

  /** A valid body. */
  record Valid(String path, String body, boolean serverErrors) {
    @Override
    public String toString() {
      return path;
    }
  }

  static List<Valid> bodies() {
    String points =
        """
        [{"name":"m","tags":{"host":"a"},"timestamp":1700000000000,"value":1.5,"ttl":60,
        "type":"double","skip_validate":false,
        "datapoints":[[1700000000001,1],[1700000000002,"x","string"]]}]\
        """;
    String query =
        """
        {"start_absolute":1,"end_relative":{"value":1,"unit":"days"},"time_zone":"UTC",
        "cache_time":0,"plugins":[],"metrics":[{"name":"m","tags":{"host":["a","regex:b.*"]},
        "limit":10,"order":"asc","exclude_tags":false,"plugins":[],
        "group_by":[{"name":"tag","tags":["host"]},{"name":"time","range_size":
        {"value":1,"unit":"hours"},"group_count":24},{"name":"value","range_size":10},
        {"name":"bin","bins":[1,2.5]}],
        "aggregators":[{"name":"sum","sampling":{"value":1,"unit":"hours"},"align_sampling":true,
        "align_start_time":true,"align_end_time":false,"trim":false,"start_time":1,"end_time":9,
        "time_zone":"Europe/Berlin"},{"name":"percentile","percentile":0.5},{"name":"dev",
        "return_type":"value","dev_count":1},{"name":"rate","unit":"hours","sampling":
        {"value":1,"unit":"hours"}},{"name":"sampler","unit":"hours"},{"name":"div","divisor":2},
        {"name":"scale","factor":2},{"name":"sma","size":2},{"name":"trim","trim":"both"},
        {"name":"filter","filter_op":"lt","threshold":5},{"name":"score","thresholds":
        [{"value":1,"boundary":"superior"}],"order":"ascending"},{"name":"gaps","sampling":
        {"value":1,"unit":"years"}}]}]}\
        """;
    String put =
        "[{\"metric\":\"m\",\"timestamp\":1700000000,\"value\":1.5,\"tags\":{\"host\":\"a\"}}]";
    String otlp =
        """
        {"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":
        {"stringValue":"s"}},{"key":"l","value":{"arrayValue":{"values":[{"intValue":"1"}]}}},
        {"key":"k","value":{"kvlistValue":{"values":[{"key":"a","value":{"boolValue":true}}]}}}]},
        "scopeMetrics":[{"scope":{"name":"n","version":"1"},"metrics":[
        {"name":"g","unit":"s","description":"d","gauge":{"dataPoints":[{"timeUnixNano":
        "1700000000000000000","startTimeUnixNano":"1","asDouble":1.5,"flags":0,"attributes":
        [{"key":"a","value":{"stringValue":"b"}}]}]}},
        {"name":"s","sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":
        [{"timeUnixNano":"1700000000000000000","asInt":"4"}]}},
        {"name":"h","histogram":{"aggregationTemporality":2,"dataPoints":[{"timeUnixNano":
        "1700000000000000000","count":"3","sum":4.5,"bucketCounts":["1","2"],
        "explicitBounds":[1]}]}},
        {"name":"e","exponentialHistogram":{"aggregationTemporality":2,"dataPoints":
        [{"timeUnixNano":"1700000000000000000","count":"1","sum":1,"scale":1,"zeroCount":"0",
        "positive":{"offset":1,"bucketCounts":["1"]}}]}},
        {"name":"q","summary":{"dataPoints":[{"timeUnixNano":"1700000000000000000","count":"1",
        "sum":1,"quantileValues":[{"quantile":0.5,"value":1}]}]}}]}]}]}\
        """;
    String line =
        "{\"metric\":\"m\",\"tags\":{\"host\":\"a\"},\"resource\":{\"r\":\"s\"},"
            + "\"field\":\"f\",\"time\":1700000000000,\"value\":1.5}";
    String heroicWrite =
        """
        [{"series":{"key":"m","tags":{"host":"a"},"resource":{"pod":"p"}},
        "data":{"type":"points","data":[[1700000000000,1.5]]}},
        {"data":{"type":"distributionPoints","data":[{"timestamp":1700000000000,"value":""}]},
        "series":{"key":"m","tags":{}}}]\
        """;
    String heroicQuery =
        """
        {"aggregation":{"type":"chain","chain":[{"type":"group","of":["host"],"each":
        [{"type":"quantile","size":"1m","extent":60000,"q":0.5,"error":0.1},
        {"type":"cardinality","sampling":{"unit":"minutes","value":1,"extent":2},
        "method":{"type":"hll","includeKey":true}}]},{"type":"topk","k":3},
        {"type":"abovek","k":1.5},{"type":"pointsabove","threshold":1},{"type":"collapse","of":
        ["host"],"each":{"type":"group-unique","size":{"duration":1,"unit":"minutes"}}},
        {"type":"opts","sampling":{"size":"1m"},"aggregation":{"type":"spread"}}]},
        "source":"points","range":{"type":"relative","unit":"DAYS","value":1},
        "filter":["or",["and",["key","m"],["not",["=","host","b"]]],["^","host","a"],
        ["~","host","a"],["+","host"],["q","host = a"],{"type":"matchTag","tag":"a","value":"b"}],
        "options":{"bucketStrategy":"end","tracing":true,"dataLimit":9,"aggregationLimit":9000,
        "groupLimit":9,"seriesLimit":9,"failOnLimits":false},
        "features":["com.spotify.heroic.shift_range"],"key":"m","tags":{"host":"a"}}\
        """;
    String heroicBatch =
        """
        {"queries":{"a":{"query":"sum(1m)"},"b":{"aggregators":[{"type":"sum","size":"1h"}]}},
        "range":{"type":"absolute","start":1699999000000,"end":1700001000000}}\
        """;
    String heroicMetadata =
        """
        {"filter":["true"],"range":{"type":"relative","value":100},"limit":3,"groupLimit":2,
        "exclude":["x"],"key":"h","value":"a"}\
        """;
    return List.of(
        new Valid("/datasets/heroic/heroic/write", heroicWrite, false),
        new Valid("/heroic/query/metrics", heroicQuery, false),
        new Valid("/datasets/heroic/heroic/query/batch", heroicBatch, false),
        new Valid("/heroic/metadata/tag-values-suggest", heroicMetadata, false),
        new Valid("/heroic/metadata/tag-suggest", heroicMetadata, false),
        new Valid("/datasets/kairosdb/api/v1/datapoints", points, true),
        new Valid("/datasets/kairosdb/api/v1/datapoints/query", query, true),
        new Valid("/datasets/kairosdb/api/v1/datapoints/query/tags", query, true),
        new Valid("/api/v1/datapoints", points, true),
        new Valid("/api/v1/datapoints/query", query, true),
        new Valid("/datasets/opentsdb/api/put?details", put, false),
        new Valid("/api/put?summary", put, false),
        new Valid("/v1/metrics", otlp, false),
        new Valid("/varve/v1/points", line, false),
        new Valid("/varve/v1/explain/points", line, false));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void bodiesCauseNoInternalError(Valid valid) {
    List<String> wrong = new ArrayList<>();
    for (String body : mutations(valid.body())) {
      HttpResponse<String> answer =
          server()
              .send(
                  server()
                      .request(valid.path())
                      .header("Content-Type", "application/json")
                      .header("X-Client-Id", "test")
                      .POST(BodyPublishers.ofString(body)));
      // KairosDB answers some of these with 500, and its clients may depend on that.
      if (answer.body().contains("internal error")
          || (answer.statusCode() >= 500 && !valid.serverErrors())) {
        wrong.add(answer.statusCode() + " " + answer.body() + " to " + body);
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static List<String> mutations(String body) {
    Object tree;
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), body)) {
      json.nextToken();
      tree = read(json);
    }
    int values = count(tree);
    List<String> mutations = new ArrayList<>();
    for (int place = 0; place < values; place++) {
      for (String value : VALUES) {
        mutations.add(print(tree, place, value));
      }
    }
    return mutations;
  }

  /** A number or a literal, as written. */
  private record Raw(String text) {}

  private static Object read(JsonParser json) {
    return switch (json.currentToken()) {
      case START_OBJECT -> {
        Map<String, Object> object = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String name = json.currentName();
          json.nextToken();
          object.put(name, read(json));
        }
        yield object;
      }
      case START_ARRAY -> {
        List<Object> array = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          array.add(read(json));
        }
        yield array;
      }
      case VALUE_STRING -> json.getString();
      default -> new Raw(json.getString());
    };
  }

  private static int count(Object tree) {
    int inside =
        switch (tree) {
          case Map<?, ?> map -> map.values().stream().mapToInt(WrongTypesTest::count).sum();
          case List<?> list -> list.stream().mapToInt(WrongTypesTest::count).sum();
          default -> 0;
        };
    return 1 + inside;
  }

  /** Prints the tree with one value replaced; places are counted in document order. */
  private static String print(Object tree, int place, String value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      print(json, tree, place, value);
    }
    return text.toString();
  }

  private static int print(JsonGenerator json, Object tree, int place, String value) {
    if (place == 0) {
      json.writeRawValue(value);
      return -1;
    }
    int left = place - 1;
    switch (tree) {
      case Map<?, ?> map -> {
        json.writeStartObject();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          json.writeName((String) entry.getKey());
          left = print(json, Objects.requireNonNull(entry.getValue()), left, value);
        }
        json.writeEndObject();
      }
      case List<?> list -> {
        json.writeStartArray();
        for (Object one : list) {
          left = print(json, one, left, value);
        }
        json.writeEndArray();
      }
      case String string -> json.writeString(string);
      default -> json.writeRawValue(((Raw) tree).text());
    }
    return left;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /api/v1/query        | query=m&time=1700000000&timeout=5s&limit=3&lookback_delta=5m
          /api/v1/query_range  | query=m&start=1700000000&end=1700000060&step=15&timeout=5s&limit=3
          /api/v1/series       | match[]=m&start=1700000000&end=1700000060&limit=3
          /api/v1/labels       | match[]=m&start=1700000000&end=1700000060&limit=3
          /api/v1/format_query | query=m
          /api/v1/parse_query  | query=m
          /varve/v1/query      | selector=m&from=1&to=2&every=1d&zone=UTC&limit=1&by=host&fn=sum
          /varve/v1/explain    | selector=m&from=1&to=2&every=1d&zone=UTC&limit=1&analyze=true
          /varve/v1/compact    | from=1&to=2
          """)
  void formsCauseNoInternalError(String path, String form) {
    List<String> wrong = new ArrayList<>();
    String[] parameters = form.split("&", -1);
    for (int i = 0; i < parameters.length; i++) {
      for (String value : PARAMETERS) {
        String[] changed = parameters.clone();
        String name = changed[i].substring(0, changed[i].indexOf('='));
        changed[i] = name + "=" + URLEncoder.encode(value, UTF_8);
        String body = String.join("&", changed);
        HttpResponse<String> answer =
            server()
                .send(
                    server()
                        .request(path)
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(BodyPublishers.ofString(body)));
        // A timeout of 0 expires, in Prometheus too.
        if (answer.statusCode() >= 500 && !answer.body().contains("\"errorType\":\"timeout\"")) {
          wrong.add(answer.statusCode() + " " + answer.body() + " to " + body);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /write?db=d&precision=ms        | cpu,host=a value=1.5,n=2i,t="x",b=true 1700000000000
          /api/v2/write?org=o&bucket=b    | cpu,host=a value=1.5,n=2i,t="x",b=true 1700000000000
          /api/v1/import/prometheus       | cpu{host="a"} 1.5 1700000000000
          /metrics/job/j                  | # TYPE cpu counter
          """)
  void linesCauseNoInternalError(String path, String line) {
    List<String> wrong = new ArrayList<>();
    for (int from = 0; from < line.length(); from++) {
      for (String value : PARAMETERS) {
        String body = line.substring(0, from) + value + line.substring(from + 1) + "\n";
        HttpResponse<String> answer = server().post(path, body);
        if (answer.statusCode() >= 500) {
          wrong.add(answer.statusCode() + " " + answer.body() + " to " + body);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void replacesEveryValueOnce() {
    assertThat(mutations("{\"a\":[1,\"x\"]}"))
        .hasSize(4 * VALUES.size())
        .contains("null", "{\"a\":null}", "{\"a\":[null,\"x\"]}", "{\"a\":[1,null]}");
  }
}
