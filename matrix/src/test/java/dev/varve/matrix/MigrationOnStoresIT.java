package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.Main;
import dev.varve.cli.config.VarveConfig;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.store.StoreProviders;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Migrations between stores, of which a process is killed and another one goes on. The property
 * {@code varve.migrations.stores} is the number of pairs, at most 20: all pairs of layouts are then
 * there, and every store as source and as target of others. What is in memory is in a server, which
 * outlives the killed process.
 */
class MigrationOnStoresIT {
  /** Each of the first three beside its original's store. */
  private static final List<String> LAYOUTS =
      List.of("kairosdb", "opentsdb", "heroic", "buckets", "blocks");

  private static final List<String> STORES =
      List.of("cassandra", "hbase", "bigtable", "rocksdb", "memory");

  /** The stores that hold blocks, and need no server of their own. */
  private static final Set<String> OWN = Set.of("rocksdb", "memory");

  private static final long START = 1_700_006_400_000L;
  private static final long DAY = 86_400_000;
  private static final int SERIES = 6;
  private static final int DAYS = 2;

  /** So many that a batch of a migration does not hold half of all samples. */
  private static final int PER_DAY = 1_500;

  private static final ServerConfig LISTENING =
      new ServerConfig(
          List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
          ServerConfig.DEFAULTS.http(),
          ServerConfig.DEFAULTS.query(),
          null,
          null,
          null);

  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  /** A layout on a store. */
  private record Place(String layout, String store) {
    private static Place of(int layout, int store) {
      String name = LAYOUTS.get(layout % LAYOUTS.size());
      String on = STORES.get(store % STORES.size());
      return new Place(name, name.equals("blocks") && !OWN.contains(on) ? "rocksdb" : on);
    }

    private boolean isInMemory() {
      return store.equals("memory");
    }

    private String yaml() {
      StringBuilder yaml =
          new StringBuilder("{layout: %s, store: {kind: %s".formatted(layout, store));
      if (!OWN.contains(store)) {
        yaml.append(", options: {");
        RealStores.of(store)
            .options()
            .forEach((name, value) -> yaml.append("%s: '%s', ".formatted(name, value)));
        yaml.append("}");
      }
      return yaml.append("}}").toString();
    }
  }

  record Pair(Place from, Place to) {}

  static Stream<Pair> pairs() {
    List<Pair> all = new ArrayList<>();
    for (int distance = 1; distance < LAYOUTS.size(); distance++) {
      for (int i = 0; i < LAYOUTS.size(); i++) {
        int store = i + distance - 1;
        all.add(new Pair(Place.of(i, store), Place.of(i + distance, store + 1)));
      }
    }
    return all.stream().limit(Integer.getInteger("varve.migrations.stores", 2));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void endsWithEqualDigestsAfterAKill(Pair pair) throws Exception {
    String id = pair.from().layout() + "-" + pair.to().layout();
    Path config =
        Files.writeString(
            folder.resolve("varve.yaml"),
            """
            data: %s
            default: to-%s
            datasets:
              from-%s: %s
              to-%s: %s
            """
                .formatted(
                    folder.resolve("data"), id, id, pair.from().yaml(), id, pair.to().yaml()));
    List<String> names = List.of("--source-dataset", "from-" + id, "--dataset", "to-" + id);
    Engine engine = Engine.open(VarveConfig.read(config, Map.of(), Map.of()).engine());
    try {
      fill(engine.dataset("from-" + id));
      if (pair.from().isInMemory() || pair.to().isInMemory()) {
        try (Server server = Server.start(LISTENING, engine)) {
          String url = "http://127.0.0.1:" + server.ports().getFirst();
          migrate(with(List.of("migrate", "--server", url), names));
        }
        return;
      }
    } finally {
      engine.close();
    }
    migrate(with(List.of("migrate", "--config", config.toString()), names));
  }

  /** Migrates with a kill, and compares the digests of the run that ends and of a comparison. */
  private void migrate(List<String> migrate) throws Exception {
    Path state = folder.resolve("state");
    killOnce(with(migrate, List.of("--rate", "5000")), state);
    boolean begun = Files.exists(state);

    Map<String, String> outcome = run(migrate, "--state", state.toString());
    assertThat(err.toString().contains("going on from m")).as(err.toString()).isEqualTo(begun);
    int all = SERIES * DAYS * PER_DAY;
    assertThat(outcome)
        .containsEntry("samples", String.valueOf(all))
        .containsEntry("refused", "0")
        .containsEntry("own", "0")
        .containsEntry("lost", "0");
    assertThat(outcome.get("equal")).isEqualTo(outcome.get("days"));
    assertThat(run(migrate, "--verify"))
        .containsEntry("samples", String.valueOf(all))
        .containsEntry("days", String.valueOf(SERIES * DAYS))
        .containsEntry("equal", String.valueOf(SERIES * DAYS))
        .containsEntry("written", "0")
        .containsEntry("lost", "0");
  }

  private static void fill(Dataset dataset) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < DAYS * PER_DAY; i++) {
      for (int series = 0; series < SERIES; series++) {
        GroupKey key = GroupKey.of("m" + series % 2, Tags.of("host", "h" + series));
        long time = START + DAY * (i / PER_DAY) + 50_000L * (i % PER_DAY);
        batch.group(key).add("value", time, series * 1000 + i + 0.5);
      }
    }
    assertThat(dataset.write(batch.build()).refused()).isZero();
  }

  private static List<String> with(List<String> words, List<String> more) {
    return Stream.concat(words.stream(), more.stream()).toList();
  }

  /**
   * Starts the migration in a process and kills that at a random moment, at its first checkpoint at
   * the latest.
   */
  private void killOnce(List<String> migrate, Path state) throws Exception {
    long seed = System.nanoTime();
    long millis = new Random(seed).nextInt(8_000);
    System.out.printf("MigrationOnStoresIT: seed %d, kills within %d ms%n", seed, millis);
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-D" + StoreProviders.PLUGINS + "=" + System.getProperty(StoreProviders.PLUGINS),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(migrate);
    command.addAll(List.of("--state", state.toString()));
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      while (process.isAlive() && !Files.exists(state) && System.nanoTime() - end < 0) {
        Thread.sleep(5);
      }
      assertThat(process.isAlive()).as(Files.readString(output)).isTrue();
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Runs a command that must succeed, and returns the row that it prints. */
  private Map<String, String> run(List<String> migrate, String... more) {
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine();
    PrintWriter to = new PrintWriter(out);
    line.setOut(to);
    line.setErr(new PrintWriter(err, true));
    List<String> arguments =
        with(with(migrate, List.of(more)), List.of("--output", "csv", "--no-progress"));
    assertThat(line.execute(arguments.toArray(String[]::new))).as(err.toString()).isZero();
    to.flush();
    List<String> rows = out.toString().lines().toList();
    String[] names = rows.getFirst().split(",", -1);
    String[] values = rows.getLast().split(",", -1);
    Map<String, String> row = new HashMap<>();
    for (int i = 0; i < names.length; i++) {
      row.put(names[i], values[i]);
    }
    return row;
  }
}
