package dev.varve.server.varve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fills over HTTP. */
class FillsTest {
  private static final String FILL = "/varve/v1/fill";
  private static final String HEADER = "metric,tags,resource,field,kind,time_ms,value\n";
  private static final String TWO =
      HEADER + "m,,,value,int64,1700000000000,1\nm,,,value,int64,1700000001000,2\n";

  private TestServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "heroic");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void takesWhatIsMissingAndTellsWhatDiffers() {
    assertThat(fill("?dry-run=true&integers=any", TWO).body())
        .contains("\"accepted\":0", "\"samples\":2,\"missing\":2,\"other\":0");
    assertThat(
            server
                .post("/varve/v1/points", "{\"metric\":\"m\",\"time\":1700000000000,\"value\":1.5}")
                .statusCode())
        .isEqualTo(200);
    assertThat(fill("?integers=any", TWO).body())
        .contains("\"accepted\":1,\"refused\":0,\"refusedByDataset\":0,\"dropped\":0,\"coerced\":2")
        .contains("\"day\":19675,\"samples\":2,\"missing\":0,\"other\":1");
    assertThat(fill("", TWO).body())
        .contains("\"accepted\":0,\"refused\":0", "\"samples\":2,\"missing\":0,\"other\":2");
    assertThat(fill("", HEADER + "m,,,value,string,1700000009000,\"\"\"x\"\"\"\n").body())
        .contains("\"accepted\":0,\"refused\":1,\"refusedByDataset\":1")
        .contains("\"reasons\":[\"m");
  }

  @Test
  void refusesWhatItCannotRead() {
    HttpResponse<String> bad = fill("", HEADER + "m,,,value,int64,1700000000000\n");
    assertThat(bad.statusCode()).isEqualTo(400);
    assertThat(bad.body()).contains("line 2: the line has 6 columns, an export has 7");
    assertThat(fill("", "time,value\n1,2\n").statusCode()).isEqualTo(400);
    StringBuilder many = new StringBuilder(HEADER);
    IntStream.rangeClosed(0, Fills.SAMPLES_MAX)
        .forEach(i -> many.append("m,,,value,double,%d,1.5%n".formatted(1_700_000_000_000L + i)));
    assertThat(fill("", many.toString()).body()).contains("a request fills at most 16,384 samples");
    assertThat(fill("?dry-run=true", TWO).body()).contains("\"missing\":2");
  }

  private HttpResponse<String> fill(String parameters, String body) {
    return server.post(FILL + parameters, body);
  }
}
