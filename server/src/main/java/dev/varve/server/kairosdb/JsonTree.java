package dev.varve.server.kairosdb;

import dev.varve.formats.json.Json;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/**
 * JSON as a tree of {@link Map}, {@link List}, {@link String}, {@link Numeral} and {@link Boolean},
 * for small documents such as queries. JSON null is represented as null.
 */
final class JsonTree {
  private static final int TEXT_MAX = 8 << 20;
  private static final int NESTING_MAX = 200;

  /** Memory of an empty map, of an entry, of an empty list and of an element, in bytes. */
  private static final int OBJECT_BYTES = 160;

  private static final int MEMBER_BYTES = 64;
  private static final int ARRAY_BYTES = 80;
  private static final int ITEM_BYTES = 8;

  /** Memory of a text or number without its characters, in bytes. */
  private static final int TEXT_BYTES = 64;

  /**
   * Accepts the extensions of KairosDB's JSON library: comments, single quotes, unquoted names, NaN
   * and infinities. A generator does not close open objects, so that a truncated answer is
   * recognisable as such.
   */
  static final JsonFactory FACTORY =
      Json.FACTORY
          .rebuild()
          .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
          .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
          .enable(JsonReadFeature.ALLOW_YAML_COMMENTS)
          .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
          .enable(JsonReadFeature.ALLOW_UNQUOTED_PROPERTY_NAMES)
          .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
          .enable(JsonReadFeature.ALLOW_LEADING_ZEROS_FOR_NUMBERS)
          .enable(JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS)
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(TEXT_MAX)
                  .maxNestingDepth(NESTING_MAX)
                  .build())
          .build();

  private JsonTree() {}

  /** Returns the problem of a document and its position. */
  static String reason(JacksonException failure) {
    @Nullable TokenStreamLocation where = failure.getLocation();
    String message = failure.getOriginalMessage();
    // The parser's description of its source means nothing to the client.
    int source = message.indexOf(" (start marker at");
    if (source < 0) {
      source = message.indexOf(" (for ");
    }
    if (source >= 0) {
      message = message.substring(0, source);
    }
    return where == null
        ? message
        : "%s, line %d, column %d".formatted(message, where.getLineNr(), where.getColumnNr());
  }

  /** A number as written in the document. */
  record Numeral(String text) {}

  /**
   * Reads one document; null if it is empty. The tree's memory is reserved until the reservation
   * ends.
   *
   * @throws HttpError if anything follows the document
   * @throws dev.varve.server.http.OverBudgetException if the tree does not fit in memory
   */
  static @Nullable Object read(byte[] utf8, Reservation memory) {
    try (JsonParser json = HeldJson.of(FACTORY, new ByteArrayInputStream(utf8), memory)) {
      if (json.nextToken() == null) {
        return null;
      }
      Object document = new Nodes(json, memory).value();
      if (json.nextToken() != null) {
        throw HttpError.badRequest("Did not consume the entire document.");
      }
      return document;
    }
  }

  /** Creates the nodes of one document after reserving memory for each. */
  private record Nodes(JsonParser json, Reservation memory) {
    private @Nullable Object value() {
      return switch (json.currentToken()) {
        case START_OBJECT -> object();
        case START_ARRAY -> array();
        case VALUE_NUMBER_INT -> new Numeral(text());
        case VALUE_NUMBER_FLOAT -> {
          String text = text();
          // KairosDB reads a bare NaN or Infinity as a string.
          yield isWord(text) ? text : new Numeral(text);
        }
        case VALUE_TRUE -> true;
        case VALUE_FALSE -> false;
        case VALUE_NULL -> null;
        default -> text();
      };
    }

    private String text() {
      String text = json.getString();
      memory.hold(TEXT_BYTES + 2L * text.length());
      return text;
    }

    private Map<String, @Nullable Object> object() {
      memory.hold(OBJECT_BYTES);
      Map<String, @Nullable Object> object = new LinkedHashMap<>();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        memory.hold(MEMBER_BYTES + 2L * name.length());
        json.nextToken();
        object.put(name, value());
      }
      return object;
    }

    private List<@Nullable Object> array() {
      memory.hold(ARRAY_BYTES);
      List<@Nullable Object> array = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        memory.hold(ITEM_BYTES);
        array.add(value());
      }
      return array;
    }
  }

  /** Returns whether the text of a number is NaN or an infinity. */
  static boolean isWord(String number) {
    char last = number.charAt(number.length() - 1);
    return last == 'N' || last == 'y' || last == 'F';
  }

  /** Returns a tree as a document without whitespace. */
  static String text(@Nullable Object tree) {
    return Json.text(json -> write(json, tree));
  }

  private static void write(JsonGenerator json, @Nullable Object tree) {
    switch (tree) {
      case null -> json.writeNull();
      case Map<?, ?> map -> {
        json.writeStartObject();
        map.forEach((name, value) -> {
          json.writeName((String) name);
          write(json, value);
        });
        json.writeEndObject();
      }
      case List<?> list -> {
        json.writeStartArray();
        list.forEach(value -> write(json, value));
        json.writeEndArray();
      }
      case Numeral number -> json.writeNumber(number.text());
      case Boolean truth -> json.writeBoolean(truth);
      default -> json.writeString(tree.toString());
    }
  }
}
