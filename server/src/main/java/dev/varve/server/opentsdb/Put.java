package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.formats.json.Json;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamLocation;

/**
 * {@code POST /api/put}, {@code /api/rollup} and {@code /api/histogram}. Answers and errors are
 * those of OpenTSDB 2.4, with two differences: a point is durable when the answer is sent, with or
 * without {@code sync}, and a failed store is reported.
 *
 * <p>Points are read one at a time and written in batches, so that a body may be large. If its JSON
 * is malformed, the complete batches before that point have been written.
 */
final class Put {
  private static final String SEE_DETAILS =
      "Please see the TSD logs or append \"details\" to the put request";

  private final DialectContext context;
  private final Exchange exchange;
  private final PointForm form;
  private final PutOptions options;
  private final Reservation memory;
  private final PutFailures failures;

  /** Writers by the names of their datasets. The first is that of the request. */
  private final Map<String, PointWriter> writers = new LinkedHashMap<>();

  private final PointWriter own;
  private int points;

  Put(DialectContext context, Exchange exchange, PointForm form) {
    this.context = context;
    this.exchange = exchange;
    this.form = form;
    this.options = PutOptions.of(exchange);
    this.memory = exchange.memory();
    this.failures = new PutFailures(memory, options.details());
    this.own = to(form.dataset());
  }

  /** Returns the writer to a dataset. */
  private PointWriter to(Dataset dataset) {
    return writers.computeIfAbsent(
        dataset.name(), name -> new PointWriter(context, exchange, dataset, options, failures));
  }

  void run() throws IOException {
    try {
      read();
      writers.values().forEach(PointWriter::write);
    } finally {
      writers.values().forEach(PointWriter::close);
    }
    answer();
  }

  private void read() throws IOException {
    try (InputStream body = exchange.body();
        JsonParser json = HeldJson.of(Json.FACTORY, body, memory)) {
      JsonToken first = json.nextToken();
      if (first == null) {
        throw new OpenTsdbError(400, "Missing request content");
      }
      if (first != JsonToken.START_OBJECT && first != JsonToken.START_ARRAY) {
        throw new OpenTsdbError(400, "The JSON must start as an object or an array");
      }
      new DataPointReader(json, memory, form.kind()).read(first, this::take);
    } catch (JacksonException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      own.report("the body is not valid JSON of points: " + reason(e));
      throw new OpenTsdbError(400, "Unable to parse the given JSON", reason(e));
    }
    if (points == 0) {
      throw new OpenTsdbError(400, "No datapoints found in content");
    }
  }

  private static String reason(JacksonException failure) {
    TokenStreamLocation where = failure.getLocation();
    return where == null
        ? failure.getOriginalMessage()
        : "%s, line %d, column %d"
            .formatted(failure.getOriginalMessage(), where.getLineNr(), where.getColumnNr());
  }

  private void take(@Nullable DataPoint point) {
    int place = points++;
    String wrong = "Unexpected null datapoint encountered in set.";
    DataPoint shown = point;
    if (point != null) {
      try {
        PointForm.Placed placed = form.place(point);
        to(placed.dataset())
            .add(
                place,
                placed.point(),
                placed.key(),
                placed.field(),
                placed.millis(),
                placed.value());
        return;
      } catch (BadPointException e) {
        wrong = e.reason();
        shown = e.point();
      }
    }
    String reason = wrong;
    own.report((point == null ? "" : point.metric() + ": ") + reason);
    failures.failed(1);
    failures.note(place, shown, reason);
  }

  private void answer() throws IOException {
    boolean good = failures.failed() + failures.timeouts() == 0;
    int success = points - failures.failed() - failures.timeouts();
    if (options.summary() || options.details()) {
      exchange.answer(good ? 200 : 400, JsonAnswer.TYPE, Json.text(json -> summary(json, success)));
    } else if (failures.timeouts() > 0) {
      throw new OpenTsdbError(
          400,
          "The put call has timedout with %d successful writes, %d failed writes and %d timed out writes."
              .formatted(success, failures.failed(), failures.timeouts()),
          SEE_DETAILS);
    } else if (failures.failed() > 0) {
      throw new OpenTsdbError(400, "One or more data points had errors", SEE_DETAILS);
    } else {
      exchange.answer(204);
    }
  }

  private void summary(JsonGenerator json, int success) {
    json.writeStartObject();
    json.writeNumberProperty("success", success);
    json.writeNumberProperty("failed", failures.failed());
    if (options.timeoutMillis() > 0) {
      json.writeNumberProperty("timeouts", failures.timeouts());
    }
    if (options.details()) {
      failures.write(json);
    }
    json.writeEndObject();
  }
}
