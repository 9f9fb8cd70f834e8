package dev.varve.formats.json;

import java.io.StringWriter;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/** The factory of JSON readers and writers, and small documents as text. */
public final class Json {
  /**
   * Reads and writes JSON with Jackson's default limits. Bytes are UTF-8 (RFC 8259, 8.1): the
   * encoding is not detected.
   */
  public static final JsonFactory FACTORY =
      JsonFactory.builder().disable(TokenStreamFactory.Feature.CHARSET_DETECTION).build();

  private Json() {}

  /** Returns a parser of a text. */
  public static JsonParser parser(String text) {
    return FACTORY.createParser(ObjectReadContext.empty(), text);
  }

  /** Returns a value as text without whitespace. */
  public static String text(Consumer<JsonGenerator> value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      value.accept(json);
    }
    return text.toString();
  }

  /** Returns an object with the written members as text without whitespace. */
  public static String object(Consumer<JsonGenerator> members) {
    return text(json -> {
      json.writeStartObject();
      members.accept(json);
      json.writeEndObject();
    });
  }
}
