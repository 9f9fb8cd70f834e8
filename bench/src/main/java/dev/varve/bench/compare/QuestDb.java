package dev.varve.bench.compare;

import dev.varve.devstores.ChildProcess;
import dev.varve.devstores.JavaHome;
import dev.varve.devstores.Parts;
import dev.varve.formats.json.Json;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** QuestDB, from Maven Central, on the Java of this process. Line protocol makes its tables. */
record QuestDb() implements Product {
  private static final int ROWS = 10_000;

  @Override
  public String name() {
    return "questdb";
  }

  @Override
  public String version() {
    String jars = Parts.classPath("questdb");
    return jars.substring(jars.lastIndexOf("questdb-") + "questdb-".length()).replace(".jar", "");
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.LINE);
  }

  @Override
  public Language language() {
    return Language.SQL;
  }

  @Override
  public ChildProcess start(Path folder, int port) throws IOException {
    Path data = Files.createDirectories(folder.resolve("data"));
    return ChildProcess.start(
        name(),
        List.of(
            JavaHome.ownJava().toString(),
            "-XX:+UseParallelGC",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            Parts.classPath("questdb"),
            "io.questdb.ServerMain",
            "-d",
            data.toString()),
        folder,
        Map.of(
            "QDB_HTTP_BIND_TO", "127.0.0.1:" + port,
            "QDB_HTTP_MIN_ENABLED", "false",
            "QDB_PG_ENABLED", "false",
            "QDB_LINE_TCP_ENABLED", "false",
            "QDB_TELEMETRY_ENABLED", "false",
            "QDB_METRICS_ENABLED", "false"),
        folder.resolve("log"));
  }

  @Override
  public String readyTarget() {
    return "/exec?query=select%201";
  }

  @Override
  public String writeTarget(Protocol protocol) {
    return "/write?precision=n";
  }

  @Override
  public int rowsOfRequest(Protocol protocol, int fields) {
    return ROWS;
  }

  /** Its threads look for work all the time. */
  @Override
  public double idleCpu() {
    return 0.2;
  }

  /** Its tables are filled from its log with some delay. */
  @Override
  public Duration quietTime() {
    return Duration.ofSeconds(10);
  }

  /** Stops it: files of a running server are allocated ahead. */
  @Override
  public long atRest(Running server) throws IOException {
    server.stop();
    return ProcessFigures.diskBytes(server.data());
  }

  /** Adds up the rows of the tables, each with all its fields. */
  @Override
  public long count(Running server, DataSet data) throws IOException {
    TreeSet<String> tables = new TreeSet<>();
    data.entities().forEach(entity -> tables.add(entity.measurement()));
    long rows = 0;
    for (String table : tables) {
      String query = URLEncoder.encode("select count() from " + table, StandardCharsets.UTF_8);
      rows += first(Connection.get(server.port(), "/exec?query=" + query));
    }
    return rows * data.entities().getFirst().fields().size();
  }

  /** Returns the first number of the rows in an answer. */
  private static long first(String answer) throws IOException {
    try (JsonParser json = Json.parser(answer)) {
      boolean rows = false;
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.PROPERTY_NAME) {
          rows = json.currentName().equals("dataset");
        } else if (rows && token == JsonToken.VALUE_NUMBER_INT) {
          return json.getLongValue();
        }
      }
    }
    throw new IOException("no number in " + answer);
  }
}
