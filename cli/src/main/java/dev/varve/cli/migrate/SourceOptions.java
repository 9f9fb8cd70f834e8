package dev.varve.cli.migrate;

import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.ServerAddress;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import dev.varve.cli.target.TargetOptions.IfMissing;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name the source of a migration. */
final class SourceOptions {
  @Option(
      names = "--source-dataset",
      paramLabel = "NAME",
      description =
          "The dataset to copy: in the home of the target, unless another option names a home or a server (default: that one's default).")
  private @Nullable String dataset;

  @Option(
      names = "--source-config",
      paramLabel = "FILE",
      description = "The configuration of the home to copy from.")
  private @Nullable Path config;

  @Option(
      names = "--source-data",
      paramLabel = "DIR",
      description = "The data directory of the home to copy from.")
  private @Nullable Path data;

  @Option(
      names = "--source-server",
      paramLabel = "URL",
      description = "The Varve server to copy from.")
  private @Nullable URI server;

  @Option(
      names = "--source-prometheus",
      paramLabel = "URL",
      description = "A server to copy from by Prometheus' remote read.")
  private @Nullable URI prometheus;

  @Option(
      names = "--source-victoriametrics",
      paramLabel = "URL",
      description = "A VictoriaMetrics server to copy from by /api/v1/export.")
  private @Nullable URI victoriaMetrics;

  @Option(
      names = "--source-influx",
      paramLabel = "URL",
      description = "An InfluxDB 1 server to copy from by its query API.")
  private @Nullable URI influx;

  @Option(
      names = "--source-database",
      paramLabel = "NAME",
      description = "The database of --source-influx.")
  private @Nullable String database;

  @Option(
      names = "--source-http.config.file",
      paramLabel = "FILE",
      description = "How to log in to the source, in the format of promtool.")
  private @Nullable Path http;

  /**
   * Opens the source.
   *
   * @param target already open
   * @param place of the target
   * @throws WrongCallException if the options contradict one another
   */
  MigrationSource open(Target target, String place, Selection selection) {
    check();
    if (prometheus != null) {
      return new ListedSource(
          "Prometheus", ServerAddress.of(prometheus, http), selection, new RemoteReads());
    }
    if (victoriaMetrics != null) {
      return new ListedSource(
          "VictoriaMetrics",
          ServerAddress.of(victoriaMetrics, http),
          selection,
          new VictoriaMetricsExports());
    }
    if (influx != null) {
      return new InfluxSource(
          ServerAddress.of(influx, http), Objects.requireNonNull(database), selection);
    }
    if (server != null) {
      ServerAddress address = ServerAddress.of(server, http);
      return source(TargetOptions.open(address, dataset), address.toString(), selection);
    }
    if (config != null || data != null) {
      VarveConfig home =
          VarveConfig.read(
              config, System.getenv(), data == null ? Map.of() : Map.of("data", data.toString()));
      String folder = home.engine().directory().toAbsolutePath().normalize().toString();
      if (folder.equals(place)) {
        return source(besideOther(target), place, selection);
      }
      return source(TargetOptions.open(home, dataset, IfMissing.FAIL), folder, selection);
    }
    return source(besideOther(target), place, selection);
  }

  private Target besideOther(Target target) {
    if (dataset == null || dataset.equals(target.name())) {
      throw new WrongCallException(
          "a dataset cannot be copied to itself: name the source with --source-dataset, --source-data, --source-server, --source-prometheus, --source-victoriametrics or --source-influx");
    }
    return target.beside(dataset);
  }

  private static DatasetSource source(Target dataset, String place, Selection selection) {
    return new DatasetSource(
        dataset, "dataset '%s' of %s".formatted(dataset.name(), place), selection);
  }

  private void check() {
    long places =
        Stream.of(server, prometheus, victoriaMetrics, influx, config == null ? data : config)
            .filter(Objects::nonNull)
            .count();
    if (places > 1) {
      throw new WrongCallException("a migration has one source: name it by one option");
    }
    if ((influx == null) != (database == null)) {
      throw new WrongCallException("--source-influx and --source-database belong together");
    }
    boolean others = prometheus != null || victoriaMetrics != null || influx != null;
    if (others && dataset != null) {
      throw new WrongCallException("--source-dataset is for a source that is a Varve");
    }
    if (http != null && server == null && !others) {
      throw new WrongCallException("--source-http.config.file is for a source with an address");
    }
  }
}
