package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.engine.HeatMaps.Named;
import dev.varve.formats.json.JsonLines;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/**
 * {@code GET /varve/v1/heatmap}: the rows of a table that are read and written. Takes {@link
 * HeatParameters} and answers {@link HeatMapJson}. It runs as a query: the limits of queries apply,
 * and it is in the list of running queries. Users who may use only some series get only ranges that
 * cannot hold other series.
 */
final class HeatMapRoute {
  private static final String JSON = "application/json; charset=utf-8";

  private final DialectContext context;

  HeatMapRoute(DialectContext context) {
    this.context = context;
  }

  Route route() {
    return Route.get("/v1/heatmap", Load.QUERY, Right.READ, this::map);
  }

  private void map(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Map<String, String> texts = new LinkedHashMap<>();
    for (String name : HeatParameters.NAMES) {
      String text = exchange.parameter(name);
      if (text != null) {
        texts.put(name, text);
      }
    }
    HeatParameters parameters = parameters(texts, dataset);
    context.query(
        exchange,
        dataset,
        VarveApi.NAME,
        "heat map of " + parameters.table(),
        use -> {
          Named map = dataset.usage().heatMaps().map(parameters.table(), parameters.request(), use);
          try (OutputStream out = exchange.answer(JSON);
              JsonGenerator json = JsonLines.generator(out)) {
            HeatMapJson.write(parameters, dataset, map, json);
          }
        });
  }

  private HeatParameters parameters(Map<String, String> texts, Dataset dataset) {
    try {
      return HeatParameters.of(texts, dataset, context.clock().instant());
    } catch (IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
  }
}
