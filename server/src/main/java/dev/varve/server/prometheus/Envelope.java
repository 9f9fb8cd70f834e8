package dev.varve.server.prometheus;

import dev.varve.query.promql.PromQl;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** What Prometheus puts around its answers. */
final class Envelope {
  private static final String JSON = "application/json";

  /** How Prometheus begins to say that the time was up. */
  private static final String TIMED_OUT = "query timed out in expression evaluation: ";

  /**
   * A level of a query is two of JSON at most: an object, and a list of arguments. An answer that
   * breaks off half way is not closed, so that it does not look whole.
   */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .streamWriteConstraints(
              StreamWriteConstraints.builder().maxNestingDepth(3 * PromQl.DEPTH_MAX).build())
          .build();

  /** Writes one value, or some properties. */
  @FunctionalInterface
  interface Data {
    void write(JsonGenerator json);
  }

  static final ErrorFormat ERRORS =
      new ErrorFormat() {
        @Override
        public Body of(int status, String message) {
          return error(errorType(status), message);
        }

        @Override
        public Body of(Exchange exchange, int status, String kind, String message) {
          return switch (kind) {
            case "", NOTHING_THERE -> of(status, message);
            case "timeout" -> error(kind, TIMED_OUT + message);
            default -> error(kind, message);
          };
        }
      };

  private Envelope() {}

  static void answer(Exchange exchange, Data data) throws IOException {
    answer(exchange, data, json -> {});
  }

  /**
   * Answers.
   *
   * @param behind properties behind the data
   */
  static void answer(Exchange exchange, Data data, Data behind) throws IOException {
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json =
            FACTORY.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
      json.writeStartObject();
      json.writeStringProperty("status", "success");
      json.writeName("data");
      data.write(json);
      behind.write(json);
      json.writeEndObject();
    }
  }

  /**
   * Answers that something was refused, with the status that the exchange has.
   *
   * @param refused properties that say what
   */
  static void refuse(Exchange exchange, String message, Data refused) throws IOException {
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json =
            FACTORY.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
      json.writeStartObject();
      json.writeStringProperty("status", "error");
      json.writeStringProperty("errorType", errorType(exchange.status()));
      json.writeStringProperty("error", message);
      json.writeName("refused");
      json.writeStartObject();
      refused.write(json);
      json.writeEndObject();
      json.writeEndObject();
    }
  }

  private static ErrorFormat.Body error(String type, String message) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("status", "error");
      json.writeStringProperty("errorType", type);
      json.writeStringProperty("error", message);
      json.writeEndObject();
    }
    return new ErrorFormat.Body(JSON, text.toString());
  }

  /** The kinds of errors that Prometheus knows. */
  private static String errorType(int status) {
    return switch (status) {
      case 404 -> "not_found";
      case 422 -> "execution";
      case 429, 503 -> "unavailable";
      default -> status < 500 ? "bad_data" : "internal";
    };
  }
}
