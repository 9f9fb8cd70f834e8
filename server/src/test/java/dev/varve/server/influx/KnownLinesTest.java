package dev.varve.server.influx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.write.SampleBatch;
import dev.varve.formats.text.InfluxLines;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.server.TestServer;
import dev.varve.server.ingest.IngestListener;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.KnownKeys;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Lines of known series, which are read without decoding their tags in blocks, mean what they mean
 * in a layout of cells, which always decodes them.
 */
@TestInstance(Lifecycle.PER_CLASS)
class KnownLinesTest {
  private static final long START = 1_700_000_000L;
  private static final Selector CPU = Selector.metric("cpu");
  private static final List<String> VALUES =
      List.of(
          "1",
          "1.5",
          "-0",
          "-2.25",
          "0.1",
          "123456789012345",
          "1234567890.12345",
          "5.",
          ".5",
          "1e3",
          "3i",
          "-7i",
          "0i",
          "9223372036854775807i",
          "4u",
          "t",
          "false",
          "\"text\"",
          "12345678901234567.25",
          "bad",
          "9223372036854775808i");
  private static final List<String> KEYS =
      List.of(
          "cpu,host=a",
          "cpu,host=b",
          "cpu,host=a,core=1",
          "cpu\\ load,host=c",
          "mem",
          "disk,host=ä");

  private final Random random = new Random(11);
  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "blocks", "buckets");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void meanTheSameAsLinesThatAreDecoded() {
    for (int request = 0; request < 150; request++) {
      StringBuilder lines = new StringBuilder();
      for (int line = random.nextInt(12); line >= 0; line--) {
        line(request, lines);
      }
      int expected = write("/datasets/buckets", lines.toString());
      assertThat(write("/datasets/blocks", lines.toString()))
          .as(lines.toString())
          .isEqualTo(expected);
      if (request % 10 == 0) {
        assertThat(all("/datasets/blocks"))
            .as(lines.toString())
            .isEqualTo(all("/datasets/buckets"));
      }
    }
    assertThat(all("/datasets/blocks"))
        .contains("\"host\":\"a\"")
        .isEqualTo(all("/datasets/buckets"));
  }

  /**
   * A key with so few fields that all handles are kept is cached no more; one with more fields is,
   * since its lines ask for it again.
   */
  @Test
  void leaveTheKeyToWritersOnlyWhileTheyAskForIt(@TempDir Path directory) throws IOException {
    try (TestServer own = new TestServer(directory, null, "blocks")) {
      for (int round = 0; round < 3; round++) {
        write(own, fields("few", 0, 3, START + round));
      }
      assertThat(cachedKeys(own)).as("all handles are kept").isZero();
      for (int round = 0; round < 3; round++) {
        String lines = fields("many", 0, 60, START + round) + fields("many", 60, 80, START + round);
        write(own, lines);
      }
      assertThat(cachedKeys(own)).as("more fields than handles that are kept").isOne();
    }
  }

  /**
   * The delete removes the series after the line was found to be of a known one: before its first
   * sample or, since every 1024th sample announces memory, between the two.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1023})
  void areStoredIfADeleteRemovesTheirSeriesMeanwhile(int before, @TempDir Path directory) {
    EngineConfig config =
        new EngineConfig(
            directory, 64 << 20, List.of(TestServer.dataset("blocks", "memory")), "blocks");
    AtomicReference<@Nullable Runnable> meanwhile = new AtomicReference<>();
    try (Engine engine = Engine.open(config)) {
      Dataset dataset = engine.defaultDataset();
      Intake intake = new Intake(dataset, "influx", IngestListener.NONE);
      SampleBatch samples =
          Objects.requireNonNull(
              dataset.newSamples(bytes -> {
                intake.memory().hold(bytes);
                Runnable once = meanwhile.getAndSet(null);
                if (once != null) {
                  once.run();
                }
              }));
      BatchBuilder batch = intake.newBatch();
      InfluxLines format =
          new InfluxLines(Resolution.SECONDS, dataset.resolution(), () -> START, false);
      KnownLines known = new KnownLines(intake, new KnownKeys(1 << 20), format, samples, batch);
      BodyLines body = new BodyLines(format, known, batch, new BadLines(), intake.memory());
      take(body, "cpu,host=a f=1,g=2 " + START);
      take(body, "mem,host=a f=1 " + START);
      known.write();
      for (int i = 1; i <= before; i++) {
        take(body, "mem,host=a f=1 " + (START + i));
      }
      meanwhile.set(() -> delete(dataset));
      take(body, "cpu,host=a f=3,g=4 " + (START + 1));
      assertThat(meanwhile.get()).as("the series was removed").isNull();
      known.write();
      known.release();

      assertThat(intake.accepted()).isEqualTo(3 + before + 2);
      assertThat(samplesOf(dataset, Selector.metric("mem"))).isEqualTo(1 + before);
      assertThat(samplesOf(dataset, CPU)).as("of the line").isEqualTo(2);
    }
  }

  private static void take(BodyLines body, String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    body.take(bytes, 0, bytes.length, true, 1);
  }

  private static void delete(Dataset dataset) {
    try {
      Deletion deletion = dataset.deletes().begin(CPU, TimeRange.ALL);
      assertThat(deletion.await(Duration.ofSeconds(20))).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static int samplesOf(Dataset dataset, Selector selector) {
    int samples = 0;
    try (RunCursor cursor = dataset.read(ReadRequest.of(selector, TimeRange.ALL))) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        samples += run.samples().size();
      }
    }
    return samples;
  }

  private static void write(TestServer server, String lines) {
    HttpResponse<String> answer =
        server.send(
            server
                .request("/datasets/blocks/write?precision=s")
                .POST(BodyPublishers.ofString(lines)));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  private static String fields(String measurement, int from, int to, long time) {
    return IntStream.range(from, to)
        .mapToObj(field -> "f%02d=%d".formatted(field, field))
        .collect(Collectors.joining(",", measurement + ",host=a ", " " + time + "\n"));
  }

  private static double cachedKeys(TestServer server) {
    String name = "varve_write_keys_cached{dataset=\"blocks\"} ";
    return server
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  private void line(int request, StringBuilder into) {
    into.append(KEYS.get(random.nextInt(KEYS.size()))).append(' ');
    int fields = 1 + random.nextInt(3);
    for (int field = 0; field < fields; field++) {
      String value = VALUES.get(random.nextInt(random.nextInt(4) == 0 ? VALUES.size() : 12));
      into.append(field == 0 ? "" : ",").append((char) ('f' + random.nextInt(3)));
      into.append('=').append(value);
    }
    // Times repeat within and between requests, and some are far from all others.
    long time = START + (random.nextInt(40) == 0 ? 40L * 86_400 : request / 3 + random.nextInt(4));
    into.append(' ').append(time).append(random.nextInt(30) == 0 ? "x" : "");
    into.append(random.nextInt(20) == 0 ? "\r\n" : "\n");
  }

  private int write(String dataset, String lines) {
    HttpResponse<String> answer =
        server.send(
            server.request(dataset + "/write?precision=s").POST(BodyPublishers.ofString(lines)));
    return answer.statusCode();
  }

  private String all(String dataset) {
    String query = URLEncoder.encode("{__name__=~\".+\"}[100d]", StandardCharsets.UTF_8);
    long end = START + 50L * 86_400;
    return server.get(dataset + "/api/v1/query?time=" + end + "&query=" + query).body();
  }
}
