package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.config.VarveConfig;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.EngineConfig;
import dev.varve.engine.ReadRequest;
import dev.varve.engine.RunCursor;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Run;
import dev.varve.model.Samples;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Backups of a directory that a server writes to, backups and restores that are killed, and what is
 * restored: every sample acknowledged before, and no other.
 */
class BackupCommandTest {
  private static final long START = 1_700_000_000_000L;
  private static final int SERIES = 20;
  private static final int ROUNDS_AT_ONCE = 100;

  /** Kills of each kind; a longer run sets {@code -Dvarve.kills=20}. */
  private static final int KILLS = Integer.getInteger("varve.kills", 10);

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Random random = new Random();
  @TempDir private Path folder;
  private Path data;
  private Path backups;

  @BeforeEach
  void name() {
    data = folder.resolve("data");
    backups = folder.resolve("backups");
  }

  /** Writes rounds of one sample per series and counts the acknowledged ones. */
  private static void write(Dataset dataset, AtomicLong acknowledged, int rounds) {
    for (int left = rounds; left > 0; left -= ROUNDS_AT_ONCE) {
      int now = Math.min(left, ROUNDS_AT_ONCE);
      BatchBuilder batch = new BatchBuilder();
      for (long round = acknowledged.get(); round < acknowledged.get() + now; round++) {
        for (int series = 0; series < SERIES; series++) {
          batch.add(key(series), START + round * 1000, new Value.Real(value(series, round)));
        }
      }
      assertThat(dataset.write(batch.build()).accepted()).isEqualTo((long) SERIES * now);
      acknowledged.addAndGet(now);
    }
  }

  private static GroupKey key(int series) {
    return GroupKey.of("m", Tags.of("series", "s" + series));
  }

  private static double value(int series, long round) {
    return new Random(series * 1_000_003L + round).nextDouble();
  }

  /** Checks a directory and returns the number of its rounds, which must be whole. */
  private long rounds(Path restored) {
    assertThat(run("check", "--data", restored)).as(out.toString()).isZero();
    long[] counts = new long[SERIES];
    try (Engine engine = Engine.open(config(restored));
        RunCursor cursor =
            engine.defaultDataset().read(ReadRequest.of(Selector.metric("m"), TimeRange.ALL))) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        int series = Integer.parseInt(String.valueOf(run.series().label("series")).substring(1));
        Samples samples = run.samples();
        for (int i = 0; i < samples.size(); i++) {
          long round = counts[series]++;
          assertThat(samples.time(i)).isEqualTo(START + round * 1000);
          assertThat(samples.value(i)).isEqualTo(new Value.Real(value(series, round)));
        }
      }
    }
    assertThat(counts).containsOnly(counts[0]);
    return counts[0];
  }

  @Test
  void holdsWhatWasAcknowledgedWhileAServerIsWrittenTo() throws Exception {
    AtomicLong acknowledged = new AtomicLong();
    AtomicBoolean stop = new AtomicBoolean();
    Map<String, Long> atLeast = new HashMap<>();
    try (Engine engine = Engine.open(config(data));
        Server server = server(engine)) {
      assertThat(server.ports()).hasSize(1);
      write(engine.defaultDataset(), acknowledged, 200);
      Thread writer =
          Thread.startVirtualThread(() -> {
            while (!stop.get()) {
              write(engine.defaultDataset(), acknowledged, 1);
            }
          });
      for (int i = 0; i < 3; i++) {
        long before = acknowledged.get();
        assertThat(run("backup", "--data", data, "--to", backups)).as(err.toString()).isZero();
        atLeast.put(ids().getLast(), before);
        killed(stored("unfinished"), "backup", "--data", data, "--to", backups);
      }
      stop.set(true);
      writer.join();
      assertThat(run("backup", "--data", data, "--to", backups)).isZero();
      atLeast.put(ids().getLast(), acknowledged.get());
      assertThat(engine.snapshots().list()).isEmpty();
    } finally {
      DataSocket.remove(data);
    }
    for (String id : ids()) {
      Path restored = folder.resolve("restored-" + id);
      assertThat(run("restore", "--from", backups, "--to", restored, "--backup", id)).isZero();
      assertThat(rounds(restored)).isBetween(atLeast.getOrDefault(id, 0L), acknowledged.get());
    }
    assertThat(atLeast).hasSize(4);
  }

  @Test
  void isCompleteWhateverWasKilledBefore() throws Exception {
    long written = fill(3000);
    for (int i = 0; i < KILLS; i++) {
      killed(stored("unfinished"), "backup", "--data", data, "--to", backups);
    }
    assertThat(run("backup", "--data", data, "--to", backups, "--keep", "1"))
        .as(err.toString())
        .isZero();
    assertThat(ids()).hasSize(1);
    assertThat(data.resolve("snapshots")).isEmptyDirectory();
    assertThat(backups.resolve("unfinished")).doesNotExist();

    Path restored = folder.resolve("restored");
    for (int i = 0; i < KILLS; i++) {
      killed(
          () -> Files.exists(folder.resolve("restored.restoring/rocksdb")),
          "restore",
          "--from",
          backups,
          "--to",
          restored);
      if (Files.exists(restored)) {
        // It was complete before the kill; a second restore must not overwrite it.
        assertThat(run("restore", "--from", backups, "--to", restored)).isEqualTo(1);
        delete(restored);
      }
    }
    assertThat(run("restore", "--from", backups, "--to", restored)).as(err.toString()).isZero();
    assertThat(folder.resolve("restored.restoring")).doesNotExist();
    assertThat(rounds(restored)).isEqualTo(written);
    assertThat(run("restore", "--from", backups, "--to", restored)).isEqualTo(1);
    assertThat(err.toString()).contains("is there and not empty");
  }

  @Test
  void copiesLittleAfterLittleWasWritten() throws Exception {
    AtomicLong acknowledged = new AtomicLong();
    try (Engine engine = Engine.open(config(data));
        Server server = server(engine)) {
      assertThat(server.ports()).hasSize(1);
      write(engine.defaultDataset(), acknowledged, 20_000);
      long[] first = backup();
      write(engine.defaultDataset(), acknowledged, 200);
      long[] second = backup();
      assertThat(second[COPIED]).isLessThan(first[BYTES] * 3 / 100);
    } finally {
      DataSocket.remove(data);
    }
  }

  private static final int BYTES = 0;
  private static final int COPIED = 1;

  /** Makes a backup and returns its bytes and those it copied. */
  private long[] backup() {
    assertThat(run("backup", "--data", data, "--to", backups, "--output", "csv"))
        .as(err.toString())
        .isZero();
    String[] columns = out.toString().lines().toList().get(1).split(",", -1);
    return new long[] {Long.parseLong(columns[2]), Long.parseLong(columns[3])};
  }

  @Test
  void isProvedByReadingIt() throws Exception {
    fill(300);
    assertThat(run("backup", "--data", data, "--to", backups)).isZero();
    assertThat(run("backup", "verify", "--from", backups)).as(out.toString()).isZero();
    assertThat(out.toString())
        .contains("checksums of backup ", " match: ", "nothing is damaged: read ");
    try (Stream<Path> files = Files.list(backups)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("backups", "files", "varve-backups");
    }
    flipInLargest();
    assertThat(run("backup", "verify", "--from", backups)).isEqualTo(1);
    assertThat(out.toString()).contains("damage: rocksdb/", "does not match");
    assertThat(run("restore", "--from", backups, "--to", folder.resolve("r"))).isEqualTo(1);
    assertThat(err.toString()).contains(" is damaged: the checksum of its content ");
    assertThat(folder.resolve("r")).doesNotExist();
  }

  @Test
  void holdsTheConfigurationAndItsFiles() throws Exception {
    fill(1);
    Files.writeString(
        folder.resolve("varve.yaml"), "data: " + data + "\nrules:\n  files: [r.yaml]\n");
    Files.writeString(folder.resolve("r.yaml"), "groups: []\n");
    assertThat(run("backup", "--config", folder.resolve("varve.yaml"), "--to", backups))
        .as(err.toString())
        .isZero();
    Path restored = folder.resolve("restored");
    assertThat(run("restore", "--from", backups, "--to", restored)).isZero();
    assertThat(restored.resolve("config/r.yaml")).hasContent("groups: []\n");
    assertThat(restored.resolve("config/varve.yaml")).content().startsWith("data: ");
  }

  @Test
  void aServerWritesBelowItsDirectoryAlone() throws Exception {
    long written = fill(100);
    Files.createDirectories(folder.resolve("elsewhere"));
    Files.createDirectories(backups);
    Files.createSymbolicLink(backups.resolve("link"), folder.resolve("elsewhere"));
    EngineConfig config =
        VarveConfig.read(
                null,
                Map.of(),
                Map.of("data", data.toString(), "backup.directory", backups.toString()))
            .engine();
    try (Engine engine = Engine.open(config);
        Server server = server(engine)) {
      String url = "http://127.0.0.1:" + server.ports().getFirst();
      assertThat(run("backup", "--server", url, "--to", "here", "--keep", "3"))
          .as(err.toString())
          .isZero();
      for (String wrong :
          List.of("../elsewhere", folder.resolve("elsewhere").toString(), "link/x")) {
        assertThat(run("backup", "--server", url, "--to", wrong)).isEqualTo(1);
        assertThat(err.toString()).contains("'" + wrong + "' is not below 'backup.directory'");
      }
    } finally {
      DataSocket.remove(data);
    }
    assertThat(folder.resolve("elsewhere")).isEmptyDirectory();
    Path restored = folder.resolve("restored");
    assertThat(run("restore", "--from", backups.resolve("here"), "--to", restored)).isZero();
    assertThat(rounds(restored)).isEqualTo(written);
    try (Engine engine = Engine.open(config(data));
        Server server = server(engine)) {
      String url = "http://127.0.0.1:" + server.ports().getFirst();
      assertThat(run("backup", "--server", url, "--to", "here")).isEqualTo(1);
      assertThat(err.toString()).contains("has no 'backup.directory'");
    } finally {
      DataSocket.remove(data);
    }
  }

  @Test
  void refusesWrongPlaces() throws Exception {
    fill(1);
    assertThat(run("backup", "--data", data)).isEqualTo(2);
    assertThat(run("backup", "--data", data, "--to", data.resolve("b"))).isEqualTo(2);
    assertThat(err.toString()).contains("is in the data directory");
    assertThat(run("backup", "--data", data, "--to", backups, "--keep", "0")).isEqualTo(2);
    assertThat(run("backup", "--data", folder.resolve("none"), "--to", backups)).isEqualTo(1);
    assertThat(run("restore", "--from", folder, "--to", backups)).isEqualTo(1);
    assertThat(err.toString()).contains("there are no backups in");
  }

  private long fill(int rounds) {
    AtomicLong acknowledged = new AtomicLong();
    try (Engine engine = Engine.open(config(data))) {
      write(engine.defaultDataset(), acknowledged, rounds);
    }
    return acknowledged.get();
  }

  private Server server(Engine engine) throws IOException {
    ServerConfig config =
        new ServerConfig(
            List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
            ServerConfig.DEFAULTS.http(),
            ServerConfig.DEFAULTS.query(),
            null,
            null,
            null);
    return Server.start(config, () -> engine, DataSocket.listen(data));
  }

  private interface Moment {
    boolean isReached();
  }

  private Moment stored(String file) {
    return () -> Files.exists(backups.resolve(file));
  }

  /** Runs a command in a process of its own and kills it somewhat after a moment. */
  private void killed(Moment moment, Object... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    Stream.of(arguments).map(Object::toString).forEach(command::add);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("child.log").toFile())
            .start();
    while (process.isAlive() && !moment.isReached()) {
      Thread.sleep(1);
    }
    Thread.sleep(random.nextInt(40));
    process.destroyForcibly();
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
  }

  private List<String> ids() {
    assertThat(run("backup", "list", "--from", backups, "--output", "csv")).isZero();
    return out.toString()
        .lines()
        .skip(1)
        .map(line -> line.substring(0, line.indexOf(',')))
        .toList();
  }

  private void flipInLargest() throws IOException {
    Path file;
    try (Stream<Path> files = Files.walk(backups.resolve("files"))) {
      file =
          files
              .filter(Files::isRegularFile)
              .max(Comparator.comparingLong(one -> one.toFile().length()))
              .orElseThrow();
    }
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(bytes.length() / 2);
      int before = bytes.read();
      bytes.seek(bytes.length() / 2);
      bytes.write(before ^ 1);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static EngineConfig config(Path data) {
    return VarveConfig.read(null, Map.of(), Map.of("data", data.toString())).engine();
  }

  private int run(Object... arguments) {
    out.getBuffer().setLength(0);
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(Stream.of(arguments).map(Object::toString).toArray(String[]::new));
  }
}
