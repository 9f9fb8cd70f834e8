package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.check.AffectedSeries;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.DirectoryTree;
import dev.varve.store.StoreException;
import dev.varve.store.contract.CrashImage;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * Repeatedly damages a random file of a data directory in a random way. No answer may be wrong, all
 * losses must be reported, and following the advice in the messages must lead to a directory that
 * opens.
 */
class RandomDamageTest {
  private static final int TRIES = Integer.getInteger("varve.damage.tries", 24);
  private static final long SEED = Long.getLong("varve.damage.seed", 4242L);
  private static final int ONLY = Integer.getInteger("varve.damage.only", -1);
  private static final ReadRequest ALL = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
  private static final long START = 1_700_000_000_000L;
  private static final int HOSTS = 12;

  @TempDir Path folder;

  private final Map<Series, Map<Long, List<Value>>> history = new HashMap<>();
  private final Map<Series, Map<Long, Value>> truth = new HashMap<>();
  private final Map<String, Integer> outcomes = new TreeMap<>();
  private Path stopped = Path.of("");
  private Path crashed = Path.of("");

  /** Creates a directory that was closed and one as a crash leaves it. */
  @BeforeEach
  void write() throws IOException {
    Path live = folder.resolve("live");
    Random random = new Random(SEED);
    for (int life = 0; life < 4; life++) {
      try (Engine engine = Engine.open(config(live))) {
        for (int batch = 0; batch < 4; batch++) {
          put(engine, random, life);
        }
      }
    }
    stopped = folder.resolve("stopped");
    copy(live, stopped);
    try (Engine engine = Engine.open(config(live))) {
      for (int batch = 0; batch < 4; batch++) {
        put(engine, random, 4);
      }
      crashed = folder.resolve("crashed");
      CrashImage.copy(live, crashed);
    }
    // The crashed directory contains more; what the closed one lacks of that is not lost.
  }

  private void put(Engine engine, Random random, int life) {
    BatchBuilder batch = new BatchBuilder();
    Map<Series, Map<Long, Value>> put = new HashMap<>();
    for (int i = 0; i < 600; i++) {
      GroupKey key = GroupKey.of("m", Tags.of("host", "h" + random.nextInt(HOSTS)));
      // Some samples overwrite earlier ones.
      long time = START + 3_600_000L * random.nextInt(2500) + 86_400_000L * life;
      Value value = new Value.Real(random.nextDouble());
      batch.add(key, time, value);
      put.computeIfAbsent(key.field("value"), k -> new HashMap<>()).put(time, value);
    }
    assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
    put.forEach((series, samples) -> {
      truth.computeIfAbsent(series, k -> new HashMap<>()).putAll(samples);
      samples.forEach((time, value) ->
          history
              .computeIfAbsent(series, k -> new HashMap<>())
              .computeIfAbsent(time, k -> new ArrayList<>())
              .add(value));
    });
  }

  @Test
  void isNeverAnsweredAroundSilently(TestReporter reporter) throws IOException {
    Map<Series, List<Sample>> ofStopped = answers(stopped);
    Map<Series, List<Sample>> ofCrashed = answers(crashed);
    assertThat(count(ofCrashed)).isGreaterThan(count(ofStopped));
    for (int number = 0; number < TRIES; number++) {
      if (ONLY < 0 || number == ONLY) {
        boolean crash = number % 2 == 1;
        Trial trial = new Trial(number, crash ? crashed : stopped, crash ? ofCrashed : ofStopped);
        outcomes.merge(trial.run(), 1, Integer::sum);
      }
    }
    reporter.publishEntry("outcomes of random damage", outcomes.toString());
  }

  private Map<Series, List<Sample>> answers(Path source) throws IOException {
    Path copy = folder.resolve("sound");
    copy(source, copy);
    try (Engine engine = Engine.open(config(copy))) {
      return TestEngine.read(engine.defaultDataset(), ALL);
    } finally {
      DirectoryTree.delete(copy);
    }
  }

  private static int count(Map<Series, List<Sample>> samples) {
    return samples.values().stream().mapToInt(List::size).sum();
  }

  /** A damage and its consequences. */
  private final class Trial {
    private final Path directory;
    private final Map<Series, List<Sample>> expected;
    private final String name;
    private final List<CheckFinding> found = new ArrayList<>();

    private Trial(int number, Path source, Map<Series, List<Sample>> expected) throws IOException {
      this.directory = folder.resolve("trial");
      this.expected = expected;
      copy(source, directory);
      this.name =
          "try %d, %s: %s"
              .formatted(number, source.getFileName(), damage(new Random(SEED + 31L * number)));
    }

    private String damage(Random random) throws IOException {
      List<Path> files;
      try (Stream<Path> all = Files.walk(directory)) {
        files = all.filter(Files::isRegularFile).sorted().toList();
      }
      Path file = files.get(random.nextInt(files.size()));
      Path shown = directory.relativize(file);
      long size = Files.size(file);
      int kind = size == 0 ? 9 : random.nextInt(10);
      if (kind == 9) {
        Files.delete(file);
        return "deleted " + shown;
      }
      try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
        if (kind >= 7) {
          long length =
              kind == 7
                  ? (long) (random.nextDouble() * size)
                  : Math.max(0, size - 1 - random.nextInt(64));
          bytes.setLength(length);
          return "cut %s from %d to %d".formatted(shown, size, length);
        }
        // Half of the flips are near the end of the file, which RocksDB reads first.
        long offset =
            kind < 3
                ? Math.max(0, size - 1 - random.nextInt(2000))
                : (long) (random.nextDouble() * size);
        bytes.seek(offset);
        int before = bytes.read();
        int after = before ^ (1 << random.nextInt(8));
        bytes.seek(offset);
        bytes.write(after);
        return "flipped %s at %d of %d from %02x to %02x"
            .formatted(shown, offset, size, before, after);
      }
    }

    /** Runs the trial and returns its outcome. */
    private String run() throws IOException {
      try {
        String outcome = opens(Engine::open, "opened");
        if (outcome.startsWith("opened")) {
          return outcome;
        }
        // Follow the advice in the message.
        if (outcome.contains("serve --recover")) {
          String recovered = opens(Engine::recover, "recovered");
          assertThat(recovered).as(name).startsWith("recovered");
          return "refused, " + recovered;
        }
        assertThat(outcome).as(name).contains("varve check");
        return "refused, " + repaired();
      } catch (RuntimeException | Error e) {
        throw new AssertionError(name + ": " + e, e);
      } finally {
        DirectoryTree.delete(directory);
      }
    }

    private interface Opening {
      Engine open(EngineConfig config);
    }

    /** Opens the directory and reads everything. Returns the message if that fails. */
    private String opens(Opening opening, String verb) throws IOException {
      Map<Series, List<Sample>> answered;
      boolean announced;
      try (Engine engine = opening.open(config(directory))) {
        awaitCatalog(engine);
        announced = engine.damage().stream().anyMatch(one -> true);
        try {
          answered = TestEngine.read(engine.defaultDataset(), ALL);
        } catch (StoreException | CorruptDataException e) {
          assertThat(e.getMessage()).as(name).contains("varve check");
          answered = Map.of();
          announced = true;
        }
      } catch (StoreException | CorruptDataException e) {
        return String.valueOf(e.getMessage());
      }
      boolean whole = answered.equals(expected);
      if (whole) {
        return verb + " whole";
      }
      assertThat(announced)
          .as(
              name + ": %d of %d samples, and nothing is announced",
              count(answered),
              count(expected))
          .isTrue();
      assertNoneWrong(answered);
      if (verb.equals("opened") && answered.isEmpty()) {
        return "opened, query refused, " + repaired();
      }
      return verb + " with announced loss";
    }

    private String repaired() throws IOException {
      Repaired repaired =
          Engine.repair(config(directory), new CheckRun(0, now -> {}, found::add, () -> false));
      assertThat(repaired.sound()).as(name + ": " + found).isTrue();
      Map<Series, List<Sample>> answered;
      try (Engine engine = Engine.open(config(directory))) {
        awaitCatalog(engine);
        answered = TestEngine.read(engine.defaultDataset(), ALL);
      }
      if (answered.equals(expected)) {
        return "repaired whole";
      }
      assertNoneWrong(answered);
      List<AffectedSeries> affected =
          found.stream().flatMap(one -> one.affected().stream()).toList();
      boolean everywhere =
          found.stream()
              .anyMatch(one ->
                  one.severity() == Severity.DAMAGE
                      && (one.text().contains("edits are missing")
                          || one.text().contains("MANIFEST")));
      boolean seriesLost = found.stream().anyMatch(one -> one.text().contains("listed nowhere"));
      expected.forEach((series, samples) -> {
        Set<Sample> left = new HashSet<>(answered.getOrDefault(series, List.of()));
        for (Sample sample : samples) {
          boolean listed =
              affected.stream()
                  .anyMatch(one ->
                      one.series().equals(series.toString())
                          && sample.time() >= one.from().toEpochMilli()
                          && sample.time() <= one.to().toEpochMilli());
          assertThat(
                  left.contains(sample)
                      || listed
                      || everywhere
                      || (seriesLost && !answered.containsKey(series)))
              .as("%s: %s at %d is lost and not listed in %s", name, series, sample.time(), found)
              .isTrue();
        }
      });
      return "repaired with listed loss";
    }

    /**
     * Asserts that every sample was written, though not necessarily as the last one of its time.
     */
    private void assertNoneWrong(Map<Series, List<Sample>> answered) {
      answered.forEach((series, samples) -> {
        for (Sample sample : samples) {
          List<Value> written =
              history.getOrDefault(series, Map.of()).getOrDefault(sample.time(), List.of());
          assertThat(written.contains(sample.value()))
              .as("%s: %s has %s, which was never written", name, series, sample)
              .isTrue();
        }
      });
    }
  }

  private static void awaitCatalog(Engine engine) {
    if (!engine.defaultDataset().isCatalogComplete()) {
      engine.defaultDataset().maintenance().rebuildCatalog(now -> {});
    }
  }

  private static EngineConfig config(Path directory) {
    DatasetConfig dataset = DatasetConfig.of("main", Layouts.of("buckets", Map.of()));
    return new EngineConfig(directory, 16L << 20, List.of(dataset), "main");
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }
}
