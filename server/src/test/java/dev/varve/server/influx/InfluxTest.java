package dev.varve.server.influx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Requests of Telegraf and the client libraries of both versions. */
@TestInstance(Lifecycle.PER_CLASS)
class InfluxTest {
  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets", "heroic");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private HttpResponse<String> write(String path, String lines) {
    return server.send(server.request(path).POST(BodyPublishers.ofString(lines)));
  }

  private String value(String path, String query, long time) {
    return server.get(path + "/api/v1/query?time=" + time + "&query=" + query).body();
  }

  @Test
  void answersWhatAgentsAskFirst() {
    HttpResponse<String> ping = server.get("/ping");
    assertThat(ping.statusCode()).isEqualTo(204);
    assertThat(ping.headers().firstValue("X-Influxdb-Version")).hasValue("1.8.10");
    HttpResponse<String> verbose = server.get("/ping?verbose=true");
    assertThat(verbose.statusCode()).isEqualTo(200);
    assertThat(verbose.body()).isEqualTo("{\"version\":\"1.8.10\"}");
    assertThat(server.get("/ping?verbose=false").statusCode()).isEqualTo(204);
    assertThat(server.get("/health").body()).contains("\"status\":\"pass\"");
    assertThat(write("/query?q=CREATE%20DATABASE%20%22telegraf%22", "").body())
        .isEqualTo("{\"results\":[{\"statement_id\":0}]}");
    assertThat(server.get("/query?q=show+databases").body())
        .contains("\"values\":[[\"buckets\"],[\"heroic\"]]");
    HttpResponse<String> other = server.get("/query?q=SELECT%20*%20FROM%20cpu");
    assertThat(other.statusCode()).isEqualTo(400);
    assertThat(other.body()).contains("InfluxQL is not spoken here");
  }

  @Test
  void namesItselfInAllAnswersAndTheErrorInThoseThatAreOne() {
    for (HttpResponse<String> answer :
        List.of(
            server.get("/health"),
            write("/write?precision=s", "named,host=a value=1 1700000000"),
            write("/write?precision=s", "nämed,host=a value=x 1700000000"),
            write("/write?precision=d", "x value=1"))) {
      assertThat(answer.headers().firstValue("X-Influxdb-Version")).hasValue("1.8.10");
      assertThat(answer.headers().firstValue("X-Influxdb-Build")).hasValue("OSS");
      assertThat(answer.headers().firstValue("X-Influxdb-Error").isPresent())
          .isEqualTo(answer.statusCode() >= 400);
    }
    assertThat(write("/write", "m text=ä").headers().firstValue("X-Influxdb-Error").orElseThrow())
        .startsWith("partial write: unable to parse 1 lines: line 1: ")
        .matches("[ -~]+");
    HttpResponse<String> large = write("/write", "bad " + "x".repeat(5_000) + "\n");
    assertThat(large.headers().firstValue("X-Influxdb-Error").orElseThrow())
        .hasSizeLessThanOrEqualTo(1024);
  }

  @Test
  void keepsWhatCameBeforeALineThatIsTooLong() {
    HttpResponse<String> answer =
        write(
            "/write?precision=s",
            "before,host=a value=6 1700000000\nlong,host=a value=\""
                + "x".repeat(1 << 20)
                + "\"\n");
    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(value("", "before", 1_700_000_000)).contains("\"6\"");
  }

  /** The last line of a truncated body is incomplete. */
  @Test
  void keepsWhatCameBeforeABodyBrokeOff() throws IOException {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(zipped)) {
      for (int i = 0; i < 5_000; i++) {
        out.write("cut,host=a value=%d %d\n".formatted(i, 1_700_000_000 + i).getBytes(UTF_8));
      }
    }
    byte[] half = Arrays.copyOf(zipped.toByteArray(), zipped.size() / 2);
    HttpResponse<String> answer =
        server.send(
            server
                .request("/write?precision=s")
                .header("Content-Encoding", "gzip")
                .POST(BodyPublishers.ofByteArray(half)));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(value("", "cut", 1_700_000_000)).contains("\"0\"");
  }

  @Test
  void takesLinesOfTheFirstVersion() {
    String lines =
        "cpu,host=a value=1.5,idle=90i 1700000000000000000\n# a comment\n\ncpu,host=b value=2 1700000000000000000\n";
    HttpResponse<String> answer = write("/write?db=telegraf", lines);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(value("", "sum(cpu)", 1_700_000_001)).contains("\"93.5\"");
    assertThat(write("/influx/write?precision=h", "hours,host=a value=7 472222").statusCode())
        .isEqualTo(204);
    assertThat(value("", "hours", 472_222L * 3600)).contains("\"7\"");
  }

  @Test
  void takesLinesOfTheSecondVersionIntoTheDatasetThatIsNamed() {
    HttpResponse<String> answer =
        write("/api/v2/write?org=o&bucket=heroic&precision=s", "mem,host=a used=4.5 1700000000");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(value("/datasets/heroic", "mem_used", 1_700_000_000)).contains("\"4.5\"");
  }

  /** Permission to write a text must not imply permission to write lines. */
  @Test
  void takesATextThatHoldsLineEndsAndNoLinesOutOfIt() {
    String lines =
        "log,host=a value=\"x \\\"\nforged,host=a value=1 1700000000\n\nend\",level=3,more=\"y\nz\" 1700000000\nreal,host=a value=3 1700000000\n";
    HttpResponse<String> answer = write("/write?precision=s", lines);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(text("log")).contains("x \\\"\\nforged,host=a value=1 1700000000\\n\\nend");
    assertThat(value("", "forged", 1_700_000_000)).contains("\"result\":[]");
    assertThat(value("", "log", 1_700_000_000)).contains("\"3\"");
    assertThat(value("", "real", 1_700_000_000)).contains("\"3\"");
  }

  private String text(String metric) {
    return server
        .post(
            "/api/v1/datapoints/query",
            "{\"start_absolute\":1,\"metrics\":[{\"name\":\"%s\"}]}".formatted(metric))
        .body();
  }

  @Test
  void refusesAllLinesOfATextThatNothingEnds() {
    String lines =
        "open,host=a msg=\"x 1700000000\nwithin,host=a value=1 1700000000\nopen,host=a msg=\"y\" 1700000000\n";
    HttpResponse<String> answer = write("/write?precision=s", lines);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains("unable to parse 3 lines: line 1: the text ")
        .contains(
            "has no closing quote; line 2: goes on with the text that a line before has opened");
    assertThat(value("", "within", 1_700_000_000)).contains("\"result\":[]");
    String wrongAfter =
        "open,host=a msg=\"x 1700000000\nwithin,host=a value=1 1700000000\nopen msg=\"y 1700000000\nbehind,host=a value=2 1700000000\n";
    assertThat(write("/write?precision=s", wrongAfter).body()).contains("unable to parse 3 lines");
    assertThat(value("", "within", 1_700_000_000)).contains("\"result\":[]");
    assertThat(value("", "behind", 1_700_000_000)).contains("\"2\"");
  }

  @Test
  void holdsNoMoreOfATextThanOfALine() {
    StringBuilder lines = new StringBuilder("huge,host=a msg=\"x\n");
    for (int i = 0; i < 1_100; i++) {
      lines.append("y".repeat(1_000)).append('\n');
    }
    lines.append("end\" 1700000000\nafter,host=a value=4 1700000000\n");
    HttpResponse<String> answer = write("/write?precision=s", lines.toString());
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains("unable to parse 1,102 lines: line 1: its text is longer than 1,048,576 bytes");
    assertThat(value("", "after", 1_700_000_000)).contains("\"4\"");
  }

  @Test
  void keepsGoodLinesAndNamesBadOnes() {
    HttpResponse<String> answer =
        write("/write?precision=s", "good,host=a value=1 1700000000\nbad line here\n");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains("\"code\":\"invalid\"")
        .contains("partial write: unable to parse 1 lines: line 2: ")
        .contains("1 values written");
    assertThat(value("", "good", 1_700_000_000)).contains("\"1\"");
    assertThat(write("/write?precision=d", "x value=1").body()).contains("invalid precision 'd'");
  }
}
