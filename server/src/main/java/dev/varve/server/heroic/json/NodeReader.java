package dev.varve.server.heroic.json;

import dev.varve.formats.json.Json;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/** Reads a JSON document, after reserving memory for each node. */
public final class NodeReader {
  /** Deepest nesting of a document; filters and aggregations are read recursively. */
  private static final int NESTING_MAX = 100;

  private static final int NODE_BYTES = 160;
  private static final int PER_CHARACTER = 4;

  /** Makes the parsers of documents. */
  public static final JsonFactory FACTORY =
      Json.FACTORY
          .rebuild()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(NESTING_MAX).build())
          .build();

  private final JsonParser json;
  private final LongConsumer memory;

  private NodeReader(JsonParser json, LongConsumer memory) {
    this.json = json;
    this.memory = memory;
  }

  /**
   * Reads a document; an empty body counts as an empty object.
   *
   * @throws HeroicError if it is not one JSON value
   * @throws dev.varve.server.http.OverBudgetException if it does not fit in memory
   */
  public static Node read(byte[] utf8, Reservation memory) {
    try (JsonParser json = HeldJson.of(FACTORY, new ByteArrayInputStream(utf8), memory)) {
      if (json.nextToken() == null) {
        return new Node("", Map.of());
      }
      Node document = new NodeReader(json, memory::hold).node("");
      if (json.nextToken() != null) {
        TokenStreamLocation where = json.currentLocation();
        throw HeroicError.jsonSyntax(
            "something follows the document", where.getLineNr(), where.getColumnNr());
      }
      return document;
    } catch (JacksonException e) {
      throw syntax(e);
    }
  }

  /** Returns the error for a document that is not JSON. */
  public static HeroicError syntax(JacksonException e) {
    @Nullable TokenStreamLocation where = e.getLocation();
    String message = e.getOriginalMessage();
    // What the parser says of its source means nothing to the client.
    for (String source : List.of(" (start marker at", " (for ")) {
      int at = message.indexOf(source);
      message = at < 0 ? message : message.substring(0, at);
    }
    return where == null
        ? HeroicError.jsonSyntax(message, 1, 1)
        : HeroicError.jsonSyntax(message, where.getLineNr(), where.getColumnNr());
  }

  /**
   * Reads the node at the current token of a parser, which then is at its last token.
   *
   * @param memory receives the bytes of each node before it is made
   */
  public static Node at(JsonParser json, String path, LongConsumer memory) {
    return new NodeReader(json, memory).node(path);
  }

  private Node node(String path) {
    memory.accept(NODE_BYTES + (long) PER_CHARACTER * path.length());
    return new Node(
        path,
        switch (json.currentToken()) {
          case START_OBJECT -> object(path);
          case START_ARRAY -> array(path);
          case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Node.Numeral(text());
          case VALUE_TRUE -> true;
          case VALUE_FALSE -> false;
          case VALUE_NULL -> null;
          default -> text();
        });
  }

  private String text() {
    String text = json.getString();
    memory.accept((long) PER_CHARACTER * text.length());
    return text;
  }

  private Map<String, Node> object(String path) {
    Map<String, Node> members = new LinkedHashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      members.put(name, node(Node.member(path, name)));
    }
    return members;
  }

  private List<Node> array(String path) {
    List<Node> elements = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      elements.add(node(path + "[" + elements.size() + "]"));
    }
    return elements;
  }
}
