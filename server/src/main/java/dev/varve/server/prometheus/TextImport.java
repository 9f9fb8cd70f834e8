package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.engine.WriteResult.Rejection;
import dev.varve.formats.text.BadLineException;
import dev.varve.formats.text.Exposition;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.server.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.ShortLines;
import dev.varve.server.ingest.Intake;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Imports bodies in Prometheus' text format or OpenMetrics, depending on their content type.
 *
 * <ul>
 *   <li>{@code POST /api/v1/import/prometheus}: as in VictoriaMetrics, with {@code extra_label} and
 *       {@code timestamp} (ms)
 *   <li>{@code POST|PUT /metrics/job/JOB[/NAME/VALUE ...]}: as in the Pushgateway, except that
 *       pushed samples are stored rather than exposed for scraping
 * </ul>
 *
 * <p>Valid lines of a bad body are written. The answer lists the rejected lines and the reasons.
 */
final class TextImport {
  static final String PUSH = "/metrics/";

  private static final String BASE64 = "@base64";

  /** Maximum number of rejected lines, and of samples, that the answer lists. */
  static final int NAMED_MAX = 100;

  /** Maximum length of a series in the answer, in characters. */
  private static final int SERIES_SHOWN = 500;

  private final DialectContext context;

  TextImport(DialectContext context) {
    this.context = context;
  }

  void post(Exchange exchange) throws IOException {
    Map<String, String> labels = extraLabels(exchange);
    String time = exchange.parameter("timestamp");
    if (time != null && !time.matches("-?\\d{1,15}")) {
      throw HttpError.badRequest("timestamp is in ms since 1970, not '%s'".formatted(time));
    }
    write(exchange, labels, time == null ? context.clock().millis() : Long.parseLong(time), 204);
  }

  /** Returns the labels that the parameters {@code extra_label} give to every series. */
  static Map<String, String> extraLabels(Exchange exchange) {
    Map<String, String> labels = new TreeMap<>();
    for (String extra : exchange.parameters("extra_label")) {
      int equals = extra.indexOf('=');
      if (equals <= 0) {
        throw HttpError.badRequest("extra_label is name=value, not '%s'".formatted(extra));
      }
      put(labels, extra.substring(0, equals), extra.substring(equals + 1));
    }
    return labels;
  }

  /**
   * Writes a push. The path alternates names and values, beginning with {@code job} or {@code
   * job@base64}.
   */
  void push(Exchange exchange, String job) throws IOException {
    List<String> steps = new ArrayList<>(List.of(job));
    steps.addAll(exchange.variables());
    if (steps.size() % 2 != 0) {
      throw HttpError.badRequest(
          "the path is /metrics/job/JOB/NAME/VALUE..., and its last name has no value");
    }
    Map<String, String> labels = new TreeMap<>();
    for (int i = 0; i < steps.size(); i += 2) {
      String step = steps.get(i);
      String value = steps.get(i + 1);
      boolean encoded = step.endsWith(BASE64);
      String name = encoded ? step.substring(0, step.length() - BASE64.length()) : step;
      put(labels, name, encoded ? decoded(value) : value);
    }
    if (labels.getOrDefault("job", "").isEmpty()) {
      throw HttpError.badRequest("the name of the job is missing: /metrics/job/JOB");
    }
    write(exchange, labels, context.clock().millis(), 200);
  }

  private static void put(Map<String, String> labels, String name, String value) {
    if (name.isEmpty() || name.equals(Series.NAME_LABEL)) {
      throw HttpError.badRequest("'%s' cannot be given as a label".formatted(name));
    }
    if (labels.put(name, value) != null) {
      throw HttpError.badRequest("label '%s' is given twice".formatted(name));
    }
  }

  /** Accepts both Base64 alphabets, with or without padding, and {@code =} for an empty value. */
  private static String decoded(String value) {
    String bare = value.replaceAll("=+$", "").replace('+', '-');
    try {
      return new String(Base64.getUrlDecoder().decode(bare), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw HttpError.badRequest("'%s' is not valid Base64".formatted(value));
    }
  }

  private void write(Exchange exchange, Map<String, String> labels, long nowMillis, int status)
      throws IOException {
    Dataset dataset = context.dataset(exchange);
    String type = exchange.header("Content-Type");
    long now = Resolution.MILLISECONDS.convert(nowMillis, dataset.resolution());
    Exposition format =
        new Exposition(
            type != null && Exposition.isOpenMetrics(type),
            dataset.resolution(),
            () -> now,
            labels,
            exchange.memory()::hold);
    Intake intake = context.intake(exchange, dataset, Prometheus.NAME);
    List<BadLine> bad = new ArrayList<>();
    int badCount = read(exchange, format, intake, bad);
    context.lines(Prometheus.NAME, "refused", badCount);
    intake.report(
        Intake.SYNTAX,
        badCount,
        () -> "line %d: %s".formatted(bad.getFirst().number(), bad.getFirst().reason()));
    if (badCount == 0 && intake.refused() == 0) {
      exchange.answer(status);
    } else {
      refuse(exchange, intake, bad, badCount);
    }
  }

  /** A line that could not be parsed. */
  record BadLine(int number, @Nullable String reason) {}

  private static int read(Exchange exchange, Exposition format, Intake intake, List<BadLine> bad)
      throws IOException {
    BatchBuilder batch = intake.newBatch();
    int badCount = 0;
    try (ShortLines lines = new ShortLines(exchange.body(), exchange.memory())) {
      for (String line = lines.next(); line != null; line = lines.next()) {
        try {
          if (!lines.isText()) {
            throw new BadLineException("the line is not UTF-8");
          }
          byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
          format.read(bytes, 0, bytes.length, batch);
        } catch (BadLineException e) {
          if (badCount++ < NAMED_MAX) {
            bad.add(new BadLine(lines.number(), e.getMessage()));
          }
        }
        if (intake.isFull(batch)) {
          intake.writeOwn(batch, false);
        }
      }
      String atEnd = format.problemAtEnd();
      if (!atEnd.isEmpty() && badCount++ < NAMED_MAX) {
        bad.add(new BadLine(lines.number() + 1, atEnd));
      }
    } finally {
      // Complete lines before a broken-off body are kept, like those before a bad line.
      if (!batch.isEmpty()) {
        intake.writeOwn(batch, false);
      }
    }
    intake.describe(format.metadata());
    return badCount;
  }

  static void refuse(Exchange exchange, Intake intake, List<BadLine> bad, int badCount)
      throws IOException {
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
