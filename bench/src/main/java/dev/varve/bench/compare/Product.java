package dev.varve.bench.compare;

import dev.varve.devstores.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/** A database server: how it is started, written to and counted. It holds no state of a run. */
interface Product {
  /** Returns the name in arguments and tables. */
  String name();

  /** Returns the version, as its package says. */
  String version();

  Set<Protocol> protocols();

  Language language();

  /**
   * Starts it.
   *
   * @param folder where its data, configuration and log are or will be
   * @param port of its HTTP API on 127.0.0.1
   */
  ChildProcess start(Path folder, int port) throws IOException;

  /** Returns the target of a GET that a started server answers with 2xx. */
  String readyTarget();

  /** Prepares the server once, before the first write. */
  default void prepare(Running server) throws IOException {}

  /** Returns path and query of a write. */
  String writeTarget(Protocol protocol);

  /**
   * Returns the preferred number of rows of one request.
   *
   * @param fields of each row
   */
  default int rowsOfRequest(Protocol protocol, int fields) {
    return 10_000 / fields;
  }

  /** Returns the idle time after which it counts as settled. */
  default Duration quietTime() {
    return Duration.ofSeconds(5);
  }

  /** Returns the part of a processor that it uses at most when it has nothing to do. */
  default double idleCpu() {
    return 0.02;
  }

  /**
   * Brings the data into the form in which it stays.
   *
   * @return its size on disk, in bytes
   */
  long atRest(Running server) throws IOException, InterruptedException;

  /** Returns the number of samples in the range of the data set. */
  default long count(Running server, DataSet data) throws IOException {
    return PromQl.count(server.port(), data);
  }

  /**
   * Finds a product.
   *
   * @param name such as {@code victoria-metrics}, {@code varve} or {@code varve-LAYOUT}
   */
  static Product named(String name, Options options) {
    return switch (name) {
      case "victoria-metrics" -> new VictoriaMetrics();
      case "prometheus" -> new PrometheusServer();
      case "influxdb" -> new InfluxDb();
      case "questdb" -> new QuestDb();
      case String varve when varve.startsWith("varve") ->
          new VarveServer(name, options.launcher(), layout(name));
      case String before when before.startsWith("before") ->
          new VarveServer(name, options.before(), layout(name));
      default ->
          throw new IllegalArgumentException(
              "server '%s' is not one of varve, varve-LAYOUT, before, before-LAYOUT, victoria-metrics, prometheus, influxdb, questdb"
                  .formatted(name));
    };
  }

  private static String layout(String name) {
    int hyphen = name.indexOf('-');
    return hyphen < 0 ? "blocks" : name.substring(hyphen + 1);
  }
}
