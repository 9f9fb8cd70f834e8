package dev.varve.server;

import java.io.StringWriter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/**
 * Prints fuzzed values as JSON in printable ASCII, which is also valid YAML, whatever the texts
 * contain.
 */
public final class FuzzJson {
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .characterEscapes(new Printable())
          .build();

  private FuzzJson() {}

  /** Returns a value as JSON. */
  public static String printed(Consumer<JsonGenerator> value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      value.accept(json);
    }
    return text.toString();
  }

  /** Escapes the one ASCII character that JSON accepts unescaped but YAML does not. */
  private static final class Printable extends CharacterEscapes {
    private static final long serialVersionUID = 1;
    private static final int[] ESCAPES = standardAsciiEscapesForJSON();

    static {
      ESCAPES[0x7f] = ESCAPE_STANDARD;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
      return ESCAPES;
    }

    @Override
    public @Nullable SerializableString getEscapeSequence(int character) {
      return null;
    }
  }
}
