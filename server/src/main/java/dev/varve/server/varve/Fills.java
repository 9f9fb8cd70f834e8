package dev.varve.server.varve;

import dev.varve.engine.progress.FillResult;
import dev.varve.engine.request.WriteResult;
import dev.varve.formats.export.CsvRows;
import dev.varve.formats.json.JsonLines;
import dev.varve.formats.text.BadLineException;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Tags;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.ShortLines;
import dev.varve.server.ingest.Intake;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JsonGenerator;

/**
 * {@code POST /varve/v1/fill}: takes Varve's CSV, writes the samples at whose instants the dataset
 * has none, and answers how all of them compare with what it has then. {@code integers=any} stores
 * an integer as a double where the layout has only doubles; {@code dry-run=true} compares only. The
 * caller also needs the right to read.
 */
final class Fills {
  /**
   * Maximum number of samples of one request: writers wait while they are looked up and written.
   */
  static final int SAMPLES_MAX = 1 << 14;

  /** Memory per sample of what is compared and answered, in bytes. */
  private static final long BYTES_PER_SAMPLE = 400;

  private final DialectContext context;

  Fills(DialectContext context) {
    this.context = context;
  }

  Route route() {
    return Route.post("/v1/fill", Load.WRITE, Right.WRITE, this::fill)
        .asking(
            "read, since the answer tells what the dataset has", exchange -> Set.of(Right.READ));
  }

  private void fill(Exchange exchange) throws IOException {
    exchange.require(Right.READ);
    boolean insists = PointRoutes.insists(exchange);
    boolean dry = "true".equals(exchange.parameter("dry-run"));
    Intake intake = context.intake(exchange, context.dataset(exchange), VarveApi.NAME);
    BatchBuilder batch = read(exchange, intake);
    exchange.memory().hold(BYTES_PER_SAMPLE * batch.sampleCount());
    FillResult result =
        dry
            ? new FillResult(
                new WriteResult(0, 0, List.of()), intake.compare(batch.build(), insists))
            : intake.fill(batch.build(), insists);
    try (OutputStream out = exchange.answer("application/json; charset=utf-8");
        JsonGenerator json = JsonLines.generator(out)) {
      write(result, intake, json);
    }
  }

  private static BatchBuilder read(Exchange exchange, Intake intake) throws IOException {
    BatchBuilder batch = intake.newBatch();
    CsvRows rows = new CsvRows(intake.dataset().resolution());
    try (ShortLines lines = new ShortLines(exchange.body(), exchange.memory())) {
      for (String line = lines.next(); line != null; line = lines.next()) {
        try {
          CsvRows.Row row = rows.read(line);
          if (row != null) {
            batch.add(row.key(), row.field(), row.time(), row.value());
          }
        } catch (BadLineException | IllegalArgumentException e) {
          throw HttpError.badRequest("line " + lines.number() + ": " + e.getMessage());
        }
        if (batch.sampleCount() > SAMPLES_MAX) {
          throw HttpError.badRequest(
              "a request fills at most %,d samples: send the rest in another"
                  .formatted(SAMPLES_MAX));
        }
      }
    }
    return batch;
  }

  private static void write(FillResult result, Intake intake, JsonGenerator json) {
    json.writeStartObject();
    json.writeNumberProperty("accepted", intake.accepted());
    json.writeNumberProperty("refused", intake.refused());
    json.writeNumberProperty("refusedByDataset", result.written().refused());
    json.writeNumberProperty("dropped", intake.dropped());
    json.writeNumberProperty("coerced", intake.coerced());
    json.writeName("reasons");
    json.writeStartArray();
    intake.rejections().forEach(rejection -> json.writeString(PointRoutes.Tally.text(rejection)));
    json.writeEndArray();
    json.writeName("days");
    json.writeStartArray();
    result.days().forEach(day -> write(day, json));
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(FillResult.Day day, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("metric", day.series().metric());
    write("tags", day.series().key().tags(), json);
    write("resource", day.series().key().resource(), json);
    json.writeStringProperty("field", day.series().field());
    json.writeNumberProperty("day", day.day());
    json.writeNumberProperty("samples", day.samples());
    json.writeNumberProperty("missing", day.missing());
    json.writeNumberProperty("other", day.other());
    json.writeStringProperty("given", day.given());
    json.writeStringProperty("held", day.held());
    json.writeEndObject();
  }

  private static void write(String name, Tags tags, JsonGenerator json) {
    json.writeName(name);
    json.writeStartObject();
    tags.forEach(json::writeStringProperty);
    json.writeEndObject();
  }
}
