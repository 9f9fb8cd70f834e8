package dev.varve.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The path of a route, such as {@code /api/v1/label/*}{@code /values}.
 *
 * <p>Literal segments match the path as it was sent, not decoded. A proxy that compares paths sees
 * the same characters, so no spelling reaches a handler past its rules. Nothing is normalised:
 * {@code //}, {@code ..} and {@code ;} have no special meaning. A variable segment is decoded once,
 * by {@link #decode}.
 */
final class PathPattern {
  /** Matches one non-empty segment. */
  static final String ONE = "*";

  /** Matches one or more segments; allowed as the last segment. */
  static final String REST = "**";

  private final String[] segments;
  private final boolean rest;

  private PathPattern(String[] segments, boolean rest) {
    this.segments = segments;
    this.rest = rest;
  }

  /**
   * Parses a pattern.
   *
   * @throws IllegalArgumentException if a literal segment can never match, or {@link #REST} is not
   *     last
   */
  static PathPattern of(String text) {
    String[] segments = split(text);
    boolean rest = segments[segments.length - 1].equals(REST);
    for (int i = 0; i < segments.length; i++) {
      boolean misplaced = segments[i].equals(REST) && i < segments.length - 1;
      if (misplaced || segments[i].indexOf('%') >= 0 || segments[i].indexOf(';') >= 0) {
        throw new IllegalArgumentException("'" + text + "' is no pattern of a path");
      }
    }
    return new PathPattern(rest ? Arrays.copyOf(segments, segments.length - 1) : segments, rest);
  }

  /** Returns whether the pattern matches only one path. */
  boolean isLiteral() {
    return !rest && !Arrays.asList(segments).contains(ONE);
  }

  /**
   * Splits a path, which begins with a slash, into segments; the first one is the empty text before
   * that slash.
   */
  static String[] split(String path) {
    return path.split("/", -1);
  }

  /**
   * Matches a path.
   *
   * @param path its {@linkplain #split segments}
   * @return the variable segments as they were sent; null if the path does not match
   */
  @Nullable List<String> match(String[] path) {
    if (rest ? path.length <= segments.length : path.length != segments.length) {
      return null;
    }
    List<String> variables = new ArrayList<>();
    for (int i = 0; i < segments.length; i++) {
      if (!segments[i].equals(ONE)) {
        if (!segments[i].equals(path[i])) {
          return null;
        }
      } else if (path[i].isEmpty()) {
        return null;
      } else {
        variables.add(path[i]);
      }
    }
    variables.addAll(Arrays.asList(path).subList(segments.length, path.length));
    return rest && variables.equals(List.of("")) ? null : variables;
  }

  /**
   * Decodes the percent escapes of a segment once. The result is text, even if it contains a slash
   * or a percent sign.
   *
   * @throws HttpError 400 if an escape is incomplete or the bytes are not UTF-8
   */
  static String decode(String segment) {
    if (segment.indexOf('%') < 0) {
      return segment;
    }
    byte[] sent = segment.getBytes(StandardCharsets.UTF_8);
    ByteBuffer decoded = ByteBuffer.allocate(sent.length);
    for (int i = 0; i < sent.length; i++) {
      if (sent[i] != '%') {
        decoded.put(sent[i]);
        continue;
      }
      boolean whole = i + 2 < sent.length;
      int high = whole ? Character.digit(sent[i + 1], 16) : -1;
      int low = whole ? Character.digit(sent[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        throw HttpError.badRequest(
            "'%s' in the path has a '%%' that no two hexadecimal digits follow".formatted(segment));
      }
      decoded.put((byte) (high << 4 | low));
      i += 2;
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(decoded.flip()).toString();
    } catch (CharacterCodingException e) {
      throw HttpError.badRequest("'%s' in the path is not UTF-8".formatted(segment));
    }
  }
}
