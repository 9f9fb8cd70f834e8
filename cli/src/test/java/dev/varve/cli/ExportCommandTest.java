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
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Exports of a directory and through a server, and imports of them into another directory. */
class ExportCommandTest {
  private static final long START = 1_700_000_000_000L;

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

  /** What a kill leaves: a file that is longer than what is recorded as final. */
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
    assertThat(export(format, "--resume")).isEqualTo(2);
    assertThat(export(format, "--out", part.toString(), "--resume", "--from", "15m")).isEqualTo(2);
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
    return run(
        Stream.concat(
                Stream.of(
                    "export",
                    "--data",
                    data(),
                    "--select",
                    "{__name__=~\"m.*\"}",
                    "--format",
                    format),
                Stream.of(more))
            .toArray());
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
