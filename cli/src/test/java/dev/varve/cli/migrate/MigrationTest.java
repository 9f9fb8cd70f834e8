package dev.varve.cli.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.Progress;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import dev.varve.cli.target.TargetOptions.IfMissing;
import dev.varve.formats.export.ExportFormat;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.server.varve.QueryParameters;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Migrations between layouts that are killed at random points and resumed. The property {@code
 * varve.migrations} is the number of pairs of layouts, at most 20.
 */
class MigrationTest {
  private static final List<String> LAYOUTS =
      List.of("buckets", "blocks", "kairosdb", "opentsdb", "heroic");

  private static final List<List<String>> USUAL =
      List.of(
          List.of("buckets", "blocks"),
          List.of("kairosdb", "blocks"),
          List.of("blocks", "opentsdb"),
          List.of("heroic", "buckets"));

  private static final long DAY = 86_400_000;
  private static final long START = 1_700_006_400_000L;
  private static final int SERIES = 12;
  private static final int DAYS = 3;
  private static final int PER_DAY = 1_000;

  private static final Selection ALL = new Selection("{__name__=~\".+\"}", null, null);

  @TempDir private Path folder;

  /** Simulates a kill: nothing of the migration continues after it. */
  private static final class KilledException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  static Stream<Arguments> pairs() {
    Stream<Arguments> all =
        LAYOUTS.stream()
            .flatMap(from ->
                LAYOUTS.stream().filter(to -> !to.equals(from)).map(to -> List.of(from, to)))
            .filter(pair -> !USUAL.contains(pair))
            .map(pair -> Arguments.of(pair.getFirst(), pair.getLast()));
    return Stream.concat(
            USUAL.stream().map(pair -> Arguments.of(pair.getFirst(), pair.getLast())), all)
        .limit(Integer.getInteger("varve.migrations", USUAL.size()));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void endsWithEqualDigestsWhateverKillsIt(String from, String to) throws Exception {
    VarveConfig config = config(from, to);
    long seed = System.nanoTime();
    System.out.println("MigrationTest: seed " + seed + " from " + from + " to " + to);
    Random random = new Random(seed);
    fill(config, "source", 0.0);
    int kills = 0;
    Totals totals = null;
    while (totals == null) {
      try (Target target = TargetOptions.open(config, "target", IfMissing.CREATE)) {
        Target killed = kills < 4 ? killedAt(target, random.nextInt(4)) : target;
        totals = migrate(killed, target.beside("source"), false);
      } catch (KilledException e) {
        kills++;
        leaveMoreBehind(random);
      }
    }
    assertThat(kills).isGreaterThanOrEqualTo(2);
    assertThat(totals.read()).isEqualTo(SERIES * DAYS * PER_DAY);
    assertThat(totals.equal()).isEqualTo(totals.days()).isGreaterThanOrEqualTo(SERIES * DAYS);
    assertThat(totals.own() + totals.refused() + totals.lost()).isZero();
    try (Target target = TargetOptions.open(config, "target", IfMissing.CREATE)) {
      Totals verified = migrate(target, target.beside("source"), true);
      assertThat(verified.equal()).isEqualTo(SERIES * DAYS);
      assertThat(verified.written()).isZero();
      assertThat(export(target)).isEqualTo(export(target.beside("source")));
    }
    assertThat(folder.resolve("state")).doesNotExist();
    assertThat(folder.resolve("state.next")).doesNotExist();
    assertThat(Files.readAllLines(folder.resolve("report")))
        .hasSize((int) totals.days())
        .allMatch(line -> line.contains("\"missing\":0,\"other\":0"));
  }

  /**
   * Leaves what a kill leaves between the write of the report and that of the checkpoint, or amid
   * one of them: a report that is longer than the checkpoint says, of which the end may be torn,
   * and a new checkpoint that is not in its place yet.
   */
  private void leaveMoreBehind(Random random) throws IOException {
    byte[] lines = "{\"series\":\"torn\",\"missing\":1}\n".repeat(3).getBytes(UTF_8);
    Files.write(
        folder.resolve("report"),
        Arrays.copyOf(lines, random.nextInt(lines.length + 1)),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    Path state = folder.resolve("state");
    byte[] next = Files.exists(state) ? Files.readAllBytes(state) : lines;
    Files.write(folder.resolve("state.next"), Arrays.copyOf(next, random.nextInt(next.length + 1)));
  }

  /** A checkpoint that a broken disk has cut is refused and never taken for another one. */
  @Test
  void refusesACutCheckpoint() throws Exception {
    Path state = folder.resolve("state");
    Position at = new Position(key(1).field("value"), START);
    Checkpoint whole = new Checkpoint("a to b", at, Totals.NONE, 17);
    whole.write(state);
    assertThat(Checkpoint.read(state, "a to b")).isEqualTo(whole);
    byte[] bytes = Files.readAllBytes(state);
    for (int length = 0; length < bytes.length; length++) {
      Files.write(state, Arrays.copyOf(bytes, length));
      assertThatThrownBy(() -> Checkpoint.read(state, "a to b"))
          .as("the first %d bytes", length)
          .isInstanceOf(CommandFailedException.class)
          .hasMessageContaining("delete it to begin anew");
    }
  }

  @Test
  void neverBeatsDirectWritesOfTheTarget() throws Exception {
    VarveConfig config = config("kairosdb", "blocks");
    fill(config, "source", 0.0);
    try (Target target = TargetOptions.open(config, "target", IfMissing.CREATE)) {
      Thread direct =
          Thread.ofVirtual()
              .start(() -> {
                for (int i = 0; i < PER_DAY; i += 2) {
                  BatchBuilder batch = new BatchBuilder();
                  for (int s = 0; s < SERIES; s++) {
                    batch.group(key(s)).add("value", time(1, i), value(s, 1, i) + 0.5);
                  }
                  target.write(batch.build(), true);
                }
              });
      Totals totals = migrate(target, target.beside("source"), false);
      direct.join();
      assertThat(totals.lost() + totals.refused()).isZero();
      Totals verified = migrate(target, target.beside("source"), true);
      assertThat(verified.own()).isEqualTo(SERIES * PER_DAY / 2);
      assertThat(verified.lost()).isZero();
      assertThat(export(target)).contains("," + time(1, 4) + "," + (value(0, 1, 4) + 0.5) + "\n");
    }
  }

  @Test
  void findsWhatDiffersOrIsMissing() throws Exception {
    VarveConfig config = config("buckets", "blocks");
    fill(config, "source", 0.0);
    fill(config, "target", 0.0);
    try (Target target = TargetOptions.open(config, "target", IfMissing.CREATE)) {
      assertThat(migrate(target, target.beside("source"), true).equal()).isEqualTo(SERIES * DAYS);
      BatchBuilder batch = new BatchBuilder();
      batch.group(key(3)).add("value", time(2, 7), -1.0);
      batch.group(key(4)).add("value", time(2, 7) + 1, -1.0);
      target.write(batch.build(), true);
      Totals verified = migrate(target, target.beside("source"), true);
      assertThat(verified.own()).isEqualTo(1);
      assertThat(verified.equal()).isEqualTo(SERIES * DAYS - 1);
      batch.group(key(5)).add("value", time(2, 7) + 1, -1.0);
      target.beside("source").write(batch.build(), true);
      assertThat(migrate(target, target.beside("source"), true).lost()).isEqualTo(1);
    }
  }

  @Test
  void listsWhatTheTargetRefuses() throws Exception {
    VarveConfig config = config("kairosdb", "heroic");
    try (Target target = TargetOptions.open(config, "target", IfMissing.CREATE)) {
      BatchBuilder batch = new BatchBuilder();
      batch.group(key(0)).add("value", START, "a text");
      batch.group(key(0)).add("value", START + 1000, 5L);
      batch.group(key(0)).add("value", START + 2000, (1L << 53) + 1);
      target.beside("source").write(batch.build(), true);
      Totals totals = migrate(target, target.beside("source"), false);
      assertThat(totals.written()).isEqualTo(1);
      assertThat(totals.coerced()).isEqualTo(1);
      assertThat(totals.refused()).isEqualTo(2);
      assertThat(totals.lost()).isZero();
      assertThat(Files.readString(folder.resolve("report")))
          .contains("\"refused\":\"m1{host=\\\"h0\\\"}#value at 1700006402000: ")
          .contains("no double is equal to the integer 9007199254740993")
          .contains("\"refused\":\"m1{host=\\\"h0\\\"}#value at 1700006400000: ");
    }
  }

  private VarveConfig config(String from, String to) {
    Path file = folder.resolve("varve.yaml");
    try {
      Files.writeString(
          file,
          """
          data: %s
          default: target
          datasets:
            source: {layout: %s}
            target: {layout: %s}
          """
              .formatted(folder.resolve("data"), from, to));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return VarveConfig.read(file, Map.of(), Map.of());
  }

  private static GroupKey key(int series) {
    return GroupKey.of("m" + (1 + series % 2), Tags.of("host", "h" + series));
  }

  private static long time(int day, int i) {
    return START + DAY * day + 80_000L * i;
  }

  private static double value(int series, int day, int i) {
    return series * 1e6 + day * 1e4 + i + 0.25;
  }

  private static void fill(VarveConfig config, String dataset, double more) {
    try (Target target = TargetOptions.open(config, dataset, IfMissing.CREATE)) {
      for (int day = 0; day < DAYS; day++) {
        BatchBuilder batch = new BatchBuilder();
        for (int s = 0; s < SERIES; s++) {
          for (int i = 0; i < PER_DAY; i++) {
            batch.group(key(s)).add("value", time(day, i), value(s, day, i) + more);
          }
        }
        assertThat(target.write(batch.build(), true).refused()).isZero();
      }
    }
  }

  private Totals migrate(Target target, Target from, boolean dry) throws IOException {
    Path state = folder.resolve("state");
    Checkpoint checkpoint = Checkpoint.read(state, "test " + dry);
    DatasetSource source = new DatasetSource(from, "source", ALL);
    try (Report report =
            new Report(folder.resolve("report" + (dry ? ".dry" : "")), checkpoint.reported());
        Migration run =
            new Migration(
                source,
                new Mapping(source.resolution(), target.resolution(), false, false),
                new Filler(target, 0, dry),
                checkpoint,
                state,
                report,
                new Progress(new PrintWriter(new StringWriter()), true, "samples", 0))) {
      return run.run();
    }
  }

  /** Returns a target that ends the migration at one of its next fills: before, within or after. */
  private static Target killedAt(Target target, int fill) {
    List<Object> calls = new ArrayList<>();
    boolean before = fill % 2 == 0;
    return (Target)
        Proxy.newProxyInstance(
            Target.class.getClassLoader(),
            new Class<?>[] {Target.class},
            (proxy, method, arguments) -> {
              boolean dies = method.getName().equals("fill") && calls.size() >= fill / 2;
              if (method.getName().equals("fill")) {
                calls.add(method);
              }
              if (dies && before) {
                throw new KilledException();
              }
              try {
                Object result = method.invoke(target, arguments);
                if (dies) {
                  throw new KilledException();
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static String export(Target target) throws IOException {
    StringWriter out = new StringWriter();
    target.export(
        QueryParameters.ofRows(Map.of("selector", "{__name__=~\".+\"}")),
        ExportFormat.csv.to(out, target.resolution(), 8192));
    return out.toString();
  }
}
