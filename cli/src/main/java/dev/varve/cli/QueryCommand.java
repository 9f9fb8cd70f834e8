package dev.varve.cli;

import dev.varve.cli.io.OutputFormat;
import dev.varve.cli.io.Records;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import dev.varve.model.Resolution;
import dev.varve.model.Value;
import dev.varve.server.varve.QueryParameters;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve query}. */
@Command(
    name = "query",
    description =
        "Prints the samples of the series that match, as they are or downsampled and grouped.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  varve query 'jvm_memory_used_bytes' --last 10m",
      "  varve query 'cpu{host=~\"web.*\"}' --from 2026-01-01 --every 1h --aggregate max --by dc --across avg",
      "  varve query 'price{symbol=\"ZXZZT\"}' --as-of 2026-01-31T12:00:00Z"
    })
final class QueryCommand implements Callable<Integer> {
  @Mixin private QueryOptions query;
  @Mixin private TargetOptions targetOptions;

  @Option(
      names = "--output",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    QueryParameters parameters = query.parameters();
    try (Target target = targetOptions.openExisting();
        Records records =
            new Records(output, spec.commandLine().getOut(), "metric", "labels", "time", "value")) {
      Resolution resolution = target.resolution();
      target.query(
          parameters,
          (metric, labels, time, value) -> print(records, resolution, metric, labels, time, value));
      if (records.count() == 0) {
        spec.commandLine().getErr().println("varve: there are no such samples in that time");
      }
    }
    return 0;
  }

  private void print(
      Records records,
      Resolution resolution,
      String metric,
      Map<String, String> labels,
      long time,
      @Nullable Value value) {
    records.add(
        metric,
        labels,
        output == OutputFormat.table ? instant(time, resolution) : time,
        plain(value));
  }

  private static String instant(long time, Resolution resolution) {
    ChronoUnit unit =
        switch (resolution) {
          case SECONDS -> ChronoUnit.SECONDS;
          case MILLISECONDS -> ChronoUnit.MILLIS;
          case MICROSECONDS -> ChronoUnit.MICROS;
          case NANOSECONDS -> ChronoUnit.NANOS;
        };
    try {
      return Instant.EPOCH.plus(time, unit).toString();
    } catch (DateTimeException | ArithmeticException e) {
      // A time outside of the calendar is shown as a number.
      return Long.toString(time);
    }
  }

  private static @Nullable Object plain(@Nullable Value value) {
    return switch (value) {
      case null -> null;
      case Value.Int64(long number) -> number;
      case Value.Real(double number) -> number;
      case Value.Text(String text) -> text;
      case Value.Raw raw -> raw.value().hex();
    };
  }
}
