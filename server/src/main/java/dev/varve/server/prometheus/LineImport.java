package dev.varve.server.prometheus;

import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.formats.text.BadLineException;
import dev.varve.formats.text.LineFormat;
import dev.varve.model.BatchBuilder;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.ShortLines;
import dev.varve.server.ingest.Intake;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Imports a body of lines. Valid lines of a bad body are written. The answer lists the rejected
 * lines and samples with the reasons.
 */
final class LineImport {
  /** Maximum number of rejected lines, and of samples, that the answer lists. */
  private static final int NAMED_MAX = 100;

  /** Maximum length of a series in the answer, in characters. */
  private static final int SERIES_SHOWN = 500;

  private record BadLine(int number, @Nullable String reason) {}

  private final DialectContext context;
  private final Exchange exchange;
  private final Intake intake;

  /** The first bad lines. */
  private final List<BadLine> bad = new ArrayList<>();

  private int badCount;

  LineImport(DialectContext context, Exchange exchange, Intake intake) {
    this.context = context;
    this.exchange = exchange;
    this.intake = intake;
  }

  /**
   * Writes the samples of the body.
   *
   * @param problemAtEnd returns the problem of the body as a whole; empty for none
   */
  void read(LineFormat format, Supplier<String> problemAtEnd) throws IOException {
    BatchBuilder batch = intake.newBatch();
    try (ShortLines lines = new ShortLines(exchange.body(), exchange.memory())) {
      for (String line = lines.next(); line != null; line = lines.next()) {
        try {
          if (!lines.isText()) {
            throw new BadLineException("the line is not UTF-8");
          }
          byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
          format.read(bytes, 0, bytes.length, batch);
        } catch (BadLineException e) {
          count(lines.number(), e.getMessage());
        }
        if (intake.isFull(batch)) {
          intake.writeOwn(batch, false);
        }
      }
      String atEnd = problemAtEnd.get();
      if (!atEnd.isEmpty()) {
        count(lines.number() + 1, atEnd);
      }
    } finally {
      // Complete lines before a broken-off body are kept, like those before a bad line.
      if (!batch.isEmpty()) {
        intake.writeOwn(batch, false);
      }
    }
  }

  private void count(int number, @Nullable String reason) {
    if (badCount++ < NAMED_MAX) {
      bad.add(new BadLine(number, reason));
    }
  }

  /**
   * Reports the bad lines and answers.
   *
   * @param status status of the answer if no line and no sample was rejected
   */
  void answer(int status) throws IOException {
    context.lines(Prometheus.NAME, "refused", badCount);
    intake.report(
        Intake.SYNTAX,
        badCount,
        () -> "line %d: %s".formatted(bad.getFirst().number(), bad.getFirst().reason()));
    if (badCount == 0 && intake.refused() == 0) {
      exchange.answer(status);
    } else {
      refuse();
    }
  }

  private void refuse() throws IOException {
    exchange.status(400);
    Envelope.refuse(
        exchange,
        "%,d lines and %,d samples were refused, %,d samples are written"
            .formatted(badCount, intake.refused(), intake.accepted()),
        json -> {
          json.writeArrayPropertyStart("lines");
          for (BadLine line : bad) {
            json.writeStartObject();
            json.writeNumberProperty("line", line.number());
            json.writeStringProperty("reason", line.reason());
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeArrayPropertyStart("samples");
          intake.rejections().stream()
              .limit(NAMED_MAX)
              .forEach(rejection -> write(rejection, json));
          json.writeEndArray();
        });
  }

  private static void write(Rejection rejection, JsonGenerator json) {
    json.writeStartObject();
    String series = rejection.key().toString();
    json.writeStringProperty(
        "series", series.length() > SERIES_SHOWN ? series.substring(0, SERIES_SHOWN) : series);
    json.writeStringProperty("reason", rejection.refusal().message());
    json.writeEndObject();
  }
}
