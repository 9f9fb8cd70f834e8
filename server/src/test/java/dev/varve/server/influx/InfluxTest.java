package dev.varve.server.influx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** What Telegraf and the client libraries of both versions send. */
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

  /** Whoever may write a text is not to write lines. */
  @Test
  void takesNoLinesOutOfATextThatHoldsALineEnd() {
    String lines =
        "log,host=a msg=\"x\nforged,host=a value=1 1700000000\nend\" 1700000000\nreal,host=a value=3 1700000000\n";
    HttpResponse<String> answer = write("/write?precision=s", lines);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("unable to parse 3 lines");
    assertThat(value("", "forged", 1_700_000_000)).contains("\"result\":[]");
    assertThat(value("", "real", 1_700_000_000)).contains("\"3\"");
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
