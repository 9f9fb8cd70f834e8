package dev.varve.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.server.queries.QueryOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers of {@code /-/ready}, writes and reads after a file of the store was damaged. */
class ReadyTest {
  @TempDir private Path directory;

  @Test
  void isNotReadyOnceACompactionMetADamagedBlock() throws Exception {
    Random random = new Random(7);
    for (int life = 0; life < 4; life++) {
      try (TestServer server = start()) {
        assertThat(server.get("/-/ready").statusCode()).isEqualTo(200);
        assertThat(server.post("/varve/v1/points", points(random)).statusCode()).isEqualTo(200);
      }
    }
    Path file = largestTableFile();
    flip(file, Files.size(file) * 6 / 10);

    // Opening creates the fourth file, which makes RocksDB compact.
    try (TestServer server = start()) {
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> server.get("/-/ready").statusCode() == 503);
      HttpResponse<String> ready = server.get("/-/ready");
      assertThat(ready.body())
          .startsWith("dataset 'buckets' takes no writes: ")
          .contains(String.valueOf(file.getFileName()), "varve check --repair");
      assertThat(server.get("/-/ready?dataset=buckets").statusCode()).isEqualTo(503);
      assertThat(server.get("/-/ready?dataset=other").statusCode()).isEqualTo(404);
      assertThat(server.get("/-/healthy").statusCode()).isEqualTo(200);

      HttpResponse<String> write = server.post("/varve/v1/points", points(random));
      assertThat(write.statusCode()).isEqualTo(503);
      assertThat(write.body()).contains(String.valueOf(file.getFileName()), "varve check");

      HttpResponse<String> read = server.get("/varve/v1/query?selector=m&from=0");
      assertThat(read.statusCode()).isEqualTo(500);
      assertThat(read.body())
          .contains(String.valueOf(file.getFileName()), "table 'buckets.", "varve check");
      assertThat(server.get("/api/v1/status/damage").body())
          .contains(String.valueOf(file.getFileName()), "table_file");
    }
  }

  private TestServer start() throws IOException {
    return TestServer.start(directory, "rocksdb", QueryOptions.DEFAULTS);
  }

  private static String points(Random random) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 10_000; i++) {
      lines
          .append("{\"metric\":\"m\",\"tags\":{\"host\":\"h")
          .append(random.nextInt(3))
          .append("\"},\"time\":")
          .append(1_700_000_000_000L + 1000L * random.nextInt(10_000_000))
          .append(",\"value\":")
          .append(random.nextDouble())
          .append("}\n");
    }
    return lines.toString();
  }

  private Path largestTableFile() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> tables = files.filter(file -> file.toString().endsWith(".sst")).toList();
      return tables.stream()
          .max(Comparator.comparingLong(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  private static void flip(Path file, long offset) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(offset);
      int before = bytes.read();
      bytes.seek(offset);
      bytes.write(before ^ 1);
    }
  }
}
