package dev.varve.server.heroic.error;

import dev.varve.formats.json.Json;
import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/** Thrown to answer a request with one of Heroic's errors, which clients distinguish by type. */
public final class HeroicError extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final String type;
  private final transient Map<String, Object> place;

  private HeroicError(String type, String message, Map<String, Object> place) {
    super(message);
    this.type = type;
    this.place = place;
  }

  /** Creates an error without a place. */
  public static HeroicError of(String message) {
    return new HeroicError("error", message, Map.of());
  }

  /** Creates the error for a request without a client id. */
  public static HeroicError anonymous() {
    return new HeroicError(
        "authentication-error", "Anonymous requests are not permitted", Map.of());
  }

  /**
   * Creates an error of a value in a JSON document.
   *
   * @param path of the value, such as {@code filter[1]}; empty for the document
   */
  public static HeroicError json(String message, String path) {
    return new HeroicError("json-error", message, Map.of("path", path));
  }

  /** Creates the error of a document that is not JSON; line and column count from 1. */
  public static HeroicError jsonSyntax(String message, int line, int column) {
    return new HeroicError("json-parse-error", message, ordered("line", line, "col", column));
  }

  /**
   * Creates an error in a text of Heroic's language.
   *
   * @param line of the start, from 1
   * @param column of the start, from 0
   */
  public static HeroicError text(String message, int line, int column, int lineEnd, int columnEnd) {
    Map<String, Object> place = ordered("line", line, "col", column);
    place.putAll(ordered("lineEnd", lineEnd, "colEnd", columnEnd));
    return new HeroicError("parse-error", "%d:%d: %s".formatted(line, column, message), place);
  }

  private static Map<String, Object> ordered(String first, int one, String second, int two) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put(first, one);
    map.put(second, two);
    return map;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }

  /** Returns the HTTP status of all these errors. */
  public int status() {
    return 400;
  }

  /** Returns the body of the answer. */
  public String body() {
    return body(400, type, String.valueOf(getMessage()), place);
  }

  /** Returns the body for an error that has no type of its own. */
  public static String body(int status, String message) {
    return body(status, status < 500 ? "error" : "internal-error", message, Map.of());
  }

  private static String body(int status, String type, String message, Map<String, Object> place) {
    return Json.object(json -> {
      json.writeStringProperty("message", message);
      json.writeStringProperty("reason", reason(status));
      json.writeNumberProperty("status", status);
      json.writeStringProperty("type", type);
      place.forEach((name, value) -> write(json, name, value));
    });
  }

  private static void write(JsonGenerator json, String name, Object value) {
    if (value instanceof Integer number) {
      json.writeNumberProperty(name, number);
    } else {
      json.writeStringProperty(name, value.toString());
    }
  }

  private static String reason(int status) {
    return switch (status) {
      case 400 -> "Bad Request";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 408 -> "Request Timeout";
      case 413 -> "Request Entity Too Large";
      case 415 -> "Unsupported Media Type";
      case 429 -> "Too Many Requests";
      case 500 -> "Internal Server Error";
      case 503 -> "Service Unavailable";
      default -> "Error";
    };
  }
}
