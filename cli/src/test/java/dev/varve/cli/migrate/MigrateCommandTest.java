package dev.varve.cli.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.varve.cli.Main;
import dev.varve.cli.config.VarveConfig;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command between homes, servers and other databases. */
class MigrateCommandTest {
  private static final long START = 1_700_000_000_000L;
  private static final int MANY = 40_000;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  @Test
  void fromAHomeToAServer() throws Exception {
    Path a = home("a", "buckets", "buckets");
    Path b = home("b", "blocks", "blocks");
    fill(a);
    try (Engine engine = open(b);
        Server server = start(engine)) {
      String to = "http://127.0.0.1:" + server.ports().getFirst();
      Object[] call = {"--source-config", a, "--server", to, "--report", folder.resolve("report")};
      assertThat(migrate(call)).as(err.toString()).isZero();
      assertThat(row()).containsEntry("samples", "3002").containsEntry("written", "3002");
      assertThat(migrate(call)).as(err.toString()).isZero();
      assertThat(row()).containsEntry("equal", "10").containsEntry("written", "0");
      assertThat(migrate("--source-config", a, "--server", to, "--verify")).isZero();
      assertThat(migrate("--source-dataset", "main", "--dataset", "other", "--server", to))
          .as(err.toString())
          .isZero();
      assertThat(row()).containsEntry("written", "3002");
    }
    assertThat(Files.readString(folder.resolve("report"))).contains("\"day\":\"2023-11-14\"");
    assertThat(export(b, "main")).isEqualTo(export(a, "main")).contains(",stale\n");
    assertThat(export(b, "other")).isEqualTo(export(a, "main"));
  }

  /** The steps of the page on migrations: with writers at all times, and back again. */
  @Test
  void switchesOverAndBack() throws Exception {
    Path a = home("a", "buckets", "blocks");
    fill(a);
    long noted = START + 1_000_000_000L;
    AtomicInteger sent = new AtomicInteger();
    try (Engine engine = open(a);
        Server server = start(engine)) {
      String url = "http://127.0.0.1:" + server.ports().getFirst();
      Object[] over = {"--source-server", url, "--source-dataset", "main", "--server", url};
      Object[] back = {"--source-server", url, "--source-dataset", "other", "--server", url};
      over = with(over, "--dataset", "other");
      back = with(back, "--dataset", "main");
      AtomicReference<Dataset> current = new AtomicReference<>(engine.dataset("main"));
      AtomicBoolean ended = new AtomicBoolean();
      Thread sender = Thread.ofVirtual().start(() -> send(current, noted, sent, ended));
      try {
        assertThat(migrate(over)).as(err.toString()).isZero();
        awaitOneMore(sent);
        current.set(engine.dataset("other"));
        awaitOneMore(sent);
        assertThat(migrate(with(over, "--from", noted))).as(err.toString()).isZero();
        assertThat(migrate(with(over, "--verify"))).as(err.toString()).isZero();
        current.set(engine.dataset("main"));
        awaitOneMore(sent);
        assertThat(migrate(with(back, "--from", noted))).as(err.toString()).isZero();
      } finally {
        ended.set(true);
        sender.join();
      }
      assertThat(migrate(with(over, "--from", noted))).as(err.toString()).isZero();
    }
    assertThat(export(a, "other")).isEqualTo(export(a, "main"));
    assertThat(out.toString().lines().filter(line -> line.startsWith("sent,"))).hasSize(sent.get());
  }

  private static void send(
      AtomicReference<Dataset> to, long from, AtomicInteger sent, AtomicBoolean ended) {
    while (!ended.get()) {
      BatchBuilder batch = new BatchBuilder();
      batch.group(key("sent", "h")).add("value", from + sent.get(), sent.get() + 0.5);
      assertThat(to.get().write(batch.build()).refused()).isZero();
      sent.incrementAndGet();
      LockSupport.parkNanos(5_000_000);
    }
  }

  /** Waits until a sample was sent that was begun after the call. */
  private static void awaitOneMore(AtomicInteger sent) throws InterruptedException {
    int begun = sent.get() + 2;
    while (sent.get() < begun) {
      Thread.sleep(1);
    }
  }

  @Test
  void fromTheApisOfPrometheusAndVictoriaMetrics() throws Exception {
    Path a = home("a", "blocks", "blocks");
    Path b = home("b", "buckets", "blocks");
    fill(a);
    try (Engine engine = open(a);
        Server server = start(engine)) {
      String from = "http://127.0.0.1:" + server.ports().getFirst();
      assertThat(migrate("--source-prometheus", from + "/prometheus/", "--config", b))
          .as(err.toString())
          .isZero();
      assertThat(row()).containsEntry("samples", "3002").containsEntry("written", "3002");
      assertThat(migrate("--source-victoriametrics", from, "--config", b, "--dataset", "other"))
          .as(err.toString())
          .isZero();
      assertThat(row()).containsEntry("samples", "3002").containsEntry("written", "3002");
    }
    assertThat(export(b, "main")).isEqualTo(export(a, "main"));
    assertThat(export(b, "other")).isEqualTo(export(a, "main"));
  }

  @Test
  void fromInfluxDb() throws Exception {
    Path b = home("b", "blocks", "heroic");
    HttpServer influx =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    influx.createContext(
        "/query",
        exchange -> {
          String query = URLDecoder.decode(exchange.getRequestURI().getRawQuery(), UTF_8);
          byte[] answer = influx(query.replaceAll(".*&q=|&chunked.*", "")).getBytes(UTF_8);
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream body = exchange.getResponseBody()) {
            body.write(answer);
          }
        });
    influx.start();
    try {
      Object[] call = {
        "--source-influx",
        "http://127.0.0.1:" + influx.getAddress().getPort(),
        "--source-database",
        "telegraf"
      };
      assertThat(migrate(with(call, "--config", b))).isEqualTo(1);
      assertThat(row()).containsEntry("written", "6").containsEntry("refused", "1");
      assertThat(export(b, "main"))
          .contains("cpu,\"{\"\"host\"\":\"\"a b\"\"}\",,busy,int64,1700000000000,1\n")
          .contains("cpu,\"{\"\"host\"\":\"\"a b\"\"}\",,load,double,1700000001000,1.0E20\n")
          .contains("cpu,\"{\"\"host\"\":\"\"a b\"\"}\",,load,double,1700000002000,-0.0\n")
          .contains("cpu,,,load,double,1700000000000,0.5\n");
      assertThat(migrate(with(call, "--config", b, "--dataset", "other", "--round-times")))
          .as(err.toString())
          .isZero();
      assertThat(row()).containsEntry("written", "7");
      assertThat(export(b, "other"))
          .contains("cpu_busy,\"{\"\"host\"\":\"\"a b\"\"}\",,value,double,1700000000000,1.0\n")
          .contains("cpu_load,,,value,double,1700000002000,0.75\n");
    } finally {
      influx.stop(0);
    }
  }

  private static String influx(String query) {
    String load = "\"load\"::float FROM \"cpu\" WHERE \"host\"::tag = ";
    String busy = "\"busy\"::boolean FROM \"cpu\" WHERE \"host\"::tag = ";
    return switch (query) {
      case "SHOW MEASUREMENTS" -> rows("[\"cpu\"]");
      case "SHOW FIELD KEYS FROM \"cpu\"" -> rows("[\"load\",\"float\"],[\"busy\",\"boolean\"]");
      case "SHOW SERIES FROM \"cpu\"" -> rows("[\"cpu,host=a\\\\ b\"],[\"cpu\"]");
      case String one when one.equals("SELECT " + load + "'a b'") ->
          rows("[1700000000000000000,1.5]")
              + rows("[1700000001000000000,100000000000000000000],[1700000002000000000,-0]");
      case String one when one.equals("SELECT " + load + "''") ->
          rows("[1700000000000000000,0.5],[1700000002000000001,0.75]");
      case String one when one.equals("SELECT " + busy + "'a b'") ->
          rows("[1700000000000000000,true],[1700000001000000000,false]");
      case String one when one.equals("SELECT " + busy + "''") ->
          "{\"results\":[{\"statement_id\":0}]}\n";
      default -> "{\"results\":[{\"error\":\"unexpected " + query.replace('"', ' ') + "\"}]}\n";
    };
  }

  private static String rows(String values) {
    return "{\"results\":[{\"statement_id\":0,\"series\":[{\"name\":\"cpu\",\"columns\":[\"time\",\"v\"],\"values\":["
        + values
        + "]}]}]}\n";
  }

  @Test
  void goesOnAfterAKill() throws Exception {
    Path a = home("a", "buckets", "blocks");
    fillWithMany(a);
    Path state = folder.resolve("state");
    killOnce(a, state);
    assertThat(
            migrate(
                "--config", a, "--source-dataset", "main", "--dataset", "other", "--state", state))
        .as(err.toString())
        .isZero();
    assertThat(err.toString()).contains("going on from m");
    assertThat(row()).containsEntry("samples", "40000").containsEntry("lost", "0");
    assertThat(row().get("equal")).isEqualTo(row().get("days"));
    assertThat(export(a, "other")).isEqualTo(export(a, "main"));
  }

  private static void fillWithMany(Path config) {
    try (Engine engine = open(config)) {
      BatchBuilder batch = new BatchBuilder();
      for (int i = 0; i < MANY; i++) {
        batch
            .group(key("m" + i % 3, "h" + i % 7))
            .add("value", START + 3_600_000L * (i % 240) + i, i + 0.5);
      }
      assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
    }
  }

  /** Only the last batch, of about 16,384 samples at most, is not waited for. */
  @Test
  void keepsToARate() throws Exception {
    Path a = home("a", "buckets", "blocks");
    fillWithMany(a);
    long start = System.nanoTime();
    assertThat(
            migrate(
                "--config",
                a,
                "--source-dataset",
                "main",
                "--dataset",
                "other",
                "--rate",
                Integer.toString(MANY / 4),
                "--state",
                folder.resolve("state")))
        .as(err.toString())
        .isZero();
    assertThat(row()).containsEntry("written", Integer.toString(MANY));
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(2));
  }

  /** Starts the migration in a process and kills that after its first checkpoint. */
  private void killOnce(Path config, Path state) throws Exception {
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                "dev.varve.cli.Main",
                "migrate",
                "--config",
                config.toString(),
                "--source-dataset",
                "main",
                "--dataset",
                "other",
                "--rate",
                "30000",
                "--state",
                state.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile())
            .start();
    while (process.isAlive() && !Files.exists(state)) {
      Thread.sleep(10);
    }
    Thread.sleep(new Random().nextInt(200));
    assertThat(process.isAlive()).as(Files.readString(folder.resolve("output"))).isTrue();
    process.destroyForcibly().waitFor();
  }

  @Test
  void refusesWrongCalls() throws Exception {
    Path a = home("a", "blocks", "blocks");
    fill(a);
    assertThat(migrate("--config", a)).isEqualTo(2);
    assertThat(err.toString()).contains("a dataset cannot be copied to itself");
    assertThat(migrate("--config", a, "--source-dataset", "main")).isEqualTo(2);
    assertThat(migrate("--config", a, "--source-influx", "http://127.0.0.1:1")).isEqualTo(2);
    assertThat(
            migrate(
                "--config",
                a,
                "--source-data",
                folder,
                "--source-prometheus",
                "http://127.0.0.1:1"))
        .isEqualTo(2);
    assertThat(migrate("--config", a, "--source-dataset", "main", "--dataset", "none"))
        .isEqualTo(1);
    Path state = Files.writeString(folder.resolve("s"), "{\"format\":1,\"migration\":\"x to y\"}");
    assertThat(
            migrate(
                "--config", a, "--source-dataset", "main", "--dataset", "other", "--state", state))
        .isEqualTo(1);
    assertThat(err.toString()).contains("is the checkpoint of another migration, 'x to y'");
    Files.writeString(state, "{\"format\":1}");
    assertThat(
            migrate(
                "--config", a, "--source-dataset", "main", "--dataset", "other", "--state", state))
        .isEqualTo(1);
    assertThat(err.toString()).contains("s is no checkpoint: it has no 'migration'");
    Files.writeString(state, "{\"format\":2,\"migration\":\"x to y\"}");
    assertThat(
            migrate(
                "--config", a, "--source-dataset", "main", "--dataset", "other", "--state", state))
        .isEqualTo(1);
    assertThat(err.toString()).contains(state + " has format 2, and this version reads format 1");
  }

  private Path home(String name, String main, String other) throws IOException {
    return Files.writeString(
        folder.resolve(name + ".yaml"),
        """
        data: %s
        default: main
        datasets:
          main: {layout: %s}
          other: {layout: %s}
        """
            .formatted(folder.resolve(name), main, other));
  }

  private static Engine open(Path config) {
    return Engine.open(VarveConfig.read(config, Map.of(), Map.of()).engine());
  }

  private static Server start(Engine engine) throws IOException {
    return Server.start(
        new ServerConfig(
            List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
            ServerConfig.DEFAULTS.http(),
            ServerConfig.DEFAULTS.query(),
            null,
            null,
            null),
        engine);
  }

  private static void fill(Path config) {
    try (Engine engine = open(config)) {
      BatchBuilder batch = new BatchBuilder();
      for (int i = 0; i < 1000; i++) {
        batch.group(key("m1", "h0")).add("value", START + 100_000L * i, i + 0.5);
        batch.group(key("m1", "h1")).add("value", START + 100_000L * i, i / 3.0);
        batch.group(key("m2", "h\"0")).add("value", START + 100_000L * i, -i * 1e100);
      }
      batch.group(GroupKey.of("m1", Tags.EMPTY)).add("value", START, Double.NEGATIVE_INFINITY);
      batch.group(key("m2", "h\"0")).add("value", START + 1, StaleMarker.VALUE);
      assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
    }
  }

  private static GroupKey key(String metric, String host) {
    return GroupKey.of(metric, Tags.of("host", host));
  }

  private String export(Path config, String dataset) {
    assertThat(
            run(
                "export",
                "--config",
                config,
                "--dataset",
                dataset,
                "--select",
                "{__name__=~\".+\"}",
                "--format",
                "csv"))
        .isZero();
    return out.toString();
  }

  /** Returns the outcome by its columns. */
  private Map<String, String> row() {
    List<String> lines = out.toString().lines().toList();
    String[] names = lines.get(0).split(",", -1);
    String[] values = lines.get(1).split(",", -1);
    Map<String, String> row = new TreeMap<>();
    for (int i = 0; i < names.length; i++) {
      row.put(names[i], values[i]);
    }
    return row;
  }

  private static Object[] with(Object[] call, Object... more) {
    return Stream.concat(Stream.of(call), Stream.of(more)).toArray();
  }

  private int migrate(Object... arguments) {
    Stream<Object> state =
        List.of(arguments).contains("--state")
            ? Stream.of()
            : Stream.of("--state", folder.resolve("usual.state"));
    return run(
        Stream.concat(
                Stream.of("migrate", "--output", "csv"), Stream.concat(Stream.of(arguments), state))
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
