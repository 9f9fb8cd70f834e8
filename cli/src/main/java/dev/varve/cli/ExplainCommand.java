package dev.varve.cli;

import dev.varve.model.BatchBuilder;
import dev.varve.server.points.PointReader;
import dev.varve.server.varve.QueryParameters;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve explain}. */
@Command(
    name = "explain",
    description =
        "Shows how a query is answered: row ranges, filters, what it is expected to read. Or what a point becomes.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  varve explain 'cpu{host=\"a\"}' --last 1d --analyze",
      "  varve explain --point '{\"metric\":\"cpu\",\"tags\":{\"host\":\"a\"},\"time\":1700000000000,\"value\":1.5}'"
    })
final class ExplainCommand implements Callable<Integer> {
  @Mixin private QueryOptions query;
  @Mixin private TargetOptions targetOptions;

  @Option(
      names = "--analyze",
      description = "Run the query too, and say what was really read and returned.")
  private boolean analyze;

  @Option(
      names = "--point",
      paramLabel = "POINT",
      description = "Explain a point, in the point form, instead of a query.")
  private @Nullable String point;

  @Option(
      names = "--output",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (point != null && (query.hasSelector() || analyze)) {
      throw new WrongCallException("--point goes with neither a selector nor --analyze");
    }
    String explanation;
    QueryParameters parameters = point == null ? query.parameters() : null;
    try (Target target = parameters == null ? targetOptions.open() : targetOptions.openExisting()) {
      if (point != null) {
        BatchBuilder batch = new BatchBuilder();
        PointReader.read(point).addTo(batch);
        explanation = target.explain(batch.build());
      } else {
        explanation = target.explain(java.util.Objects.requireNonNull(parameters), analyze);
      }
    }
    switch (output) {
      case json -> spec.commandLine().getOut().println(explanation);
      case table -> ExplanationText.print(JsonTree.parse(explanation), spec.commandLine().getOut());
      case csv -> printCsv(JsonTree.parse(explanation));
    }
    spec.commandLine().getOut().flush();
    return 0;
  }

  /** The row ranges, or the cells: what of an explanation is a list of records. */
  private void printCsv(Object explanation) {
    if (explanation instanceof List<?> cells) {
      try (Records records =
          new Records(
              OutputFormat.csv,
              spec.commandLine().getOut(),
              "layout",
              "table",
              "family",
              "row",
              "qualifier",
              "time",
              "value",
              "summary")) {
        cells.forEach(cell ->
            add(
                records,
                (Map<?, ?>) cell,
                "layout",
                "table",
                "family",
                "row",
                "qualifier",
                "time",
                "value",
                "summary"));
      }
      return;
    }
    try (Records records =
        new Records(
            OutputFormat.csv,
            spec.commandLine().getOut(),
            "table",
            "partition",
            "from",
            "to",
            "fromHex",
            "toHex")) {
      for (Object read : (List<?>) JsonTree.member(explanation, "reads")) {
        for (Object range : (List<?>) JsonTree.member(read, "ranges")) {
          add(records, (Map<?, ?>) range, "table", "partition", "from", "to", "fromHex", "toHex");
        }
      }
    }
  }

  private static void add(Records records, Map<?, ?> members, String... names) {
    records.add(java.util.Arrays.stream(names).map(members::get).toArray());
  }
}
