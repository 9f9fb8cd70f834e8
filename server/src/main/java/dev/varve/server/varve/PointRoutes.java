package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.PointExplanation;
import dev.varve.engine.request.WriteResult;
import dev.varve.formats.points.PointFormatException;
import dev.varve.formats.points.PointReader;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.ShortLines;
import dev.varve.server.ingest.IngestListener;
import dev.varve.server.ingest.Intake;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/**
 * Points in the point form, one in each line.
 *
 * <ul>
 *   <li>{@code POST /varve/v1/points}: writes them. Answers how many samples were accepted, once
 *       they are durable, and why others were rejected. With {@code integers=any} an integer is
 *       stored as a double where the layout supports only doubles
 *   <li>{@code POST /varve/v1/explain/points}: writes nothing, and answers the cells that they
 *       would be encoded as
 * </ul>
 */
final class PointRoutes {
  /** Lines between two writes of a request, even if they add no samples. */
  private static final int BATCH_LINES = 10_000;

  /** Maximum number of reasons in an answer. */
  private static final int REASONS_MAX = 1000;

  private static final int EXPLAINED_MAX = 10_000;

  private final DialectContext context;

  PointRoutes(DialectContext context) {
    this.context = context;
  }

  List<Route> routes() {
    return List.of(
        Route.post("/v1/points", Load.WRITE, Right.WRITE, this::write),
        // The identifiers in a point's cells tell which names exist in other series.
        Route.post("/v1/explain/points", Load.READ, Right.READ, this::explain).ofAllSeries());
  }

  private void write(Exchange exchange) throws IOException {
    Intake intake = context.intake(exchange, context.dataset(exchange), VarveApi.NAME);
    boolean insists = insists(exchange);
    Tally tally = new Tally();
    BatchBuilder batch = intake.newBatch();
    try (ShortLines lines = new ShortLines(exchange.body(), exchange.memory())) {
      try {
        for (String line = lines.next(); line != null; line = lines.next()) {
          read(line, lines, batch, tally);
          // Attributes do not count as samples, but there is at most one per line.
          if (intake.isFull(batch) || lines.number() % BATCH_LINES == 0) {
            intake.writeOwn(batch, insists);
          }
        }
      } finally {
        count(lines.number(), (int) tally.refused);
        intake.report(Intake.SYNTAX, tally.refused, tally.reasons::getFirst);
      }
    }
    if (!batch.isEmpty()) {
      intake.writeOwn(batch, insists);
    }
    tally.add(intake);
    VarveApi.answer(exchange, tally::write);
  }

  private void explain(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Tally tally = new Tally();
    BatchBuilder batch = new BatchBuilder(exchange.memory()::hold);
    try (ShortLines lines = new ShortLines(exchange.body(), exchange.memory())) {
      for (String line = lines.next(); line != null; line = lines.next()) {
        read(line, lines, batch, tally);
        if (lines.number() > EXPLAINED_MAX) {
          throw HttpError.badRequest(
              "at most " + EXPLAINED_MAX + " points can be explained at once");
        }
      }
    }
    if (tally.refused > 0) {
      throw HttpError.badRequest(tally.reasons.getFirst());
    }
    Intake intake =
        new Intake(dataset, VarveApi.NAME, IngestListener.NONE.withDoor(context.door()));
    Batch stored = intake.asStored(batch.build(), insists(exchange));
    if (intake.refused() > 0) {
      throw HttpError.badRequest(Tally.text(intake.rejections().getFirst()));
    }
    List<PointExplanation> cells = dataset.explain(stored);
    VarveApi.answer(exchange, json -> ExplanationJson.write(cells, json));
  }

  private void count(int lines, int bad) {
    if (bad > 0) {
      context.lines(VarveApi.NAME, "bad", bad);
    }
    if (lines > bad) {
      context.lines(VarveApi.NAME, "read", lines - bad);
    }
  }

  /**
   * Returns whether an integer may only be stored as an integer: {@code integers=any} allows more.
   */
  static boolean insists(Exchange exchange) {
    String integers = exchange.parameter("integers");
    return switch (integers == null ? "integers" : integers) {
      case "integers" -> true;
      case "any" -> false;
      default ->
          throw HttpError.badRequest(
              "'integers' is absent or 'any', which allows storing an integer as an equal double, not '%s'"
                  .formatted(integers));
    };
  }

  private static void read(String line, ShortLines lines, BatchBuilder batch, Tally tally) {
    if (line.isBlank()) {
      return;
    }
    try {
      if (!lines.isText()) {
        throw new PointFormatException("the line is not UTF-8");
      }
      PointReader.read(line).addTo(batch);
    } catch (PointFormatException e) {
      tally.refuse("line " + lines.number() + ": " + e.getMessage());
    }
  }

  /** The outcome of the points of a request. */
  static final class Tally {
    private long accepted;
    private long refused;
    private long coerced;
    private final List<String> reasons = new ArrayList<>();

    private void add(Intake intake) {
      accepted += intake.accepted();
      refused += intake.refused();
      coerced = intake.coerced();
      intake.rejections().forEach(rejection -> note(text(rejection)));
    }

    static String text(WriteResult.Rejection rejection) {
      String field = rejection.field() == null ? "" : "#" + rejection.field();
      String time = rejection.time() == null ? "" : " at " + rejection.time();
      return rejection.key() + field + time + ": " + rejection.refusal().message();
    }

    private void refuse(String reason) {
      refused++;
      note(reason);
    }

    private void note(String reason) {
      if (reasons.size() < REASONS_MAX) {
        reasons.add(reason);
      }
    }

    private void write(JsonGenerator json) {
      json.writeStartObject();
      json.writeNumberProperty("accepted", accepted);
      json.writeNumberProperty("refused", refused);
      json.writeNumberProperty("coerced", coerced);
      json.writeName("reasons");
      json.writeStartArray();
      reasons.forEach(json::writeString);
      json.writeEndArray();
      json.writeEndObject();
    }
  }
}
