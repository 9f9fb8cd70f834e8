package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.usage.QueryKind;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Power;
import dev.varve.store.ReadCost;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProviders;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The files of RocksDB contain deleted values, and the labels of series of which nothing is left,
 * before the job of the delete ran, and not after.
 */
@Execution(ExecutionMode.CONCURRENT)
class ErasureTest {
  private static final long START = 1_700_000_000_000L;
  private static final int SAMPLES = 300;

  @TempDir Path directory;

  static Stream<String> layouts() {
    return Stream.concat(Stream.of("blocks"), Layouts.list().stream().map(Layouts.Entry::name))
        .distinct();
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void leavesNoDeletedValueInAnyFile(String layout) throws IOException, InterruptedException {
    List<StorageLayout> layouts = Layouts.stored(layout, Map.of());
    boolean texts = layouts.getFirst().domain().kinds().contains(Kind.STRING);
    Random random = new Random(layout.hashCode());
    List<byte[]> deleted = new ArrayList<>();
    List<byte[]> kept = new ArrayList<>();
    BatchBuilder batch = new BatchBuilder();
    long second = layouts.getFirst().resolution().perSecond();
    for (int i = 0; i < SAMPLES; i++) {
      boolean goes = i % 3 == 0;
      GroupKey key = GroupKey.of("m", Tags.of("host", goes ? "a" : "b"));
      byte[] bytes = new byte[8];
      Value value;
      if (texts) {
        String text = Long.toHexString(random.nextLong() | 1L << 63);
        // Files leave out what a key has in common with the one before.
        bytes = text.substring(4).getBytes(StandardCharsets.UTF_8);
        value = new Value.Text(text);
      } else {
        // Between 2 and 4, so that no bit pattern is a NaN or gets shorter.
        double real = 2 + 2 * random.nextDouble();
        ByteBuffer.wrap(bytes).putDouble(real);
        value = new Value.Real(real);
      }
      (goes ? deleted : kept).add(bytes);
      batch.add(key, START / 1000 * second + i * second, value);
    }
    EngineConfig engineConfig = config(layouts);
    try (Engine engine = Engine.open(engineConfig)) {
      assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
      assertThat(found(deleted)).as("values before").isEqualTo(deleted.size());
    }
    try (Engine engine = Engine.open(engineConfig)) {
      Selector selector = Selector.metric("m", new TagFilter.Equal("host", "a"));
      Deletion deletion = engine.defaultDataset().deletes().begin(selector, TimeRange.ALL);
      assertThat(deletion.await(Duration.ofSeconds(20))).as("%s", deletion.progress()).isTrue();
      assertThat(found(deleted, afterDelete(layout))).as("values after").isZero();
      assertThat(found(kept)).as("other values").isEqualTo(kept.size());
    }
    Engine.open(engineConfig).close();
    assertThat(found(deleted)).as("values after a restart").isZero();
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void leavesNoDeletedLabelInAnyFile(String layout) throws IOException, InterruptedException {
    List<StorageLayout> layouts = Layouts.stored(layout, Map.of());
    boolean holdsTexts = layouts.getFirst().domain().kinds().contains(Kind.STRING);
    Value value = holdsTexts ? new Value.Text("x") : new Value.Real(2.5);
    long second = layouts.getFirst().resolution().perSecond();
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < SAMPLES; i++) {
      Tags tags = Tags.of("user", i % 3 == 0 ? "Marlene-Dietrich" : "someone-else");
      batch.add(GroupKey.of("logins", tags), START / 1000 * second + i * second, value);
    }
    List<byte[]> deleted = List.of("Marlene-Dietrich".getBytes(StandardCharsets.UTF_8));
    List<byte[]> kept = List.of("someone-else".getBytes(StandardCharsets.UTF_8));
    EngineConfig config = config(layouts);
    try (Engine engine = Engine.open(config)) {
      assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
      assertThat(found(deleted)).as("label before").isOne();
      for (TagFilter filter :
          List.of(
              new TagFilter.Equal("user", "Marlene-Dietrich"),
              new TagFilter.In("user", Set.of("someone-else", "Marlene-Dietrich")),
              new TagFilter.Regex("user", "someone-else|Marlene-Dietrich"))) {
        engine
            .defaultDataset()
            .usage()
            .noteQuery(
                new QueryKind("promql", "sum", 60_000),
                ReadRequest.of(Selector.metric("logins", filter), new TimeRange(START, START + 1)),
                1,
                1,
                new ReadCost(1, 1, 1, 1, 1, 1),
                1);
      }
    }
    assertThat(found(deleted, file -> text(file).contains("someone-else|Marlene-Dietrich")))
        .as("label in the query log")
        .isOne();
    try (Engine engine = Engine.open(config)) {
      Selector selector =
          Selector.metric("logins", new TagFilter.Equal("user", "Marlene-Dietrich"));
      Deletion deletion = engine.defaultDataset().deletes().begin(selector, TimeRange.ALL);
      assertThat(deletion.await(Duration.ofSeconds(20))).as("%s", deletion.progress()).isTrue();
      assertThat(deletion.progress().series()).isOne();
      if (layout.equals("blocks")) {
        assertThat(found(deleted)).as("label after").isZero();
      }
    }
    assertThat(found(deleted, afterDelete(layout))).as("label after").isEqualTo(remaining(layout));
    assertThat(found(kept)).as("other label").isOne();
    try (Engine engine = Engine.open(config)) {
      Selector all = Selector.metric("logins");
      assertThat(
              engine
                  .defaultDataset()
                  .catalog()
                  .series(all, null)
                  .map(one -> one.key().tags().get("user")))
          .containsExactly("someone-else");
      assertThat(found(deleted)).as("label after a restart").isEqualTo(remaining(layout));
    }
  }

  /** Returns how often a deleted label stays: a UID keeps its name, as in the original. */
  private static int remaining(String layout) {
    return layout.equals("opentsdb") ? 1 : 0;
  }

  /**
   * Returns the files that have no deleted bytes once the job has ended. A MANIFEST names the first
   * and last keys of files, also of former ones, until a restart, and keys of other layouts have
   * labels, or values.
   */
  private static Predicate<Path> afterDelete(String layout) {
    return file ->
        layout.equals("blocks") || !String.valueOf(file.getFileName()).startsWith("MANIFEST-");
  }

  @ParameterizedTest
  @ValueSource(strings = {"blocks", "buckets", "kairosdb"})
  void erasesAlsoIfTheProcessEndedBeforeFilesWereRewritten(String layout)
      throws IOException, InterruptedException {
    EngineConfig config = config(Layouts.stored(layout, Map.of()));
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < SAMPLES; i++) {
      Tags tags = Tags.of("user", i % 3 == 0 ? "Marlene-Dietrich" : "someone-else");
      batch.add(GroupKey.of("logins", tags), START + 1000L * i, new Value.Real(2.5));
    }
    List<byte[]> deleted = List.of("Marlene-Dietrich".getBytes(StandardCharsets.UTF_8));
    Selector selector = Selector.metric("logins", new TagFilter.Equal("user", "Marlene-Dietrich"));
    try (Engine engine = engine(config, Unreclaimed::new)) {
      assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
      Deletion deletion = engine.defaultDataset().deletes().begin(selector, TimeRange.ALL);
      for (int tries = 0; tries < 200 && deletion.progress().problem() == null; tries++) {
        assertThat(deletion.await(Duration.ofMillis(100))).isFalse();
      }
      assertThat(deletion.progress().problem()).isEqualTo("no file is rewritten");
    }
    try (Engine engine = Engine.open(config)) {
      for (Deletion one : engine.defaultDataset().deletes().pending()) {
        assertThat(one.await(Duration.ofSeconds(20))).as("%s", one.progress()).isTrue();
      }
    }
    assertThat(found(deleted, afterDelete(layout))).as("label").isZero();
    Engine.open(config).close();
    assertThat(found(deleted)).as("label after a restart").isZero();
  }

  /**
   * What an earlier process has removed leaves the files once, not for each of its deletes anew.
   */
  @Test
  void rewritesWholeTablesOnceForAllDeletesOfAnEarlierProcess()
      throws IOException, InterruptedException {
    EngineConfig config = config(Layouts.stored("buckets", Map.of()));
    List<String> users = List.of("Marlene-Dietrich", "Hildegard-Knef", "Romy-Schneider");
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < SAMPLES; i++) {
      Tags tags = Tags.of("user", users.get(i % users.size()));
      batch.add(GroupKey.of("logins", tags), START + 1000L * i, new Value.Real(2.5));
    }
    try (Engine engine = engine(config, Unreclaimed::new)) {
      assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
      List<Deletion> deletions = new ArrayList<>();
      for (String user : users) {
        Selector selector = Selector.metric("logins", new TagFilter.Equal("user", user));
        deletions.add(engine.defaultDataset().deletes().begin(selector, TimeRange.ALL));
      }
      for (Deletion one : deletions) {
        for (int tries = 0; tries < 200 && one.progress().problem() == null; tries++) {
          assertThat(one.await(Duration.ofMillis(100))).isFalse();
        }
        assertThat(one.progress().problem()).isEqualTo("no file is rewritten");
      }
    }
    Map<String, Integer> rewritten = new ConcurrentHashMap<>();
    try (Engine engine = engine(config, store -> new Counted(store, rewritten))) {
      for (Deletion one : engine.defaultDataset().deletes().pending()) {
        assertThat(one.await(Duration.ofSeconds(20))).as("%s", one.progress()).isTrue();
      }
    }
    for (String ofEach : List.of(".main.deletes", ".main.heat", ".main.usage")) {
      assertThat(rewritten.remove(ofEach)).as(ofEach).isEqualTo(3);
    }
    assertThat(rewritten).isNotEmpty().allSatisfy((table, times) -> assertThat(times).isOne());
    List<byte[]> labels =
        users.stream().map(user -> user.getBytes(StandardCharsets.UTF_8)).toList();
    assertThat(found(labels, afterDelete("buckets"))).as("labels").isZero();
    Engine.open(config).close();
    assertThat(found(labels)).as("labels after a restart").isZero();
  }

  private static Engine engine(EngineConfig config, UnaryOperator<Store> around)
      throws IOException {
    return Engine.open(
        config,
        (store, path, memory) ->
            around.apply(StoreProviders.of(store.kind()).open(path, memory, store.options())),
        PassingTime.ofSystem()::micros);
  }

  /** A store that counts how often it has rewritten a table as a whole. */
  private static final class Counted extends StoreAround {
    private final Map<String, Integer> rewritten;

    private Counted(Store store, Map<String, Integer> rewritten) {
      super(store);
      this.rewritten = rewritten;
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      return new TableAround(super.open(spec, mode)) {
        @Override
        public <P extends Power> Optional<P> power(Class<P> power) {
          Optional<P> own = super.power(power);
          if (power != Power.Reclaim.class || own.isEmpty()) {
            return own;
          }
          Power.Reclaim real = (Power.Reclaim) own.get();
          Power.Reclaim counting =
              (from, to) -> {
                real.reclaim(from, to);
                if (from.length() == 0 && to == null) {
                  rewritten.merge(spec.name(), 1, Integer::sum);
                }
              };
          return Optional.of(power.cast(counting));
        }
      };
    }

    @Override
    public void close() {
      store.close();
    }
  }

  /** A store that rewrites no file, so that a delete stops there. */
  private static final class Unreclaimed extends StoreAround {
    private Unreclaimed(Store store) {
      super(store);
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      return new TableAround(super.open(spec, mode)) {
        @Override
        public <P extends Power> Optional<P> power(Class<P> power) {
          if (power == Power.Reclaim.class) {
            Power.Reclaim failing =
                (from, to) -> {
                  throw new StoreException("no file is rewritten");
                };
            return Optional.of(power.cast(failing));
          }
          return super.power(power);
        }
      };
    }

    @Override
    public void close() {
      store.close();
    }
  }

  private EngineConfig config(List<StorageLayout> layouts) {
    DatasetConfig dataset =
        new DatasetConfig(
            "main",
            new StoreConfig("rocksdb", Map.of("compression", "none")),
            List.of(new PeriodConfig(Instant.MIN, layouts)),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    return new EngineConfig(directory, 32L << 20, List.of(dataset), "main");
  }

  /** Returns how many of some byte strings are in any file. */
  private int found(List<byte[]> wanted) throws IOException {
    return found(wanted, file -> true);
  }

  private int found(List<byte[]> wanted, Predicate<Path> where) throws IOException {
    List<String> files = new ArrayList<>();
    try (Stream<Path> all = Files.walk(directory)) {
      all.filter(Files::isRegularFile).filter(where).forEach(file -> files.add(text(file)));
    }
    int found = 0;
    for (byte[] one : wanted) {
      String text = new String(one, StandardCharsets.ISO_8859_1);
      found += files.stream().anyMatch(file -> file.contains(text)) ? 1 : 0;
    }
    return found;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
