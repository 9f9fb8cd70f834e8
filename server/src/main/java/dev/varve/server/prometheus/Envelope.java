package dev.varve.server.prometheus;

import dev.varve.formats.json.Json;
import dev.varve.query.promql.PromQl;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import java.io.IOException;
import java.io.OutputStream;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** Writes the JSON envelope of Prometheus' answers. */
final class Envelope {
  private static final String JSON = "application/json";

  /** Prometheus' prefix of timeout messages. */
  private static final String TIMED_OUT = "query timed out in expression evaluation: ";

  /**
   * A level of a query nests at most two levels deep in JSON: an object and a list of arguments. A
   * generator does not close open objects, so that a truncated answer is not valid JSON.
   */
  private static final JsonFactory FACTORY =
      Json.FACTORY
          .rebuild()
          .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .streamWriteConstraints(
              StreamWriteConstraints.builder().maxNestingDepth(3 * PromQl.DEPTH_MAX).build())
          .build();

  /** Writes one value or some properties. */
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
   * Answers with success.
   *
   * @param rest writes the properties after the data
   */
  static void answer(Exchange exchange, Data data, Data rest) throws IOException {
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json =
            FACTORY.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
      json.writeStartObject();
      json.writeStringProperty("status", "success");
      json.writeName("data");
      data.write(json);
      rest.write(json);
      json.writeEndObject();
    }
  }

  /**
   * Answers with an error and the status that is already set on the exchange.
   *
   * @param refused writes the properties that describe what was rejected
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
    return new ErrorFormat.Body(
        JSON,
        Json.object(json -> {
          json.writeStringProperty("status", "error");
          json.writeStringProperty("errorType", type);
          json.writeStringProperty("error", message);
        }));
  }

  /** Returns Prometheus' error type for a status. */
  private static String errorType(int status) {
    return switch (status) {
      case 404 -> "not_found";
      case 422 -> "execution";
      case 429, 503 -> "unavailable";
      default -> status < 500 ? "bad_data" : "internal";
    };
  }
}
