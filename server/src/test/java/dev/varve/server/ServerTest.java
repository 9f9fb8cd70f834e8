package dev.varve.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.error.InvalidConfigException;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.http.HttpLimits;
import dev.varve.server.queries.QueryOptions;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole server over sockets, on stores in memory. */
class ServerTest {
  private static final String QUERY = "{\"start_absolute\":0,\"metrics\":[{\"name\":\"%s\"}]}";

  private static String values(TestServer server, String dataset, String metric) {
    String body =
        server
            .post("/datasets/" + dataset + "/api/v1/datapoints/query", QUERY.formatted(metric))
            .body();
    int from = body.indexOf("\"values\":");
    return from < 0 ? body : body.substring(from + 9, body.indexOf("}", from));
  }

  @ParameterizedTest
  @ValueSource(strings = {"heroic", "kairosdb", "opentsdb"})
  void givesBackWhatAgentsSendInEveryLayout(String layout, @TempDir Path directory)
      throws IOException {
    try (TestServer server = new TestServer(directory, null, layout)) {
      HttpResponse<String> answer =
          server.post(
              "/api/v1/datapoints",
              """
              [{"name":"cpu.idle","tags":{"host":"a"},"datapoints":[[1700000000000,0],[1700000010000,1.5]]}]
              """);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
      assertThat(answer.headers().firstValue("X-Varve-Coerced"))
          .isEqualTo(layout.equals("heroic") ? Optional.of("int64-to-double=1") : Optional.empty());
      try (Socket socket = server.connect()) {
        socket
            .getOutputStream()
            .write(
                "put cpu.user 1700000000 7 host=a\r\nput cpu.user 1700000010 7.25 host=a\nversion\n"
                    .getBytes(UTF_8));
        BufferedReader in =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
        assertThat(in.readLine()).startsWith("net.opentsdb");
      }
      assertThat(values(server, layout, "cpu.idle"))
          .isEqualTo("[[1700000000000,0],[1700000010000,1.5]]");
      assertThat(values(server, layout, "cpu.user"))
          .isEqualTo("[[1700000000000,7],[1700000010000,7.25]]");
    }
  }

  /** The missing part of a line may be half of its value. */
  @Test
  void aLineThatIsCutOffIsRefused(@TempDir Path directory) throws IOException {
    try (TestServer server = new TestServer(directory, null, "buckets");
        Socket socket = server.connect()) {
      socket.setSoTimeout(10_000);
      socket
          .getOutputStream()
          .write("put whole 1700000000 12 a=b\nput half 1700000000 12 a=b".getBytes(UTF_8));
      socket.shutdownOutput();
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .isEqualTo("error: the connection ends in the middle of a line\n");
      assertThat(values(server, "buckets", "whole")).isEqualTo("[[1700000000000,12]]");
      assertThat(values(server, "buckets", "half")).isEqualTo("[]");
    }
  }

  @Test
  void storesIntegersOfThePointFormAsDoublesWhereALayoutHoldsNothingElse(@TempDir Path directory)
      throws IOException {
    try (TestServer server = new TestServer(directory, null, "heroic")) {
      String points =
          """
          {"metric":"m","tags":{"a":"b"},"time":1,"value":5}
          {"metric":"m","tags":{"a":"b"},"time":2,"value":9007199254740993}
          {"metric":"m","tags":{"a":"b"},"time":3,"value":0.5}
          """;
      HttpResponse<String> answer = server.post("/varve/v1/points?integers=any", points);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body())
          .contains("\"accepted\":2,\"refused\":1")
          .contains("no double is equal to the integer 9007199254740993");
      assertThat(server.get("/varve/v1/query?selector=m&from=0&to=10").body())
          .contains("[[1,5.0],[3,0.5]]");
      assertThat(
              server
                  .post("/varve/v1/explain/points?integers=any", points.lines().findFirst().get())
                  .body())
          .contains("\"qualifier\"");
      assertThat(server.get("/metrics").body())
          .contains("varve_samples_coerced_total{dataset=\"heroic\",dialect=\"varve\"} 1.0");
    }
  }

  @Test
  void compactsRowsAndSaysWhatItCameTo(@TempDir Path directory) throws IOException {
    try (TestServer server = new TestServer(directory, null, "opentsdb", "heroic")) {
      server.post(
          "/varve/v1/points",
          """
          {"metric":"m","tags":{"a":"b"},"time":1000,"value":5}
          {"metric":"m","tags":{"a":"b"},"time":2000,"value":0.5}
          """);
      String query = "/varve/v1/query?selector=m&from=0&to=10000";
      String before = server.get(query).body();
      assertThat(before).contains("[[1000,5],[2000,0.5]]");

      HttpResponse<String> answer = server.post("/varve/v1/compact", "selector=m");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body().lines().toList().getLast())
          .isEqualTo(
              "{\"rows\":1,\"compacted\":1,\"written\":1,\"deleted\":2,\"damaged\":0,\"damages\":[]}");
      assertThat(server.get(query).body()).isEqualTo(before);
      assertThat(server.post("/varve/v1/compact", "selector=m&every=1m").statusCode())
          .isEqualTo(400);
      HttpResponse<String> refused =
          server.send(
              server
                  .request("/varve/v1/compact")
                  .header("X-Varve-Dataset", "heroic")
                  .POST(HttpRequest.BodyPublishers.ofString("selector=m")));
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("no layout of dataset 'heroic' has compacted rows");
      for (String spelling : List.of("/v1/compact", "/datasets/heroic/varve/v1/compact")) {
        assertThat(server.post(spelling, "selector=m").statusCode()).as(spelling).isEqualTo(404);
      }
    }
  }

  @Test
  void refusesIntegersThatNoDoubleEqualsAndThoseWhoseSenderInsists(@TempDir Path directory)
      throws IOException {
    try (TestServer server = new TestServer(directory, null, "heroic")) {
      HttpResponse<String> inexact =
          server.post(
              "/api/v1/datapoints",
              """
              {"name":"m","tags":{"a":"b"},"datapoints":[[1,9007199254740993],[2,4]]}
              """);
      assertThat(inexact.statusCode()).isEqualTo(400);
      assertThat(inexact.body()).contains("no double is equal to the integer 9007199254740993");
      HttpResponse<String> insists =
          server.post(
              "/api/v1/datapoints",
              """
              {"name":"m","tags":{"a":"b"},"datapoints":[[3,5,"long"],[4,6]]}
              """);
      assertThat(insists.statusCode()).isEqualTo(400);
      assertThat(values(server, "heroic", "m")).isEqualTo("[[2,4],[4,6]]");
      String metrics = server.get("/metrics").body();
      assertThat(metrics)
          .contains("varve_samples_coerced_total{dataset=\"heroic\",dialect=\"kairosdb\"} 2.0")
          .contains("rule=\"coercion.inexact\"} 1.0");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      textBlock =
          """
          {"tags":{"a":"b"},"timestamp":1,"value":2}; metric[0].name may not be null.
          {"name":"","tags":{"a":"b"},"timestamp":1,"value":2}; metric[0].name may not be empty.
          {"name":"x","tags":{"a":"b"},"value":2}; metric[0](name=x).timestamp may not be null.
          {"name":"x","tags":{"a":"b"},"timestamp":1,"value":""}; metric[0](name=x).value may not be empty.
          {"name":"x","timestamp":1,"value":2}; metric[0](name=x).tags count must be greater than or equal to 1.
          {"name":"x","tags":{"":"b"},"timestamp":1,"value":2}; metric[0](name=x).tag[0].name may not be empty.
          {"name":"x","tags":{"host":""},"timestamp":1,"value":2}; metric[0](name=x).tag[host].value may not be empty.
          {"name":"x","tags":{"a":"b"},"datapoints":[[1,""]]}; metric[0](name=x).datapoints[0].value may not be empty.
          {"name":"x","tags":{"a":"b"},"datapoints":[[1,null]]}; metric[0](name=x).datapoints[0].value may not be empty.
          {"name":"x","tags":{"a":"b"},"datapoints":[[1]]}; metric[0](name=x).datapoints[0].value cannot be null or empty.
          {"name":"x","tags":{"a":"b"},"datapoints":[[null,1]]}; metric[0](name=x).datapoints[0].timestamp may not be null.
          {"name":"x","tags":{"a":"b"},"datapoints":[[1,{}]]}; metric[0](name=x) value is an invalid type
          {"name":"x","tags":{"a":"b"},"timestamp":1,"value":1e400}; metric[0](name=x) value is too large for a double
          {"name":"x","tags":{"a":"b"},"datapoints":[[1,-1e400,"double"]]}; metric[0](name=x) value is too large for a double
          {"name":"x","tags":{"a":"b"},"timestamp":1,"value":"a\\ud800"}; metric[0](name=x) value has an unpaired surrogate (\\\\ud800 to \\\\udfff)
          {"name":"x","tags":{"a":"b"},"timestamp":1,"value":2,"type":"blob"}; Unregistered data point type 'blob'
          ~~; Invalid json. No content due to end of input.
          [] []; Invalid json: something follows its end, and several metrics are an array.
          [{"name":"x"; Invalid json. No content due to end of input.
          "x"; Invalid start of json.
          """)
  void saysWhatIsWrongWithAPointAndKeepsTheGoodOnes(
      String body, String message, @TempDir Path directory) throws IOException {
    try (TestServer server = new TestServer(directory, null, "kairosdb")) {
      HttpResponse<String> alone = server.post("/api/v1/datapoints", body);
      assertThat(alone.statusCode()).isEqualTo(400);
      assertThat(alone.body()).isEqualTo("{\"errors\":[\"" + message + "\"]}");
      if (body.startsWith("{")) {
        String good = "{\"name\":\"good\",\"tags\":{\"a\":\"b\"},\"timestamp\":1,\"value\":2}";
        HttpResponse<String> both =
            server.post("/api/v1/datapoints", "[" + good + "," + body + "]");
        assertThat(both.statusCode()).isEqualTo(400);
        assertThat(values(server, "kairosdb", "good")).isEqualTo("[[1,2]]");
      }
    }
  }

  @Test
  void takesEveryFormOfPoints(@TempDir Path directory) throws IOException {
    try (TestServer server = new TestServer(directory, null, "kairosdb")) {
      String body =
          """
          [{"name":"m","tags":{"a":1},"time":5,"timestamp":4,"value":1,"datapoints":[[6,"2"],[7,"3.5"],
             [8,"text"],[9,true],[10,1.9,"long"],[11,2,"double"],[12,3,"string"],["13","4"]],"unknown":[{}]}]
          """;
      ByteArrayOutputStream zipped = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
        gzip.write(body.getBytes(UTF_8));
      }
      HttpResponse<String> answer =
          server.send(
              server
                  .request("/kairosdb/api/v1/datapoints")
                  .header("Content-Type", "application/gzip")
                  .POST(HttpRequest.BodyPublishers.ofByteArray(zipped.toByteArray())));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
      String result = server.post("/api/v1/datapoints/query", QUERY.formatted("m")).body();
      assertThat(result)
          .contains("[[5,1],[6,2],[7,3.5],[10,1],[11,2],[13,4]]")
          .contains("[[8,\"text\"],[9,\"true\"],[12,\"3\"]]")
          .contains("\"sample_size\":9");
    }
  }

  @Test
  void keepsPointsWithATtlAndSaysThatItIsNotHeeded(@TempDir Path directory) throws IOException {
    try (TestServer server = new TestServer(directory, null, "kairosdb")) {
      HttpResponse<String> answer =
          server.post(
              "/api/v1/datapoints",
              """
              [{"name":"m","tags":{"a":"b"},"ttl":60,"timestamp":1,"value":2,"datapoints":[[2,3]]},
               {"name":"m","tags":{"a":"b"},"ttl":0,"timestamp":3,"value":4}]
              """);
      assertThat(answer.statusCode()).isEqualTo(204);
      assertThat(answer.headers().firstValue("X-Varve-Ttl-Ignored")).contains("2");
      assertThat(values(server, "kairosdb", "m")).isEqualTo("[[1,2],[2,3],[3,4]]");
      assertThat(server.get("/metrics").body())
          .contains(
              "varve_samples_ttl_ignored_total{dataset=\"kairosdb\",dialect=\"kairosdb\"} 2.0");
      for (String bad : List.of("-5", "\"soon\"", "1.5", "{}")) {
        HttpResponse<String> refused =
            server.post(
                "/api/v1/datapoints",
                "{\"name\":\"x\",\"tags\":{\"a\":\"b\"},\"ttl\":%s,\"timestamp\":1,\"value\":2}"
                    .formatted(bad));
        assertThat(refused.statusCode()).as(bad).isEqualTo(400);
        assertThat(refused.body()).contains("metric[0](name=x).ttl '", "is no number of seconds");
      }
    }
  }

  @Test
  void keepsTypesApartAtOneInstant(@TempDir Path directory) throws IOException {
    try (TestServer server = new TestServer(directory, null, "kairosdb")) {
      assertThat(
              server
                  .post(
                      "/api/v1/datapoints",
                      """
                      {"name":"m","tags":{"a":"b"},"datapoints":[[1,2],[1,1.5],[1,"x"]]}
                      """)
                  .statusCode())
          .isEqualTo(204);
      assertThat(server.post("/api/v1/datapoints/query", QUERY.formatted("m")).body())
          .contains("[[1,1.5],[1,2]]")
          .contains("[[1,\"x\"]]");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "heroic", "opentsdb"})
  void ofOneInstantTheLaterPointWinsWhoeverNamedItsType(String layout, @TempDir Path directory)
      throws IOException {
    try (TestServer server = new TestServer(directory, null, layout)) {
      String body =
          """
          {"name":"m","tags":{"a":"b"},"datapoints":[[1,5.5],[1,6.5,"double"],[2,6.5,"double"],[2,5.5]]}
          """;
      assertThat(server.post("/api/v1/datapoints", body).statusCode()).isEqualTo(204);
      assertThat(values(server, layout, "m")).isEqualTo("[[1,6.5],[2,5.5]]");
    }
  }

  @Test
  void answersTelnetOnlyWhereSomethingIsWrong(@TempDir Path directory) throws IOException {
    try (TestServer server = new TestServer(directory, null, "opentsdb");
        Socket socket = server.connect()) {
      socket.setSoTimeout(10_000);
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      socket
          .getOutputStream()
          .write(
              ("put good 1700000000 1 a=b\n"
                      + "put bad 1700000000 x a=b\n"
                      + "put bad 1700000000 1\n"
                      + "nonsense here\n"
                      + "put refused 1700000000 1 a=b%c\n"
                      + "x".repeat(20_000)
                      + "\nhelp\nput good 1700000001123 2 a=b\n"
                      + "putm good 1700000002123 3 a=b\nputm early 1700000000 4 a=b\nputm bad x 1 a=b\nputm\nexit\n")
                  .getBytes(UTF_8));
      String all = String.join("\n", in.lines().toList());
      assertThat(all)
          .contains("put: invalid value: Invalid character 'x' in x")
          .contains("put: illegal argument: not enough arguments (need least 4, got 3)")
          .contains("unknown command: nonsense.  Try `help'.")
          .contains("line is longer than 16384 bytes")
          .contains("available commands: dropcaches exit help")
          .contains("putm: illegal argument: time 'x'")
          .contains("putm: illegal argument: expected metric, time, value and at least one")
          .contains("put: illegal argument: refused");
      assertThat(values(server, "opentsdb", "good"))
          .isEqualTo("[[1700000000000,1],[1700000001123,2],[1700000002123,3]]");
      assertThat(values(server, "opentsdb", "early")).isEqualTo("[[1700000000,4]]");
    }
  }

  @Test
  void tellsItsHealthAndItsNames(@TempDir Path directory) throws IOException {
    try (TestServer server = new TestServer(directory, null, "kairosdb", "heroic")) {
      assertThat(server.get("/-/healthy").statusCode()).isEqualTo(200);
      assertThat(server.get("/-/ready").body()).isEqualTo("ready\n");
      assertThat(server.get("/api/v1/health/check").statusCode()).isEqualTo(204);
      assertThat(server.get("/api/v1/health/status").body())
          .isEqualTo("[\"JVM-Thread-Deadlock: OK\",\"Datastore-Query: OK\"]");
      assertThat(server.get("/api/v1/version").body()).contains("KairosDB 1.3.0");
      for (String name : List.of("b.one", "a", "b.two")) {
        server.post(
            "/api/v1/datapoints",
            "{\"name\":\"%s\",\"tags\":{\"a\":\"b\"},\"timestamp\":1,\"value\":2}".formatted(name));
      }
      assertThat(server.get("/api/v1/metricnames").body())
          .isEqualTo("{\"results\":[\"a\",\"b.one\",\"b.two\"]}");
      assertThat(server.get("/api/v1/metricnames?prefix=b.").body())
          .isEqualTo("{\"results\":[\"b.one\",\"b.two\"]}");
      assertThat(server.get("/datasets/heroic/api/v1/metricnames").body())
          .isEqualTo("{\"results\":[]}");
      HttpResponse<String> unknown = server.get("/datasets/nowhere/api/v1/metricnames");
      assertThat(unknown.statusCode()).isEqualTo(404);
      assertThat(unknown.body()).contains("there is no dataset 'nowhere'", "errors");
      server.stopListening();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"heroic", "kairosdb", "opentsdb"})
  void holdsItsOwnMetricsSoonAfterItsStart(String layout, @TempDir Path directory)
      throws IOException {
    try (TestServer server = new TestServer(directory, Duration.ofMillis(200), layout)) {
      server.get("/-/healthy");
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> values(server, layout, "jvm_memory_used_bytes").contains("["));
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> values(server, layout, "varve_http_requests_total").startsWith("[["));
      assertThat(server.get("/metrics").body())
          .contains("varve_samples_accepted_total{dataset=\"" + layout + "\",dialect=\"self\"}")
          .doesNotContain("varve_samples_refused_total{dataset=\"" + layout);
    }
  }

  @Test
  void isNotReadyUntilItsStoresAreOpenAndRefusesWhatItCannotServe(@TempDir Path directory) {
    ServerConfig config =
        new ServerConfig(
            List.of(
                new Listener("127.0.0.1", 0, List.of("kairosdb", "graphite"), null),
                new Listener("127.0.0.1", 0, List.of("kairosdb", "kairosdb"), null)),
            HttpLimits.DEFAULTS,
            QueryOptions.DEFAULTS,
            null,
            null);
    assertThatThrownBy(() ->
            Server.start(
                config,
                () -> {
                  throw new AssertionError("not opened");
                }))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(
            "unknown dialect 'graphite'; known: kairosdb, opentsdb, prometheus, influx")
        .hasMessageContaining("POST /api/v1/datapoints is both kairosdb's and kairosdb's");
  }
}
