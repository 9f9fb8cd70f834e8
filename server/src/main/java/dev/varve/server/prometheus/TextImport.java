package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.formats.text.Exposition;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.ingest.Intake;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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
 * <p>Both answer as {@link LineImport} does.
 */
final class TextImport {
  static final String PUSH = "/metrics/";

  private static final String BASE64 = "@base64";

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
    LineImport lines = new LineImport(context, exchange, intake);
    lines.read(format, format::problemAtEnd);
    intake.describe(format.metadata());
    lines.answer(status);
  }
}
