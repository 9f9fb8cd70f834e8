package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.ReadRequest;
import dev.varve.formats.json.JsonLines;
import dev.varve.model.KnownError;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.core.JsonGenerator;

/**
 * {@code POST /varve/v1/compact}: rewrites stored samples so that they take less space. Reads
 * return the same samples.
 *
 * <ul>
 *   <li>With {@code selector}, {@code from}, {@code to} and {@code scan} of a query, it compacts
 *       the rows of the series and answers lines of {@link CompactionJson}; the last line is the
 *       total
 *   <li>With {@code into=blocks}, it converts the cells of earlier periods into blocks of the last
 *       one and answers lines of {@link ConversionJson}. It ends if its client disconnects; another
 *       request continues
 * </ul>
 *
 * <p>An error after the first line is the last line, {@code {"error":"..."}}.
 */
final class Compactions {
  private static final String JSON_LINES = "application/x-ndjson; charset=utf-8";
  private static final String INTO = "into";

  private final DialectContext context;

  Compactions(DialectContext context) {
    this.context = context;
  }

  Route route() {
    return Route.post("/v1/compact", Load.WRITE, Right.ADMIN, this::compact).inOneSpelling();
  }

  /** A job that writes lines until it ends or is stopped. */
  private interface Work {
    void run(JsonGenerator json, AtomicBoolean stopped);
  }

  private void compact(Exchange exchange) throws IOException {
    Map<String, String> texts = new LinkedHashMap<>();
    for (String name : List.of("selector", "from", "to", "scan", INTO)) {
      String text = exchange.parameter(name);
      if (text != null) {
        texts.put(name, text);
      }
    }
    texts.putAll(Form.read(exchange));
    Dataset dataset = context.dataset(exchange);
    if (texts.containsKey(INTO)) {
      refuseOtherThanBlocks(texts);
      answer(
          exchange,
          (json, stopped) ->
              dataset
                  .maintenance()
                  .convertIntoBlocks(
                      progress -> ConversionJson.writeLine(progress, json), stopped::get));
      return;
    }
    ReadRequest rows = rows(texts, dataset);
    answer(
        exchange,
        (json, stopped) ->
            CompactionJson.writeLine(
                dataset
                    .maintenance()
                    .compact(
                        rows, progress -> CompactionJson.writeLine(progress, json), stopped::get),
                json));
  }

  private static void refuseOtherThanBlocks(Map<String, String> texts) {
    if (!"blocks".equals(texts.get(INTO))) {
      throw HttpError.badRequest(
          "cells are converted into 'blocks', not into '%s'".formatted(texts.get(INTO)));
    }
    if (texts.size() > 1) {
      throw HttpError.badRequest(
          "'into=blocks' converts the whole dataset: leave out selector, from, to and scan");
    }
  }

  private ReadRequest rows(Map<String, String> texts, Dataset dataset) {
    try {
      return QueryParameters.ofRows(texts).read(dataset.resolution(), context.clock().instant());
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
  }

  private static void answer(Exchange exchange, Work work) throws IOException {
    AtomicBoolean stopped = new AtomicBoolean();
    exchange.onGone(() -> stopped.set(true));
    try (OutputStream out = exchange.answer(JSON_LINES);
        JsonGenerator json = JsonLines.generator(out)) {
      try {
        work.run(json, stopped);
      } catch (RuntimeException e) {
        if (!exchange.committed() || !(e instanceof KnownError)) {
          throw e;
        }
        json.writeStartObject();
        json.writeStringProperty("error", String.valueOf(e.getMessage()));
        json.writeEndObject();
      }
    }
  }
}
