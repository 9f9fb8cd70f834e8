package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.config.VarveConfig;
import dev.varve.engine.Engine;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DeleteCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private String data() {
    return folder.resolve("data").toString();
  }

  private void importLines() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      lines.append("put load %d %d host=a%n".formatted(1_699_999_200 + 60 * i, i));
    }
    Path file = Files.writeString(folder.resolve("load.tsdb"), lines);
    assertThat(run("import", "--format", "opentsdb", file.toString(), "--data", data())).isZero();
  }

  @Test
  void deletesInTheDataDirectory() throws IOException {
    importLines();
    String[] some = {
      "load{host=\"a\"}", "--from", "1699999260000", "--to", "1699999380000", "--data", data()
    };
    assertThat(run(with(some, "--dry-run", "--output", "json"))).isZero();
    assertThat(out.toString().strip()).isEqualTo("{\"series\":1,\"samples\":2}");
    assertThat(run(with(some, "--output", "json"))).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains("\"state\":\"done\"", "\"samples\":2,\"cells\":0,\"rewritten\":1,\"damaged\":0");
    assertThat(run("query", "load", "--from", "2023-11-14", "--data", data(), "--output", "csv"))
        .isZero();
    assertThat(out.toString().lines()).hasSize(59);
    assertThat(run(with(some, "--dry-run", "--output", "json"))).isZero();
    assertThat(out.toString().strip()).isEqualTo("{\"series\":0,\"samples\":0}");
  }

  @Test
  void deletesThroughAServer() throws IOException {
    importLines();
    VarveConfig config = VarveConfig.read(null, Map.of(), Map.of("data", data()));
    try (Engine engine = Engine.open(config.engine());
        Server server = server(engine)) {
      String address = "http://127.0.0.1:" + server.ports().getFirst();
      String[] all = {"load", "--server", address};
      assertThat(run(with(all, "--dry-run", "--output", "json"))).isZero();
      assertThat(out.toString().strip()).isEqualTo("{\"series\":1,\"samples\":60}");
      assertThat(run(with(all, "--output", "json"))).as(err.toString()).isZero();
      assertThat(out.toString()).contains("\"state\":\"done\"", "\"samples\":60");
      assertThat(run(with(all, "--dry-run", "--output", "json"))).isZero();
      assertThat(out.toString().strip()).isEqualTo("{\"series\":0,\"samples\":0}");
    }
  }

  @Test
  void listsWhatStillHoldsDeletedSamples() throws IOException {
    importLines();
    Path backups = folder.resolve("backups");
    VarveConfig config =
        VarveConfig.read(
            null, Map.of(), Map.of("data", data(), "backup.directory", backups.toString()));
    try (Engine engine = Engine.open(config.engine());
        Server server = server(engine)) {
      String address = "http://127.0.0.1:" + server.ports().getFirst();
      String[] remnants = {"delete", "--remnants", "--server", address, "--output", "csv"};
      assertThat(run("backup", "--server", address, "--to", "nightly")).isZero();
      String snapshot = engine.snapshots().create().name();
      Path aside = folder.resolve("data/rocksdb/damaged-20261128000000");
      Files.createDirectory(aside);
      assertThat(run(remnants)).isZero();
      assertThat(out.toString().lines()).as("before any delete").hasSize(1);

      assertThat(run("delete", "load", "--server", address)).isZero();
      assertThat(err.toString())
          .contains(
              "deleted samples may remain in snapshot " + snapshot,
              "deleted samples may remain in backup nightly/",
              "deleted samples may remain in set aside rocksdb/damaged-20261128000000",
              "labels may remain in home default at least until 20");
      assertThat(run(remnants)).as(err.toString()).isZero();
      List<String> lines = out.toString().lines().toList();
      assertThat(lines).hasSize(5);
      assertThat(lines.get(1)).startsWith("snapshot," + snapshot + ",20");
      assertThat(lines.get(2)).startsWith("backup,nightly/20");
      assertThat(lines.get(3)).startsWith("set aside,rocksdb/damaged-20261128000000,");
      assertThat(lines.get(4)).startsWith("home,default,,20");

      engine.snapshots().delete(snapshot);
      Files.delete(aside);
      awaitNextSecond();
      assertThat(run("backup", "--server", address, "--to", "nightly", "--keep", "1")).isZero();
      assertThat(run(remnants)).isZero();
      assertThat(out.toString().lines().skip(1))
          .as("once the copies are gone")
          .singleElement()
          .isEqualTo(lines.get(4));
    }
    assertThat(run("delete", "load", "--remnants", "--data", data())).isEqualTo(2);
    assertThat(err.toString()).contains("--remnants goes with no SELECTOR");
  }

  /** The age of a backup is known to the second. */
  private static void awaitNextSecond() {
    long second = System.currentTimeMillis() / 1000;
    while (System.currentTimeMillis() / 1000 == second) {
      Thread.onSpinWait();
    }
  }

  private static Server server(Engine engine) throws IOException {
    ServerConfig served =
        new ServerConfig(
            List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
            ServerConfig.DEFAULTS.http(),
            ServerConfig.DEFAULTS.query(),
            null,
            null);
    return Server.start(served, engine);
  }

  private static String[] with(String[] some, String... more) {
    String[] all = new String[1 + some.length + more.length];
    all[0] = "delete";
    System.arraycopy(some, 0, all, 1, some.length);
    System.arraycopy(more, 0, all, 1 + some.length, more.length);
    return all;
  }

  @Test
  void saysWhatIsWrong() {
    assertThat(run("delete")).isEqualTo(2);
    assertThat(run("delete", "load{", "--data", data())).isEqualTo(2);
    assertThat(run("delete", "load", "--from", "soon", "--data", data())).isEqualTo(2);
    assertThat(run("delete", "load", "--from", "9", "--to", "9", "--data", data())).isEqualTo(2);
    assertThat(err.toString()).contains("no time lies from 'from' on and before 'to'");
    assertThat(run("delete", "load", "--data", data())).isEqualTo(1);
    assertThat(err.toString()).contains("there is no data directory");
  }
}
