package dev.varve.server.opentsdb.query;

import dev.varve.formats.json.Json;
import dev.varve.server.http.Exchange;
import java.io.OutputStream;
import java.util.function.Consumer;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** Answers with JSON documents. */
public final class JsonAnswer {
  /** The content type of all answers. */
  public static final String TYPE = "application/json; charset=UTF-8";

  /** Does not close what is open, so that a truncated answer is recognisable as such. */
  private static final JsonFactory FACTORY =
      Json.FACTORY.rebuild().disable(StreamWriteFeature.AUTO_CLOSE_CONTENT).build();

  private JsonAnswer() {}

  /** Answers with a document. */
  public static void write(Exchange exchange, Consumer<JsonGenerator> document) {
    OutputStream out = exchange.answer(TYPE);
    try (JsonGenerator json =
        FACTORY.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
      document.accept(json);
    }
  }
}
