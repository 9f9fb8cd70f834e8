package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.ReadRequest;
import dev.varve.formats.export.ExportFormat;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.export.Export;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /varve/v1/export}: takes {@code selector}, {@code from}, {@code to} and {@code scan}
 * of a query, and {@code format} ({@link ExportFormat}, by default csv), and answers all samples,
 * ordered by metric, series and time. The default range is all of time.
 */
final class Exports {
  private static final int ROWS = 8192;

  private final DialectContext context;

  Exports(DialectContext context) {
    this.context = context;
  }

  Route route() {
    return Route.post("/v1/export", Load.QUERY, Right.READ, this::export);
  }

  private void export(Exchange exchange) throws IOException {
    Map<String, String> texts = new LinkedHashMap<>(Form.read(exchange));
    ExportFormat format = format(texts.remove("format"));
    Dataset dataset = context.dataset(exchange);
    ReadRequest request;
    try {
      request = QueryParameters.ofRows(texts).read(dataset.resolution(), context.clock().instant());
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
    Export export =
        new Export(dataset, List.of(request.selector()), request.times(), request.wholeTable());
    context.query(
        exchange,
        dataset,
        VarveApi.NAME,
        "export " + texts.getOrDefault("selector", ""),
        Export.limits(context.queryLimits()),
        use -> {
          try (Writer out =
              new BufferedWriter(
                  new OutputStreamWriter(
                      exchange.answer(format.contentType()), StandardCharsets.UTF_8))) {
            export.run(format, out, ROWS, use);
          }
        });
  }

  private static ExportFormat format(@Nullable String text) {
    for (ExportFormat format : ExportFormat.values()) {
      if (format.name().equals(text == null ? "csv" : text)) {
        return format;
      }
    }
    throw HttpError.badRequest("'format' is json, csv or openmetrics, not '%s'".formatted(text));
  }
}
