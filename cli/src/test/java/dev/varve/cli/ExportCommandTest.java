package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.config.VarveConfig;
import dev.varve.engine.Engine;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Exports of a directory and through a server, and imports of them into another directory. */
class ExportCommandTest {
  private static final long START = 1_700_000_000_000L;
  private static final List<String> FORMATS = List.of("csv", "json", "openmetrics", "parquet");
  private static final int KILLS = 3;

  /** Samples of a series, of which several are more than a row group of Parquet. */
  private static final int MANY = 150_000;

  private static final int PART = 25_000;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"csv", "json", "openmetrics"})
  void comesBackThroughAnImport(String format) throws Exception {
    fill(false);
    Path file = folder.resolve("export");
    Path again = folder.resolve("again");
    assertThat(export(format, "--out", file.toString())).as(err.toString()).isZero();
    assertThat(err.toString()).contains("6,000 samples");
    String exported = Files.readString(file);
    assertThat(export(format)).isZero();
    assertThat(out.toString()).isEqualTo(exported);
    assertThat(file.resolveSibling("export.partial")).doesNotExist();

    assertThat(run("import", "--format", format, "--data", folder.resolve("b"), file))
        .as(err.toString())
        .isZero();
    assertThat(
            run(
                "export",
                "--data",
                folder.resolve("b"),
                "--select",
                "{__name__=~\"m.*\"}",
                "--format",
                format,
                "--out",
                again))
        .as(err.toString())
        .isZero();
    assertThat(again).hasContent(exported);
  }

  /** Simulates a kill: the file is longer than the part that the state file records as complete. */
  @ParameterizedTest
  @ValueSource(strings = {"csv", "json", "openmetrics"})
  void goesOnAfterAKill(String format) throws Exception {
    fill(true);
    Path file = folder.resolve("export");
    Path part = folder.resolve("part");
    int code = export(format, "--out", file.toString());
    String whole = Files.readString(file);
    String summary = lastLines();
    // Ends in the middle of the first series, which csv and openmetrics have line by line.
    boolean lines = !format.equals("json");
    int end = lines ? 0 : whole.indexOf("h1");
    for (int line = 0; lines && line < 1000; line++) {
      end = whole.indexOf('\n', end) + 1;
    }
    end = whole.lastIndexOf('\n', end) + 1;
    int written = !lines ? 2000 : format.equals("csv") ? 999 : 1000;
    Path state = folder.resolve("part.state");
    for (int kill = 0; kill < 2; kill++) {
      Files.writeString(folder.resolve("part.partial"), whole.substring(0, end) + "m1,torn");
      Files.writeString(
          state,
          "{\"format\":2,\"export\":\"%s of {__name__=~\\\"m.*\\\"} from the first to the last of dataset 'default' of %s\",\"metric\":\"m1\",\"tags\":{\"host\":\"h0\"},\"resource\":{},\"field\":\"value\",\"time\":%d,\"bytes\":%d,\"written\":%d,\"leftOut\":0,\"groups\":[]}"
              .formatted(format, data(), START + 1000L * (written - 1), end, written));
      assertThat(export(format, "--out", part.toString(), "--resume"))
          .as(err.toString())
          .isEqualTo(code);
      assertThat(part).hasContent(whole);
      assertThat(lastLines()).isEqualTo(summary);
      assertThat(state).doesNotExist();
    }
    // Another export does not go on from here.
    Files.writeString(state, "{\"format\":2,\"export\":\"other\"}");
    assertThat(export(format, "--out", part.toString(), "--resume")).isEqualTo(1);
    assertThat(err.toString()).contains("is of another export, 'other'");
    Files.writeString(state, "{\"format\":3,\"export\":\"other\"}");
    assertThat(export(format, "--out", part.toString(), "--resume")).isEqualTo(1);
    assertThat(err.toString()).contains(state + " has format 3, and this version reads format 2");
    assertThat(export(format, "--resume")).isEqualTo(2);
    assertThat(export(format, "--out", part.toString(), "--resume", "--from", "15m")).isEqualTo(2);
  }

  /** A process that is killed at random moments, and another one that continues each time. */
  @Test
  void goesOnAfterKillsOfAProcess() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    String format = FORMATS.get(random.nextInt(FORMATS.size()));
    System.out.println("ExportCommandTest: seed " + seed + ", kills of " + format);
    fillWithMany();
    Path whole = folder.resolve("whole");
    assertThat(export(format, "--no-progress", "--out", whole.toString()))
        .as(err.toString())
        .isZero();
    String summary = lastLines();

    Path file = folder.resolve("killed");
    int goingOn = 0;
    for (int kill = 0; kill < KILLS && !Files.exists(file); kill++) {
      killExport(format, file, goingOn == 0, random.nextInt(goingOn == 0 ? 100 : 300));
      goingOn += Files.exists(folder.resolve("killed.state")) ? 1 : 0;
      if (goingOn == 0) {
        // It has ended before the kill.
        Files.delete(file);
      }
    }
    assertThat(goingOn).as("kills with something to go on from").isPositive();
    if (!Files.exists(file)) {
      assertThat(export(format, "--no-progress", "--out", file.toString(), "--resume"))
          .as(err.toString())
          .isZero();
      assertThat(err.toString()).contains("going on in ");
      assertThat(lastLines()).isEqualTo(summary);
    }
    assertThat(Files.mismatch(file, whole)).as("the first byte that differs").isEqualTo(-1);
    assertThat(folder.resolve("killed.state")).doesNotExist();
    assertThat(folder.resolve("killed.partial")).doesNotExist();
  }

  /**
   * Goes on with an export in a process, and kills that some time after it has begun.
   *
   * @param state whether the time begins once something is final
   */
  private void killExport(String format, Path file, boolean state, int millis) throws Exception {
    Path output = folder.resolve("output");
    Path partial = file.resolveSibling(file.getFileName() + ".partial");
    long before = sizeOf(partial);
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    arguments(format, "--out", file.toString(), "--resume", "--no-progress")
        .forEach(argument -> command.add(argument.toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      while (process.isAlive()
          && (state
              ? !Files.exists(file.resolveSibling(file.getFileName() + ".state"))
              : sizeOf(partial) == before)) {
        Thread.sleep(5);
      }
      Thread.sleep(millis);
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertThat(Files.exists(file) || Files.exists(partial)).as(Files.readString(output)).isTrue();
  }

  /** Returns the size of a file, or -1 if it is not there or no longer. */
  private static long sizeOf(Path file) throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return -1;
    }
  }

  private void fillWithMany() {
    try (Engine engine = open()) {
      Random random = new Random(1);
      for (int series = 0; series < 3; series++) {
        for (int part = 0; part < MANY / PART; part++) {
          BatchBuilder batch = new BatchBuilder();
          for (int i = part * PART; i < (part + 1) * PART; i++) {
            batch
                .group(key("m" + series, "h"))
                .add("value", START + 1000L * i, random.nextDouble());
          }
          assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
        }
      }
    }
  }

  /** Returns what the last command said of its samples. */
  private String lastLines() {
    String said = err.toString();
    err.getBuffer().setLength(0);
    return said.lines().filter(line -> line.contains(" samples")).toList().toString();
  }

  @Test
  void throughAServerIsTheSame() throws Exception {
    fill(true);
    ServerConfig config =
        new ServerConfig(
            List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
            ServerConfig.DEFAULTS.http(),
            ServerConfig.DEFAULTS.query(),
            null,
            null,
            null);
    for (String format : List.of("csv", "json", "openmetrics")) {
      int code = export(format);
      String alone = out.toString();
      try (Engine engine = open();
          Server server = Server.start(config, engine)) {
        String address = "http://127.0.0.1:" + server.ports().getFirst();
        assertThat(export(format, "--server", address)).as(err.toString()).isEqualTo(code);
      }
      assertThat(out.toString()).as(format).isEqualTo(alone);
    }
  }

  @Test
  void isOrderedAndBoundedByTimes() {
    fill(false);
    assertThat(export("csv", "--from", String.valueOf(START), "--to", String.valueOf(START + 1000)))
        .isZero();
    List<String> lines = out.toString().lines().toList();
    assertThat(lines.getFirst()).isEqualTo("metric,tags,resource,field,kind,time_ms,value");
    assertThat(lines.subList(1, lines.size()))
        .containsExactly(
            "m1,\"{\"\"host\"\":\"\"h0\"\"}\",,value,double,1700000000000,0.5",
            "m1,\"{\"\"host\"\":\"\"h0\"\"}\",,value,double,1700000001000,1.5",
            "m1,\"{\"\"host\"\":\"\"h1\"\"}\",,value,double,1700000000000,0.5",
            "m1,\"{\"\"host\"\":\"\"h1\"\"}\",,value,double,1700000001000,1.5",
            "m2,\"{\"\"host\"\":\"\"h0\"\"}\",,value,double,1700000000000,0.5",
            "m2,\"{\"\"host\"\":\"\"h0\"\"}\",,value,double,1700000001000,1.5");
  }

  @Test
  void saysWhatItsFormatCannotHold() {
    fill(true);
    assertThat(export("csv")).isZero();
    assertThat(out.toString()).contains(",string,1700000000000,\"\"\"a text\"\"\"", ",stale\n");
    assertThat(export("json")).isEqualTo(1);
    assertThat(err.toString()).contains("1 samples are left out, which json cannot hold");
    assertThat(out.toString()).contains("null").doesNotContain("a text");
    assertThat(export("openmetrics")).isEqualTo(1);
    assertThat(err.toString()).contains("2 samples are left out, which openmetrics cannot hold");
    assertThat(out.toString()).endsWith("# EOF\n");
  }

  @Test
  void refusesWrongCalls() {
    fill(false);
    assertThat(run("export", "--select", "m{", "--format", "csv", "--data", data())).isEqualTo(2);
    assertThat(run("export", "--select", "m", "--format", "xml", "--data", data())).isEqualTo(2);
    assertThat(run("export", "--select", "m", "--format", "csv", "--data", folder.resolve("none")))
        .isEqualTo(1);
  }

  private Path data() {
    return folder.resolve("a");
  }

  private Engine open() {
    return Engine.open(
        VarveConfig.read(null, Map.of(), Map.of("data", data().toString())).engine());
  }

  /** Writes 2,000 samples each of three series, and a text and a staleness marker if wanted. */
  private void fill(boolean more) {
    try (Engine engine = open()) {
      BatchBuilder batch = new BatchBuilder();
      for (int i = 0; i < 2000; i++) {
        for (GroupKey key : List.of(key("m1", "h0"), key("m1", "h1"), key("m2", "h0"))) {
          batch.group(key).add("value", START + 1000L * i, i + 0.5);
        }
      }
      if (more) {
        batch.group(key("m3", "h0")).add("value", START, "a text");
        batch.group(key("m3", "h1")).add("value", START, StaleMarker.VALUE);
      }
      assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
    }
  }

  private static GroupKey key(String metric, String host) {
    return GroupKey.of(metric, Tags.of("host", host));
  }

  private int export(String format, String... more) {
    return run(arguments(format, more).toArray());
  }

  private Stream<Object> arguments(String format, String... more) {
    return Stream.concat(
        Stream.of(
            "export", "--data", data(), "--select", "{__name__=~\"m.*\"}", "--format", format),
        Stream.of(more));
  }

  private int run(Object... arguments) {
    out.getBuffer().setLength(0);
    CommandLine line = Main.commandLine();
    PrintWriter to = new PrintWriter(out);
    line.setOut(to);
    line.setErr(new PrintWriter(err, true));
    int code = line.execute(Stream.of(arguments).map(Object::toString).toArray(String[]::new));
    to.flush();
    return code;
  }
}
