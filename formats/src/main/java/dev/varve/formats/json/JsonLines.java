package dev.varve.formats.json;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** Writes lines of JSON, each a value and a line feed, to a target that stays open. */
public final class JsonLines {
  /** An incomplete line is not closed, so that it does not look complete. */
  private static final JsonFactory JSON =
      Json.FACTORY
          .rebuild()
          .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .disable(StreamWriteFeature.FLUSH_PASSED_TO_STREAM)
          .rootValueSeparator("")
          .build();

  private JsonLines() {}

  /** Writes one line. */
  public static void write(Writer out, Consumer<JsonGenerator> content) {
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      content.accept(json);
    }
    try {
      out.write('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns one line. */
  public static String text(Consumer<JsonGenerator> content) {
    StringWriter text = new StringWriter();
    write(text, content);
    return text.toString();
  }

  /**
   * Returns a generator that writes values one after another without separators, and neither
   * flushes nor closes its target.
   */
  public static JsonGenerator generator(OutputStream out) {
    return JSON.createGenerator(ObjectWriteContext.empty(), out);
  }
}
