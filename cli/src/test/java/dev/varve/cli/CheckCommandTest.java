package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.config.VarveConfig;
import dev.varve.engine.Engine;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests {@code varve check} on intact directories and on ones with flipped bytes. */
class CheckCommandTest {
  private static final long START = 1_700_000_000_000L;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  @Test
  void saysThatNothingIsDamaged() {
    write(2);
    assertThat(run("check")).as(err.toString()).isZero();
    assertThat(out.toString()).startsWith("nothing is damaged: read ");
  }

  @Test
  void namesFileRowsSeriesAndTimesOfDamage() throws Exception {
    write(2);
    Path file = flipInLargest(0.6);
    assertThat(run("check")).as(err.toString()).isEqualTo(1);
    assertThat(out.toString())
        .contains("damage: store rocksdb: the block of ")
        .contains(String.valueOf(file.getFileName()), "table 'default.blocks', rows ")
        .containsPattern("  m\\{host=\"h\\d\"\\} from 20\\d\\d-\\d\\d-\\d\\dT")
        .contains(" damages; read ");

    out.getBuffer().setLength(0);
    assertThat(run("check", "--output", "json")).isEqualTo(1);
    List<String> lines = out.toString().lines().toList();
    assertThat(lines.getFirst())
        .startsWith("{\"severity\":\"damage\",\"place\":\"store rocksdb\",\"text\":\"the block of ")
        .contains("\"affected\":[{\"dataset\":\"default\",\"series\":\"m{host=\\\"h");
    assertThat(lines.getLast()).startsWith("{\"done\":true,").doesNotContain("\"damages\":0");
  }

  @Test
  void asksARunningServer() throws Exception {
    write(2);
    Path file = flipInLargest(0.6);
    ServerConfig config =
        new ServerConfig(
            List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
            ServerConfig.DEFAULTS.http(),
            ServerConfig.DEFAULTS.query(),
            null,
            null,
            null);
    try (Engine engine = Engine.open(config());
        Server server = Server.start(config, engine)) {
      String address = "http://127.0.0.1:" + server.ports().getFirst();
      assertThat(run("check", "--server", address)).as(err.toString()).isEqualTo(1);
      assertThat(out.toString())
          .contains(String.valueOf(file.getFileName()), "  m{host=\"h", " damages; read ");
    }
  }

  @Test
  void refusesARateThatIsNone() {
    assertThat(run("check", "--rate", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--rate");
  }

  @Test
  void repairsAndListsWhatIsLost() throws Exception {
    write(2);
    assertThat(run("check", "--repair")).as(err.toString()).isZero();
    assertThat(out.toString()).startsWith("nothing is damaged");
    long before = samples();
    Path file = flipInLargest(0.6);
    out.getBuffer().setLength(0);
    assertThat(run("check", "--repair")).as(err.toString()).isEqualTo(3);
    assertThat(out.toString())
        .contains("damage: store rocksdb: the block of ", "is lost", "a server can start")
        .contains(String.valueOf(file.getFileName()), "table 'default.blocks', rows ")
        .containsPattern("  m\\{host=\"h\\d\"\\} from 20\\d\\d-\\d\\d-\\d\\dT");
    assertThat(samples()).isBetween(before * 9 / 10, before - 1);
    try (Stream<Path> files = Files.list(folder.resolve("rocksdb"))) {
      Path kept =
          files.filter(one -> one.toString().contains("damaged-")).findFirst().orElseThrow();
      assertThat(kept.resolve(file.getFileName())).exists();
      assertThat(kept.resolve("REPORT")).content().contains("is lost", "m{host=\"h");
      assertThat(kept.resolve("REPORT.jsonl")).content().contains("\"affected\":[{");
    }
    assertThat(run("check")).as(out.toString()).isZero();
    assertThat(run("check", "--repair")).isZero();
  }

  @Test
  void repairNeedsTheServerStopped() throws Exception {
    write(1);
    try (DirectoryLock _ = DirectoryLock.take(folder)) {
      assertThat(run("check", "--repair")).isEqualTo(1);
    }
    assertThat(err.toString())
        .contains("is in use by the server of process " + ProcessHandle.current().pid(), "stop");
    assertThat(run("check", "--repair", "--server", "http://127.0.0.1:1")).isEqualTo(2);
    assertThat(run("check", "--repair", "--rate", "3")).isEqualTo(2);
  }

  private long samples() {
    ReadRequest all = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
    long samples = 0;
    try (Engine engine = Engine.open(config());
        RunCursor cursor = engine.defaultDataset().read(all)) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        samples += run.samples().size();
      }
    }
    return samples;
  }

  private EngineConfig config() {
    return VarveConfig.read(null, Map.of(), Map.of("data", folder.toString())).engine();
  }

  /**
   * Writes in several lives of the engine: each opening turns the log of the previous one into a
   * table file.
   */
  private void write(int lives) {
    Random random = new Random(5);
    for (int life = 0; life < lives; life++) {
      try (Engine engine = Engine.open(config())) {
        BatchBuilder batch = new BatchBuilder();
        for (int i = 0; i < 20_000; i++) {
          batch.add(
              GroupKey.of("m", Tags.of("host", "h" + random.nextInt(3))),
              START + 1000L * random.nextInt(10_000_000),
              new Value.Real(random.nextDouble()));
        }
        assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
      }
    }
  }

  private Path flipInLargest(double place) throws IOException {
    Path file;
    try (Stream<Path> files = Files.walk(folder)) {
      file =
          files
              .filter(one -> one.toString().endsWith(".sst"))
              .max(Comparator.comparingLong(one -> one.toFile().length()))
              .orElseThrow();
    }
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      long offset = (long) (bytes.length() * place);
      bytes.seek(offset);
      int before = bytes.read();
      bytes.seek(offset);
      bytes.write(before ^ 1);
    }
    return file;
  }

  private int run(String command, String... arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    List<String> all =
        Stream.concat(
                Stream.of(command, "--data", folder.toString(), "--no-progress"),
                Stream.of(arguments))
            .toList();
    return line.execute(all.toArray(String[]::new));
  }
}
