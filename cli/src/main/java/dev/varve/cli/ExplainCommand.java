package dev.varve.cli;

import dev.varve.cli.io.JsonTree;
import dev.varve.cli.io.OutputFormat;
import dev.varve.cli.io.Records;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import dev.varve.formats.points.PointReader;
import dev.varve.model.BatchBuilder;
import dev.varve.query.SelectorParser;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.server.varve.ExplainRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve explain}. */
@Command(
    name = "explain",
    description =
        "Shows how a query is answered: row ranges, filters and expected reads. Or shows the cells of a point.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  varve explain 'cpu{host=\"a\"}' --last 1d --analyze",
      "  varve explain 'sum by (host) (rate(cpu_total[5m]))' --last 1h --step 1m --analyze",
      "  varve explain --opentsdb 'start=1h-ago&m=sum:1m-avg:cpu{host=*}' --analyze",
      "  varve explain --heroic 'average by host from points(1h) where $key = cpu'",
      "  varve explain --kairosdb '{\"start_relative\":{\"value\":1,\"unit\":\"days\"},\"metrics\":[{\"name\":\"cpu\"}]}'",
      "  varve explain --point '{\"metric\":\"cpu\",\"tags\":{\"host\":\"a\"},\"time\":1700000000000,\"value\":1.5}'"
    })
final class ExplainCommand implements Callable<Integer> {
  @Mixin private QueryOptions query;
  @Mixin private TargetOptions targetOptions;

  @Option(
      names = "--analyze",
      description = "Run the query too, and show what it read and returned.")
  private boolean analyze;

  @Option(
      names = "--promql",
      description =
          "Parse the query as PromQL even if it is only a selector. Anything else is PromQL anyway.")
  private boolean promQl;

  @Option(
      names = "--step",
      paramLabel = "LENGTH",
      description =
          "PromQL: evaluate at every time from --from to --to, this far apart (default: at --to only).")
  private @Nullable String step;

  /** The query of a dialect; at most one is not null. */
  @ArgGroup private Foreign foreign = new Foreign();

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

  private static final class Foreign {
    @Option(
        names = "--kairosdb",
        paramLabel = "JSON",
        description = "Explain a query in the JSON of KairosDB's API.")
    private @Nullable String kairosDb;

    @Option(
        names = "--opentsdb",
        paramLabel = "QUERY",
        description =
            "Explain a query of OpenTSDB's API: the JSON that is posted to /api/query or /api/query/exp, or the parameters of a URL.")
    private @Nullable String openTsdb;

    @Option(
        names = "--heroic",
        paramLabel = "QUERY",
        description = "Explain a query of Heroic's API: JSON, or the query language.")
    private @Nullable String heroic;

    /** Returns the parameters of the query; null if there is none. */
    private @Nullable Map<String, String> texts() {
      return kairosDb != null
          ? Map.of("kairosdb", kairosDb)
          : openTsdb != null
              ? Map.of("opentsdb", openTsdb)
              : heroic != null ? Map.of("heroic", heroic) : null;
    }
  }

  @Override
  public Integer call() {
    if (point != null && (query.hasSelector() || analyze)) {
      throw new WrongCallException("--point goes with neither a selector nor --analyze");
    }
    Map<String, String> texts = foreign.texts();
    if (texts != null && (query.hasSelector() || point != null || promQl || step != null)) {
      throw new WrongCallException(
          "--%s goes with neither a selector nor --point, --promql and --step"
              .formatted(texts.keySet().iterator().next()));
    }
    String explanation =
        point != null ? ofPoint(point) : explain(texts == null ? ofQuery() : texts);
    switch (output) {
      case json -> spec.commandLine().getOut().println(explanation);
      case table -> ExplanationText.print(JsonTree.parse(explanation), spec.commandLine().getOut());
      case csv -> printCsv(JsonTree.parse(explanation));
    }
    spec.commandLine().getOut().flush();
    return 0;
  }

  private String ofPoint(String text) {
    try (Target target = targetOptions.open()) {
      BatchBuilder batch = new BatchBuilder();
      PointReader.read(text).addTo(batch);
      return target.explain(batch.build());
    }
  }

  private String explain(Map<String, String> texts) {
    try (Target target = targetOptions.openExisting()) {
      return target.explain(ExplainRequest.with(texts, analyze));
    }
  }

  private Map<String, String> ofQuery() {
    return isPromQl() ? query.promQl(step).texts() : query.parameters().texts();
  }

  /**
   * Returns whether the text is PromQL: because an option says so, or because it parses as PromQL
   * and not as a selector.
   */
  private boolean isPromQl() {
    String text = query.selector();
    if (promQl || step != null || text == null) {
      return text != null;
    }
    try {
      SelectorParser.parse(text);
      return false;
    } catch (SelectorSyntaxException e) {
      return isReadable(text);
    }
  }

  private static boolean isReadable(String text) {
    try {
      PromQl.parse(text);
      return true;
    } catch (PromQlException e) {
      return false;
    }
  }

  /** Prints the part of an explanation that is a list of records: row ranges or cells. */
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
      ((List<?>) JsonTree.member(explanation, "scans")).forEach(scan -> addRanges(records, scan));
    }
  }

  private static void addRanges(Records records, Object scan) {
    for (Object read : (List<?>) JsonTree.member(scan, "reads")) {
      for (Object range : (List<?>) JsonTree.member(read, "ranges")) {
        add(records, (Map<?, ?>) range, "table", "partition", "from", "to", "fromHex", "toHex");
      }
    }
  }

  private static void add(Records records, Map<?, ?> members, String... names) {
    records.add(Arrays.stream(names).map(members::get).toArray());
  }
}
