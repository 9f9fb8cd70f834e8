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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The commands on the pages on operations run as they are written, in their order. */
class OperationsPagesTest {
  private static final Pattern BLOCK = Pattern.compile("(?s)```sh\\n(.*?)```");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

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

  private static String point() {
    return "{\"metric\":\"cpu\",\"tags\":{\"host\":\"a\"},\"time\":%d,\"value\":1.5}"
        .formatted(System.currentTimeMillis());
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
    Matcher block = BLOCK.matcher(Files.readString(Path.of("../docs/operations", page)));
    List<String> commands = new ArrayList<>();
    while (block.find()) {
      block.group(1).lines().filter(line -> line.startsWith("./varve ")).forEach(commands::add);
    }
    return commands;
  }

  /** Returns the words of a command, with places of this test for those of the page. */
  private List<String> words(String command, String url) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(command.substring("./varve ".length()));
    while (word.find()) {
      String text = word.group(1) == null ? word.group(2) : word.group(1);
      words.add(
          switch (text) {
            case "varve-data", "restored" -> folder.resolve(text).toString();
            case "/mnt/backup/varve" -> folder.resolve("backups").toString();
            case "http://127.0.0.1:4242" -> url;
            default ->
                text.matches("\\w+\\.(jsonl|csv|om|parquet)")
                    ? folder.resolve(text).toString()
                    : text;
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
