package dev.varve.bench.compare;

import dev.varve.devstores.ChildProcess;
import dev.varve.devstores.DebianProgram;
import dev.varve.formats.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * InfluxDB 1, from Debian, with the index on disk and without limits of series. It compacts a shard
 * ten seconds after the last write instead of four hours, so that the measurement need not wait.
 */
record InfluxDb() implements Product {
  private static final int ROWS = 5_000;
  private static final String QUERY = "/query?db=main&epoch=ns&q=";

  private static DebianProgram program() {
    return DebianProgram.find("influxdb", "influxd");
  }

  @Override
  public String name() {
    return "influxdb";
  }

  @Override
  public String version() {
    return program().debianVersion();
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.LINE);
  }

  @Override
  public Language language() {
    return Language.INFLUXQL;
  }

  @Override
  public ChildProcess start(Path folder, int port) throws IOException {
    Path data = folder.resolve("data");
    Path config =
        Files.writeString(
            folder.resolve("influxdb.conf"),
            """
            reporting-disabled = true
            bind-address = "127.0.0.1:0"
            [meta]
              dir = "%1$s/meta"
            [data]
              dir = "%1$s/data"
              wal-dir = "%1$s/wal"
              index-version = "tsi1"
              max-series-per-database = 0
              max-values-per-tag = 0
              cache-snapshot-write-cold-duration = "5s"
              compact-full-write-cold-duration = "10s"
              query-log-enabled = false
            [monitor]
              store-enabled = false
            [http]
              bind-address = "127.0.0.1:%2$d"
              log-enabled = false
              max-body-size = 0
            """
                .formatted(data, port));
    return ChildProcess.start(
        name(),
        List.of(program().executable().toString(), "run", "-config", config.toString()),
        folder,
        Map.of(),
        folder.resolve("log"));
  }

  @Override
  public String readyTarget() {
    return "/ping";
  }

  @Override
  public void prepare(Running server) throws IOException {
    try (Connection connection = new Connection(server.port())) {
      connection.send("POST", "/query?q=CREATE+DATABASE+main", "", new byte[0], 0);
    }
  }

  @Override
  public String writeTarget(Protocol protocol) {
    return "/write?db=main";
  }

  @Override
  public int rowsOfRequest(Protocol protocol, int fields) {
    return ROWS;
  }

  /** Longer than the time after which it compacts. */
  @Override
  public Duration quietTime() {
    return Duration.ofSeconds(15);
  }

  @Override
  public long atRest(Running server) throws IOException {
    return ProcessFigures.diskBytes(server.data());
  }

  /** Adds up the number of values of each field of each measurement. */
  @Override
  public long count(Running server, DataSet data) throws IOException {
    String answer = Connection.get(server.port(), QUERY + "SELECT+count(*)+FROM+/.*/+WHERE+time>0");
    long all = 0;
    try (JsonParser json = Json.parser(answer)) {
      boolean values = false;
      boolean time = false;
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.PROPERTY_NAME) {
          values = json.currentName().equals("values");
        } else if (values && token == JsonToken.VALUE_NUMBER_INT && !time) {
          all += json.getLongValue();
        }
        // The first number of a row is its time.
        time = token == JsonToken.START_ARRAY;
      }
    }
    return all;
  }
}
