package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.target.DataSocket;
import dev.varve.engine.Engine;
import dev.varve.engine.config.EngineConfig;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The commands on the pages on operations run as they are written, in their order. */
class OperationsPagesTest {
  private static final Pattern BLOCK = Pattern.compile("(?s)```sh\\n(.*?)```");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  /** A line that sets a variable to the time. */
  private static final Pattern TIME =
      Pattern.compile("(\\w+)=\\$\\(date -u \\+%Y-%m-%dT%H:%M:%SZ\\)");

  private final Map<String, String> times = new HashMap<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"backup.md", "export.md"})
  void commandsRunAsTheyAreWritten(String page) throws Exception {
    Path data = folder.resolve("varve-data");
    EngineConfig config =
        VarveConfig.read(
                null,
                Map.of(),
                Map.of(
                    "data",
                    data.toString(),
                    "backup.directory",
                    folder.resolve("by-server").toString()))
            .engine();
    int commands = 0;
    try (Engine engine = Engine.open(config);
        Server server = Server.start(listening(), () -> engine, DataSocket.listen(data))) {
      String url = "http://127.0.0.1:" + server.ports().getFirst();
      assertThat(run("put", point(), "--server", url)).isZero();
      for (String command : commands(page)) {
        List<String> words = words(command, url);
        if (words.contains("export") || words.contains("import")) {
          words.addAll(List.of("--data", data.toString()));
        }
        assertThat(run(words.toArray(String[]::new))).as("%s: %s", command, err).isZero();
        commands++;
      }
    } finally {
      DataSocket.remove(data);
    }
    assertThat(commands).isGreaterThan(3);
  }

  /**
   * Each command finds something to copy: what was written just before to the dataset, directory or
   * server from which it copies.
   */
  @Test
  void migrationsRunAsTheyAreWritten() throws Exception {
    Path data = folder.resolve("varve-data");
    Path other = folder.resolve("prometheus");
    int commands = 0;
    try (Engine engine = Engine.open(datasets(data, "main", "kairos"));
        Server server = Server.start(listening(), () -> engine, DataSocket.listen(data));
        Engine prometheus = Engine.open(datasets(other, "default"));
        Server source = Server.start(listening(), prometheus)) {
      String url = url(server);
      for (String command : commands("migrate.md")) {
        if (isTime(command)) {
          continue;
        }
        List<String> words = words(command, url);
        words.replaceAll(word -> word.equals("http://127.0.0.1:9090") ? url(source) : word);
        if (!words.contains("--server")) {
          words.addAll(List.of("--data", data.toString()));
        }
        String metric = "m" + ++commands;
        boolean writes = !words.contains("--verify");
        if (writes) {
          List<String> put = new ArrayList<>(List.of("put", point(metric)));
          put.addAll(source(words, url));
          assertThat(run(put.toArray(String[]::new))).as("%s: %s", put, err).isZero();
        }
        assertThat(run(words.toArray(String[]::new))).as("%s: %s", command, err).isZero();
        if (writes) {
          String target =
              words.contains("kairos") && words.indexOf("kairos") > words.indexOf("main")
                  ? "kairos"
                  : "main";
          out.getBuffer().setLength(0);
          assertThat(run("query", metric, "--last", "1h", "--server", url, "--dataset", target))
              .isZero();
          assertThat(out.toString()).as(command).contains("1.5");
        }
      }
    } finally {
      DataSocket.remove(data);
    }
    assertThat(commands).isGreaterThan(6);
    assertThat(times).hasSize(2);
  }

  /** Returns the options by which a point is written where a migration reads. */
  private List<String> source(List<String> words, String url) {
    for (String option : List.of("--source-data", "--source-prometheus", "--source-dataset")) {
      int at = words.indexOf(option);
      if (at >= 0) {
        String value = words.get(at + 1);
        return switch (option) {
          case "--source-data" -> List.of("--data", value);
          case "--source-prometheus" -> List.of("--server", value);
          default -> List.of("--server", url, "--dataset", value);
        };
      }
    }
    throw new AssertionError("no source in " + words);
  }

  /** Sets a variable as the shell does, if a line says so. */
  private boolean isTime(String line) {
    Matcher set = TIME.matcher(line);
    boolean is = set.matches();
    if (is) {
      times.put(
          "\"$" + set.group(1) + "\"", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    }
    return is;
  }

  private static EngineConfig datasets(Path data, String... names) throws IOException {
    StringBuilder config =
        new StringBuilder("data: " + data + "\ndefault: " + names[0] + "\ndatasets:\n");
    for (String name : names) {
      config.append(
          "  %s: {layout: %s}\n".formatted(name, name.equals("kairos") ? "kairosdb" : "blocks"));
    }
    Path file = Files.writeString(Path.of(data + ".yaml"), config);
    return VarveConfig.read(file, Map.of(), Map.of()).engine();
  }

  private static String url(Server server) {
    return "http://127.0.0.1:" + server.ports().getFirst();
  }

  /**
   * The steps of an upgrade run on a directory and a backup of an earlier build, as a kill has left
   * them. That build's own step, the backup, is in the past.
   */
  @Test
  void theStepsOfAnUpgradeOpenDataOfAnEarlierBuild() throws Exception {
    FormatsTest.unpack("formats-2026-11.zip", folder);
    Files.move(folder.resolve("data"), folder.resolve("varve-data"));
    Path config =
        Files.writeString(
            folder.resolve("varve.yaml"),
            "data: %s%nmemory: 8MB%ndatasets: {blocks: {}, cells: {layout: buckets}}%n"
                .formatted(folder.resolve("varve-data")));
    List<String> lines = lines("../upgrade.md");
    int past = lines.indexOf("git pull");
    assertThat(lines.subList(0, past))
        .containsExactly("./varve backup --config varve.yaml --to /mnt/backup/varve");
    int opened = 0;
    int commands = 0;
    try (Service service = new Service(config)) {
      for (String line : lines.subList(past + 1, lines.size())) {
        switch (line) {
          case "sudo systemctl stop varve" -> service.stop();
          case "sudo systemctl start varve" -> service.start();
          case "mv varve-data varve-data.later" ->
              Files.move(folder.resolve("varve-data"), folder.resolve("varve-data.later"));
          default -> {
            assertThat(line).startsWith("./varve ");
            List<String> words = words(line, "");
            assertThat(run(words.toArray(String[]::new))).as("%s: %s%s", line, out, err).isZero();
            commands++;
            if (words.contains("ready")) {
              // The backup of that build is older than its last 200 samples of each dataset.
              assertSamplesOfTheEarlierBuild(config, opened++ == 0 ? 300 + 239 : 200 + 139);
            }
          }
        }
      }
    }
    assertThat(opened).as("after the upgrade and after the way back").isEqualTo(2);
    assertThat(commands).isGreaterThan(4);
  }

  /** See {@link FormatsTest}. */
  private void assertSamplesOfTheEarlierBuild(Path config, int samples) {
    for (String dataset : List.of("blocks", "cells")) {
      out.getBuffer().setLength(0);
      List<String> query =
          List.of(
              "query", "cpu", "--dataset", dataset, "--from", "2026-01-01", "--to", "2026-01-02");
      List<String> words = new ArrayList<>(query);
      words.addAll(List.of("--output", "csv", "--config", config.toString()));
      assertThat(run(words.toArray(String[]::new))).as("%s", err).isZero();
      assertThat(out.toString().lines().skip(1)).as(dataset).hasSize(samples);
    }
  }

  /** A server that the test starts and stops in place of systemd. */
  private static final class Service implements AutoCloseable {
    private final Path config;
    private @Nullable Engine engine;
    private @Nullable Server server;

    private Service(Path config) {
      this.config = config;
    }

    private void start() throws IOException {
      EngineConfig of = VarveConfig.read(config, Map.of(), Map.of()).engine();
      Engine opened = Engine.open(of);
      engine = opened;
      server = Server.start(listening(), () -> opened, DataSocket.listen(of.directory()));
    }

    private void stop() throws IOException {
      if (server != null && engine != null) {
        server.close();
        engine.close();
        DataSocket.remove(VarveConfig.read(config, Map.of(), Map.of()).engine().directory());
      }
      server = null;
    }

    @Override
    public void close() throws IOException {
      stop();
    }
  }

  private static String point() {
    return point("cpu");
  }

  private static String point(String metric) {
    return "{\"metric\":\"%s\",\"tags\":{\"host\":\"a\"},\"time\":%d,\"value\":1.5}"
        .formatted(metric, System.currentTimeMillis());
  }

  private static ServerConfig listening() {
    return new ServerConfig(
        List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
        ServerConfig.DEFAULTS.http(),
        ServerConfig.DEFAULTS.query(),
        null,
        null,
        null);
  }

  private static List<String> commands(String page) throws IOException {
    return lines(page).stream()
        .filter(line -> line.startsWith("./varve ") || TIME.matcher(line).matches())
        .toList();
  }

  /** Returns the lines of the blocks of commands of a page. */
  private static List<String> lines(String page) throws IOException {
    Matcher block = BLOCK.matcher(Files.readString(Path.of("../docs/operations", page)));
    List<String> lines = new ArrayList<>();
    while (block.find()) {
      block.group(1).lines().forEach(lines::add);
    }
    return lines;
  }

  /** Returns the words of a command, with places of this test for those of the page. */
  private List<String> words(String command, String url) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(command.substring("./varve ".length()));
    while (word.find()) {
      String text = word.group(1) == null ? word.group(2) : word.group(1);
      words.add(
          switch (text) {
            case "varve-data", "restored", "old-data", "varve.yaml" ->
                folder.resolve(text).toString();
            case "/mnt/backup/varve" -> folder.resolve("backups").toString();
            case "http://127.0.0.1:4242" -> url;
            default ->
                times.getOrDefault(
                    text,
                    text.matches("\\w+\\.(jsonl|csv|om|parquet)")
                        ? folder.resolve(text).toString()
                        : text);
          });
    }
    return words;
  }

  private int run(String... arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }
}
