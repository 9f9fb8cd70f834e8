package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.query.Sorting;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.eval.Labels;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.promql.eval.SampleVector;
import dev.varve.query.promql.eval.SelectedSeries;
import dev.varve.query.promql.eval.ValueText;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code GET /federate}: answers the newest sample of each matching series in Prometheus' text
 * format, for another Prometheus to scrape.
 */
final class Federation {
  /** Memory of a series of the answer in addition to its labels, in bytes. */
  private static final long SERIES_BYTES = 160;

  private final DialectContext context;

  Federation(DialectContext context) {
    this.context = context;
  }

  /** The newest sample of a series. */
  private record Newest(Labels labels, long time, double value) {
    String metric() {
      return labels.get(LabelMatcher.METRIC_NAME);
    }
  }

  void answer(Exchange exchange) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    List<List<LabelMatcher>> matchers = parameters.matchers();
    Dataset dataset = context.dataset(exchange);
    StringBuilder text = new StringBuilder("federate");
    parameters.all("match[]").forEach(match -> text.append(' ').append(match));
    Limited.query(
        context,
        exchange,
        dataset,
        Prometheus.NAME,
        text.toString(),
        parameters,
        use -> answer(exchange, newest(matchers, dataset, use), use));
  }

  private static void answer(Exchange exchange, List<Newest> newest, QueryUse use)
      throws IOException {
    boolean quoted = takesAnyName(exchange);
    String type =
        quoted
            ? "text/plain; version=1.0.0; charset=utf-8; escaping=allow-utf-8"
            : "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";
    try (Writer out =
        new BufferedWriter(new OutputStreamWriter(exchange.answer(type), StandardCharsets.UTF_8))) {
      write(newest, new TextFormat(out, quoted), use);
    }
  }

  /** Returns whether the client accepts UTF-8 names that Prometheus 2 did not allow. */
  private static boolean takesAnyName(Exchange exchange) {
    String accept = exchange.header("Accept");
    return accept != null
        && accept.toLowerCase(Locale.ROOT).replace(" ", "").contains("escaping=allow-utf-8");
  }

  /** Returns the newest samples, ordered by metric, then labels. */
  private List<Newest> newest(List<List<LabelMatcher>> matchers, Dataset dataset, QueryUse use) {
    SelectedSeries selected = new SelectedSeries(dataset, use);
    long now = context.clock().millis();
    long from = now - PromSettings.DEFAULTS.lookback().toMillis();
    Map<Labels, Newest> found = new TreeMap<>();
    for (List<LabelMatcher> some : matchers) {
      selected.read(
          some,
          from,
          now,
          (labels, times, values, size) -> {
            if (size > 0 && !SampleVector.isStale(values[size - 1])) {
              use.memory().hold(SERIES_BYTES + 32L * labels.size(), "what is federated");
              found.put(labels, new Newest(labels, times[size - 1], values[size - 1]));
            }
          });
    }
    List<Newest> sorted = new ArrayList<>(found.values());
    sorted.removeIf(one -> one.metric().isEmpty());
    sorted.sort(Sorting.asking(Comparator.comparing(Newest::metric), use::ensureWanted));
    return sorted;
  }

  private static void write(List<Newest> newest, TextFormat text, QueryUse use) throws IOException {
    String metric = "";
    for (Newest one : newest) {
      use.ensureWanted();
      if (!one.metric().equals(metric)) {
        metric = one.metric();
        text.type(metric, "untyped");
      }
      // An empty instance label keeps the scraping server from adding its own.
      text.sample(one.labels(), "instance", ValueText.of(one.value()), one.time());
    }
  }
}
