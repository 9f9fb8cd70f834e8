package dev.varve.cli;

import dev.varve.cli.io.JsonTree;
import dev.varve.cli.io.OutputFormat;
import dev.varve.cli.io.Records;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve heatmap}. */
@Command(
    name = "heatmap",
    description =
        "Shows which rows of a table are read and written, and when: ranges of row keys from top to bottom, time from left to right. Problems are listed below the map.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  varve heatmap",
      "  varve heatmap --what reads --last 1d --resolution 40",
      "",
      "Counters are kept for 30 days, by the minute for three hours."
    })
final class HeatmapCommand implements Callable<Integer> {
  private static final int ROWS = 24;

  @Option(
      names = "--what",
      paramLabel = "MEASURE",
      defaultValue = "writes",
      description = "reads, writes, bytes or latency (default: ${DEFAULT-VALUE}).")
  private String what;

  @Option(
      names = "--table",
      paramLabel = "NAME",
      description = "A table of the dataset (default: the one with the samples).")
  private @Nullable String table;

  @Option(
      names = "--last",
      paramLabel = "LENGTH",
      description = "The time up to now, such as 15m or 2d (default: 1h).")
  private @Nullable String last;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "From this time on: a date, an instant, milliseconds, or 15m for 15 minutes ago.")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Up to this time, in the same forms (default: now).")
  private @Nullable String to;

  @Option(
      names = "--resolution",
      paramLabel = "N",
      description = "Largest number of ranges, 2 to 256 (default: " + ROWS + ").")
  private int resolution = ROWS;

  @Option(
      names = "--columns",
      paramLabel = "N",
      description = "About as many columns, 2 to 360 (default: ${DEFAULT-VALUE}).",
      defaultValue = "60")
  private int columns;

  @Mixin private TargetOptions targetOptions;

  @Option(
      names = "--output",
      defaultValue = "table",
      description =
          "How it is printed: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). JSON is that of /varve/v1/heatmap; CSV has a line for each cell that is not 0.")
  private OutputFormat output;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (last != null && from != null) {
      throw new WrongCallException("--last goes without --from");
    }
    String map;
    try (Target target = targetOptions.openExisting()) {
      map = target.heatMap(texts());
    }
    switch (output) {
      case json -> spec.commandLine().getOut().println(map);
      case table -> new HeatMapText(JsonTree.parse(map)).print(spec.commandLine().getOut());
      case csv -> printCsv(JsonTree.parse(map));
    }
    spec.commandLine().getOut().flush();
    return 0;
  }

  private Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("what", what);
    texts.put("resolution", Integer.toString(resolution));
    texts.put("columns", Integer.toString(columns));
    put(texts, "table", table);
    put(texts, "from", last == null ? from : last);
    put(texts, "to", to);
    return texts;
  }

  private static void put(Map<String, String> texts, String name, @Nullable String text) {
    if (text != null) {
      texts.put(name, text);
    }
  }

  private void printCsv(Object map) {
    long start = JsonTree.number(map, "from");
    long step = JsonTree.number(map, "step");
    List<Object> rows = JsonTree.list(JsonTree.member(map, "rows"));
    List<Object> cells = JsonTree.list(JsonTree.member(map, "cells"));
    try (Records records =
        new Records(output, spec.commandLine().getOut(), "time", "rowHex", "row", "value")) {
      for (int row = 0; row < rows.size(); row++) {
        List<Object> values = JsonTree.list(cells.get(row));
        for (int column = 0; column < values.size(); column++) {
          if (((Number) values.get(column)).longValue() != 0) {
            records.add(
                start + column * step,
                JsonTree.text(rows.get(row), "from"),
                JsonTree.text(rows.get(row), "text"),
                values.get(column));
          }
        }
      }
    }
  }
}
