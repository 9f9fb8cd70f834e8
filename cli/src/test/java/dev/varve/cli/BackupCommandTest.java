package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.target.DataSocket;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.backup.BackupJob;
import dev.varve.engine.backup.SnapshotSource;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.request.WriteResult;
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
import dev.varve.store.DirectoryTree;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
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

  /** Rounds, in turn with a killed backup and a killed restore; more in profile {@code full}. */
  private static final int KILLS = Integer.getInteger("varve.kills", 40);

  /** A child that ended by itself shows nothing, so another one is killed. */
  private static final int CHILDREN_MAX = 5;

  private static final int WRITERS = 3;
  private static final int KILLED = 128 + 9;

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

  /**
   * One of several threads that write at once, each to series of its own. A round is one sample of
   * each of its series, in one batch.
   */
  private static final class Writer {
    private final int number;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong acknowledged = new AtomicLong();

    Writer(int number) {
      this.number = number;
    }

    void write(Dataset dataset) {
      long round = begun.getAndIncrement();
      BatchBuilder batch = new BatchBuilder();
      for (int series = number; series < SERIES; series += WRITERS) {
        batch.add(key(series), START + round * 1000, new Value.Real(value(series, round)));
      }
      WriteResult result = dataset.write(batch.build());
      assertThat(result.refused()).isZero();
      acknowledged.incrementAndGet();
    }
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
    long[] counts = counts(restored);
    assertThat(counts).containsOnly(counts[0]);
    return counts[0];
  }

  /** Checks a directory and returns how many rounds each of its series has. */
  private long[] counts(Path restored) {
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
          if (samples.time(i) != START + round * 1000
              || !samples.value(i).equals(new Value.Real(value(series, round)))) {
            throw new AssertionError(
                "%s at %d instead of round %d of series %d"
                    .formatted(samples.value(i), samples.time(i), round, series));
          }
        }
      }
    }
    return counts;
  }

  /**
   * Every round backs up a server that is written to, and restores that. In turn, a backup is
   * killed before it, or a restore after it. What is restored has every sample acknowledged before
   * the backup, and none that nobody wrote.
   */
  @Test
  void holdsWhatWasAcknowledgedWhileAServerIsWrittenToWhateverWasKilled() throws Exception {
    List<Writer> writers = IntStream.range(0, WRITERS).mapToObj(Writer::new).toList();
    Map<Stage, Integer> backupsKilled = new EnumMap<>(Stage.class);
    Map<Stage, Integer> restoresKilled = new EnumMap<>(Stage.class);
    try (Engine engine = Engine.open(config(data));
        Server server = server(engine)) {
      assertThat(server.ports()).hasSize(1);
      for (int round = 0; round < KILLS; round++) {
        Path restored = folder.resolve("restored-" + round);
        boolean killsBackup = round % 2 == 0;
        long[] least;
        try (Load load = new Load(engine.defaultDataset(), writers)) {
          if (killsBackup) {
            backupsKilled.merge(killBackup(load), 1, Integer::sum);
          }
          load.begin();
          least = figures(writers, writer -> writer.acknowledged);
          assertThat(run("backup", "--data", data, "--to", backups, "--keep", "3"))
              .as(err.toString())
              .isZero();
        }
        long[] most = figures(writers, writer -> writer.begun);
        assertThat(most).as("rounds of each writer").doesNotContain(0);
        Stage stage = killsBackup ? Stage.UNFINISHED : killRestore(restored);
        if (!killsBackup) {
          restoresKilled.merge(stage, 1, Integer::sum);
        }
        assertThat(run("restore", "--from", backups, "--to", restored))
            .as("%s", err)
            .isEqualTo(stage == Stage.COMPLETE ? 1 : 0);
        assertThat(folder.resolve("restored-" + round + ".restoring")).doesNotExist();
        assertBetween(least, most, counts(restored));
        DirectoryTree.delete(restored);
      }
      assertThat(engine.snapshots().list()).isEmpty();
    } finally {
      DataSocket.remove(data);
    }
    assertThat(ids()).hasSize(3);
    assertThat(backups.resolve("unfinished")).doesNotExist();
    assertThat(backupsKilled.getOrDefault(Stage.UNFINISHED, 0))
        .as("killed in the middle, of %s", backupsKilled)
        .isGreaterThanOrEqualTo(KILLS / 4);
    assertThat(restoresKilled.getOrDefault(Stage.UNFINISHED, 0))
        .as("killed in the middle, of %s", restoresKilled)
        .isGreaterThanOrEqualTo(KILLS / 4);
  }

  private static long[] figures(List<Writer> writers, Function<Writer, AtomicLong> figure) {
    return writers.stream().mapToLong(writer -> figure.apply(writer).get()).toArray();
  }

  /** Checks that the series of each writer have the same rounds, within their bounds. */
  private static void assertBetween(long[] least, long[] most, long[] counts) {
    for (int series = 0; series < SERIES; series++) {
      int writer = series % WRITERS;
      assertThat(counts[series])
          .as("series %d of writer %d, in %s", series, writer, Arrays.toString(counts))
          .isEqualTo(counts[writer])
          .isBetween(least[writer], most[writer]);
    }
  }

  /** Threads that write without a pause until it is closed. */
  private static final class Load implements AutoCloseable {
    private final Dataset dataset;
    private final List<Writer> writers;
    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<CompletableFuture<Void>> threads = new ArrayList<>();

    Load(Dataset dataset, List<Writer> writers) {
      this.dataset = dataset;
      this.writers = writers;
    }

    boolean hasBegun() {
      return !threads.isEmpty();
    }

    /** Starts the writers, unless they run. */
    void begin() {
      if (hasBegun()) {
        return;
      }
      for (Writer writer : writers) {
        threads.add(
            CompletableFuture.runAsync(
                () -> {
                  while (!stop.get()) {
                    writer.write(dataset);
                  }
                },
                Thread::startVirtualThread));
      }
    }

    /** Ends the writers and fails if one has failed. */
    @Override
    public void close() {
      stop.set(true);
      threads.forEach(CompletableFuture::join);
    }
  }

  @Test
  void overwritesNothing() throws Exception {
    long written = fill(100);
    assertThat(run("backup", "--data", data, "--to", backups)).as(err.toString()).isZero();
    Path restored = folder.resolve("restored");
    Files.createDirectories(restored);
    assertThat(run("restore", "--from", backups, "--to", restored)).as(err.toString()).isZero();
    assertThat(run("restore", "--from", backups, "--to", restored)).isEqualTo(1);
    assertThat(err.toString()).contains("is there and not empty");
    assertThat(rounds(restored)).isEqualTo(written);
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

  /** Repeats the measurement of docs/operations/backup.md with a store of 800,000 samples. */
  @Test
  void copiesWhatCompactionsHaveWritten() throws Exception {
    AtomicLong acknowledged = new AtomicLong();
    List<Double> shares = new ArrayList<>();
    try (Engine engine = Engine.open(config(data));
        Server server = server(engine)) {
      assertThat(server.ports()).hasSize(1);
      write(engine.defaultDataset(), acknowledged, 40_000);
      backup();
      for (int i = 0; i < BACKUPS; i++) {
        write(engine.defaultDataset(), acknowledged, 400);
        long[] next = backup();
        shares.add(100.0 * next[COPIED] / next[BYTES]);
        System.out.printf(
            "%,d samples: copied %,d of %,d bytes, %.1f %%%n",
            SERIES * acknowledged.get(), next[COPIED], next[BYTES], shares.getLast());
      }
    } finally {
      DataSocket.remove(data);
    }
    // One that is above what the new samples take has what a compaction has written.
    assertThat(shares).anyMatch(share -> share > 3).allMatch(share -> share <= 100);
    Path restored = folder.resolve("restored");
    assertThat(run("restore", "--from", backups, "--to", restored)).as(err.toString()).isZero();
    assertThat(rounds(restored)).isEqualTo(acknowledged.get());
  }

  /** RocksDB merges small files once it has four of them. */
  private static final int BACKUPS = 12;

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

  /** The manifest has the checksum of the damaged file, as of one that was damaged before. */
  @Test
  void namesAHomeThatWasDamagedBeforeTheBackup() throws Exception {
    byte[] whole;
    try (InputStream home =
        Objects.requireNonNull(BackupCommandTest.class.getResourceAsStream(FormatsTest.HOME))) {
      whole = home.readAllBytes();
    }
    store("main", whole);
    assertThat(run("backup", "verify", "--checksums", "--from", backups))
        .as(out.toString())
        .isZero();
    assertThat(out.toString()).contains("homes in other stores are whole: main");

    byte[] flipped = whole.clone();
    // The last byte of the last value; behind it are two marks and the checksum.
    flipped[whole.length - 7] ^= 1;
    assertDamaged(flipped, "' is damaged: its checksum is of other bytes");
    assertDamaged(
        Arrays.copyOf(whole, whole.length - 9),
        "' ends too early, or is damaged, in table 'dataset' after 13 cells");
    byte[] later = whole.clone();
    later["varve home".length() + 2] = 9;
    assertDamaged(later, "' has format 9, and this version of Varve reads ");
    store("other", whole);
    assertThat(run("backup", "verify", "--checksums", "--from", backups)).isEqualTo(1);
    assertThat(out.toString()).contains("' is the home of dataset 'main', not 'other'");
  }

  @Test
  void homesAreNotRestoredBesideAServer() throws Exception {
    assertThat(run("restore", "homes", "--data", data, "--replace", "main")).isEqualTo(1);
    assertThat(err.toString()).contains("there is no data directory '" + data + "'");
    fill(1);
    try (DirectoryLock _ = DirectoryLock.take(data)) {
      assertThat(run("restore", "homes", "--data", data, "--replace", "main")).isEqualTo(1);
      assertThat(err.toString()).contains(" is in use by the server");
    }
    assertThat(run("restore", "homes", "--data", data, "--replace", "main")).isEqualTo(1);
    assertThat(err.toString()).contains("has no home of a dataset 'main' that is in another store");
    assertThat(run("restore", "homes", "--data", data)).isEqualTo(1);
    assertThat(err.toString()).contains("has no home of a dataset of the configuration");
  }

  private void assertDamaged(byte[] home, String reason) throws IOException {
    store("main", home);
    assertThat(run("backup", "verify", "--checksums", "--from", backups)).isEqualTo(1);
    assertThat(out.toString()).contains("damage: homes/main.home: its content '", reason);
  }

  /** Makes a backup of one home. */
  private void store(String dataset, byte[] home) throws IOException {
    Path snapshot = folder.resolve("snapshot");
    Files.createDirectories(snapshot.resolve("homes"));
    Path file = Files.write(snapshot.resolve("homes").resolve(dataset + ".home"), home);
    SnapshotSource source =
        new SnapshotSource() {
          @Override
          public Taken create() {
            return new Taken("snapshot", snapshot);
          }

          @Override
          public void delete(String name) {
            // The next backup is of another one.
          }
        };
    new BackupJob(backups, Map.of(), 0).run(source, (files, bytes, total) -> {});
    Files.delete(file);
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

  /** The progress of a command when it was killed. */
  private enum Stage {
    /** It had begun to store files. */
    UNFINISHED,
    /** It was about to end. */
    COMPLETE
  }

  /**
   * Kills a backup after a random number of its files and returns how far it had come. The load
   * begins once the backup has its lock, right before its snapshot: a JVM starts slowly beside it.
   */
  private Stage killBackup(Load load) throws Exception {
    List<String> before = Files.exists(backups) ? ids() : List.of();
    Path unfinished = backups.resolve("unfinished");
    int lines = 1 + random.nextInt(6);
    killed(
        backup -> {
          if (!load.hasBegun() && hasOpen(backup, backups.resolve("varve-backups"))) {
            load.begin();
          }
          return Files.exists(unfinished) && Files.readAllLines(unfinished).size() >= lines;
        },
        "backup",
        "--data",
        data,
        "--to",
        backups);
    if (!ids().equals(before)) {
      return Stage.COMPLETE;
    }
    assertThat(unfinished).exists();
    return Stage.UNFINISHED;
  }

  /** Kills a restore after a random number of its files and returns how far it had come. */
  private Stage killRestore(Path restored) throws Exception {
    Path draft = restored.resolveSibling(restored.getFileName() + ".restoring");
    int files = 1 + random.nextInt(4);
    killed(
        _ -> count(draft.resolve("rocksdb")) >= files,
        "restore",
        "--from",
        backups,
        "--to",
        restored);
    if (Files.exists(restored)) {
      return Stage.COMPLETE;
    }
    assertThat(draft).exists();
    return Stage.UNFINISHED;
  }

  /** Returns whether a process has a file open, by the kernel's list. */
  private static boolean hasOpen(Process process, Path file) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
      Path real = Files.exists(file) ? file.toRealPath() : file;
      return open.anyMatch(descriptor -> {
        try {
          return Files.readSymbolicLink(descriptor).equals(real);
        } catch (IOException e) {
          // It was closed meanwhile.
          return false;
        }
      });
    } catch (NoSuchFileException | UncheckedIOException e) {
      // The process has ended.
      return false;
    }
  }

  private static int count(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(directory)) {
      return Math.toIntExact(files.count());
    } catch (NoSuchFileException | UncheckedIOException e) {
      // The restore has just given it its name.
      return Integer.MAX_VALUE;
    }
  }

  private interface Moment {
    boolean isReached(Process process) throws IOException;
  }

  /**
   * Runs a command in a process of its own and kills it at or somewhat after a moment.
   *
   * @throws AssertionError if several such processes ended by themselves
   */
  private void killed(Moment moment, Object... arguments) throws Exception {
    for (int i = 0; i < CHILDREN_MAX; i++) {
      Process process = child(arguments);
      while (process.isAlive() && !moment.isReached(process)) {
        Thread.sleep(1);
      }
      TimeUnit.MICROSECONDS.sleep(random.nextInt(5_000));
      process.destroyForcibly();
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      if (process.exitValue() == KILLED) {
        return;
      }
      assertThat(process.exitValue()).as(Files.readString(folder.resolve("child.log"))).isZero();
    }
    throw new AssertionError("%d commands ended before they were killed".formatted(CHILDREN_MAX));
  }

  private Process child(Object... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    Stream.of(arguments).map(Object::toString).forEach(command::add);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("child.log").toFile())
        .start();
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
