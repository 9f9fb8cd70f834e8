package dev.varve.server.heroic.json;

import dev.varve.formats.json.Json;
import dev.varve.server.http.Exchange;
import java.io.OutputStream;
import java.util.function.Consumer;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** Answers in JSON. */
public final class HeroicJson {
  public static final String TYPE = "application/json";

  /** Closes no open objects, so that an answer that broke off is recognisable as such. */
  private static final JsonFactory FACTORY =
      Json.FACTORY.rebuild().disable(StreamWriteFeature.AUTO_CLOSE_CONTENT).build();

  private HeroicJson() {}

  /** Answers with a document, as it is written. */
  public static void answer(Exchange exchange, Consumer<JsonGenerator> document) {
    OutputStream out = exchange.answer(TYPE);
    try (JsonGenerator json =
        FACTORY.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
      document.accept(json);
    }
  }

  /** Answers with an object, as its members are written. */
  public static void object(Exchange exchange, Consumer<JsonGenerator> members) {
    answer(
        exchange,
        json -> {
          json.writeStartObject();
          members.accept(json);
          json.writeEndObject();
        });
  }
}
