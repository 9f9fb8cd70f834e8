package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.formats.export.ExportFormat;
import dev.varve.formats.export.VictoriaMetricsLines;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.query.promql.eval.Matchers;
import dev.varve.query.promql.eval.Millis;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.export.Export;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.ingest.Intake;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * VictoriaMetrics' export and import beside Prometheus' API.
 *
 * <ul>
 *   <li>{@code GET|POST /api/v1/export}: the samples of {@code match[]} from {@code start} to
 *       {@code end} as JSON lines of at most {@code max_rows_per_line} samples; {@code format} may
 *       be {@code openmetrics} or {@code csv}
 *   <li>{@code GET|POST /api/v1/export/csv}: the same as Varve's CSV
 *   <li>{@code POST /api/v1/import}: JSON lines, with {@code extra_label}
 * </ul>
 */
final class VictoriaMetrics {
  /** Samples of a line unless the client says otherwise. */
  private static final int ROWS = 8192;

  private final DialectContext context;

  VictoriaMetrics(DialectContext context) {
    this.context = context;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/v1/export", Load.QUERY, Right.READ, exchange -> export(exchange, null)),
        Route.post("/api/v1/export", Load.QUERY, Right.READ, exchange -> export(exchange, null)),
        Route.get(
            "/api/v1/export/csv",
            Load.QUERY,
            Right.READ,
            exchange -> export(exchange, ExportFormat.csv)),
        Route.post(
            "/api/v1/export/csv",
            Load.QUERY,
            Right.READ,
            exchange -> export(exchange, ExportFormat.csv)),
        Route.post("/api/v1/import", Load.WRITE, Right.WRITE, this::read));
  }

  private void export(Exchange exchange, @Nullable ExportFormat fixed) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    List<Selector> selectors = parameters.matchers().stream().map(Matchers::selector).toList();
    if (selectors.isEmpty()) {
      throw HttpError.badRequest("match[] is missing: which series, such as match[]=cpu?");
    }
    Dataset dataset = context.dataset(exchange);
    TimeRange times = times(parameters, dataset.resolution());
    ExportFormat format = fixed == null ? format(parameters.text("format")) : fixed;
    int rows = rows(parameters.text("max_rows_per_line"));
    context.query(
        exchange,
        dataset,
        Prometheus.NAME,
        "export " + String.join(" ", parameters.all("match[]")),
        Export.limits(context.queryLimits()),
        use -> {
          try (Writer out =
              new BufferedWriter(
                  new OutputStreamWriter(
                      exchange.answer(format.contentType()), StandardCharsets.UTF_8))) {
            new Export(dataset, selectors, times, false).run(format, out, rows, use);
          }
        });
  }

  private static TimeRange times(Parameters parameters, Resolution resolution) {
    Long start = parameters.time("start");
    Long end = parameters.time("end");
    if (start != null && end != null && end < start) {
      throw HttpError.badRequest("end timestamp must not be before start timestamp");
    }
    return start == null && end == null
        ? TimeRange.ALL
        : Millis.range(
            start == null ? Long.MIN_VALUE : start, end == null ? Long.MAX_VALUE : end, resolution);
  }

  private static ExportFormat format(@Nullable String text) {
    return switch (text == null ? "json" : text) {
      case "json" -> ExportFormat.json;
      case "csv" -> ExportFormat.csv;
      case "openmetrics" -> ExportFormat.openmetrics;
      default ->
          throw Parameters.invalid(
              "format", "'%s' is none of json, csv and openmetrics".formatted(text));
    };
  }

  private static int rows(@Nullable String text) {
    if (text == null) {
      return ROWS;
    }
    if (!text.matches("[1-9]\\d{0,8}")) {
      throw Parameters.invalid(
          "max_rows_per_line", "'%s' is no number of samples, 1 or more".formatted(text));
    }
    return Math.min(ROWS, Integer.parseInt(text));
  }

  private void read(Exchange exchange) throws IOException {
    Map<String, String> labels = TextImport.extraLabels(exchange);
    Dataset dataset = context.dataset(exchange);
    VictoriaMetricsLines format = new VictoriaMetricsLines(dataset.resolution(), labels);
    Intake intake = context.intake(exchange, dataset, Prometheus.NAME);
    LineImport lines = new LineImport(context, exchange, intake);
    lines.read(format, () -> "");
    lines.answer(204);
  }
}
