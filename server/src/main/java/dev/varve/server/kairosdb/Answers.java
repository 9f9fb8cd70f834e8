package dev.varve.server.kairosdb;

import dev.varve.formats.json.Json;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** Answers in the forms and with the content types of KairosDB. */
final class Answers {
  /** Content type of all answers except client errors. */
  static final String JSON = "application/json;charset=utf-8";

  static final String ERROR_JSON = "application/json";

  private Answers() {}

  /** Returns the body of an error. */
  static ErrorFormat.Body error(int status, String message) {
    return new ErrorFormat.Body(status < 500 ? ERROR_JSON : JSON, errors(List.of(message)));
  }

  static String errors(List<String> messages) {
    return Json.object(json -> {
      json.writeArrayPropertyStart("errors");
      messages.forEach(json::writeString);
      json.writeEndArray();
    });
  }

  /** Answers without a body. KairosDB's clients read the content type all the same. */
  static void empty(Exchange exchange, int status) {
    exchange.header("Content-Type", JSON);
    exchange.answer(status);
  }

  /** Answers with a short document. */
  static void json(Exchange exchange, int status, String document) throws IOException {
    exchange.answer(status, JSON, document);
  }

  /** Answers with an object as its members are written. */
  static void stream(Exchange exchange, Consumer<JsonGenerator> members) {
    OutputStream out = exchange.answer(JSON);
    try (JsonGenerator json =
        JsonTree.FACTORY.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
      json.writeStartObject();
      members.accept(json);
      json.writeEndObject();
    }
  }

  /** Writes a list of names as the property {@code results}. */
  static void results(JsonGenerator json, Iterable<String> names) {
    json.writeArrayPropertyStart("results");
    names.forEach(json::writeString);
    json.writeEndArray();
  }

  /** Returns the encoding of a body; older agents declare gzip with the content type. */
  static @Nullable String encoding(Exchange exchange) {
    String type = exchange.header("Content-Type");
    return type != null && type.startsWith("application/gzip")
        ? "gzip"
        : exchange.header("Content-Encoding");
  }
}
