package dev.varve.engine.home;

import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Encodes and decodes selectors.
 *
 * <pre>
 * selector   count varint, then count x filter
 * filter     type u8, label text, then the operand of the type
 * type       0 equal: text       1 not equal: text     2 in: count varint, count x text, sorted
 *            3 prefix: text      4 regex: text         5 not regex: text        6 has: nothing
 * text       length varint, UTF-8
 * </pre>
 *
 * <p>Texts are sorted by {@link String#compareTo}. A varint has seven bits per byte, lowest first.
 * The delete in the example of {@code docs/engine.md} ends with an encoded selector.
 */
public final class SelectorCode {
  private static final int EQUAL = 0;
  private static final int NOT_EQUAL = 1;
  private static final int IN = 2;
  private static final int PREFIX = 3;
  private static final int REGEX = 4;
  private static final int NOT_REGEX = 5;
  private static final int HAS = 6;

  private SelectorCode() {}

  public static byte[] encode(Selector selector) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    varint(selector.filters().size(), out);
    for (TagFilter filter : selector.filters()) {
      switch (filter) {
        case TagFilter.Equal(var name, var value) -> filter(EQUAL, name, value, out);
        case TagFilter.NotEqual(var name, var value) -> filter(NOT_EQUAL, name, value, out);
        case TagFilter.In(var name, var values) -> {
          begin(IN, name, out);
          varint(values.size(), out);
          values.stream().sorted().forEach(value -> text(value, out));
        }
        case TagFilter.Prefix(var name, var prefix) -> filter(PREFIX, name, prefix, out);
        case TagFilter.Regex(var name, var pattern) -> filter(REGEX, name, pattern, out);
        case TagFilter.NotRegex(var name, var pattern) -> filter(NOT_REGEX, name, pattern, out);
        case TagFilter.Has(var name) -> begin(HAS, name, out);
      }
    }
    return out.toByteArray();
  }

  private static void filter(int type, String name, String value, ByteArrayOutputStream out) {
    begin(type, name, out);
    text(value, out);
  }

  private static void begin(int type, String name, ByteArrayOutputStream out) {
    out.write(type);
    text(name, out);
  }

  private static void text(String text, ByteArrayOutputStream out) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    varint(utf8.length, out);
    out.writeBytes(utf8);
  }

  private static void varint(int value, ByteArrayOutputStream out) {
    int rest = value;
    while (rest > 0x7f) {
      out.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }

  /**
   * Decodes the selector that takes the rest of a buffer.
   *
   * @throws IllegalArgumentException if the bytes are not a selector
   * @throws java.nio.BufferUnderflowException if they end early
   */
  public static Selector decode(ByteBuffer from) {
    int count = count(from);
    List<TagFilter> filters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      filters.add(filter(from));
    }
    if (from.hasRemaining()) {
      throw new IllegalArgumentException(from.remaining() + " bytes after the selector");
    }
    return new Selector(filters);
  }

  private static TagFilter filter(ByteBuffer from) {
    int type = from.get();
    String name = text(from);
    return switch (type) {
      case EQUAL -> new TagFilter.Equal(name, text(from));
      case NOT_EQUAL -> new TagFilter.NotEqual(name, text(from));
      case IN -> new TagFilter.In(name, texts(from));
      case PREFIX -> new TagFilter.Prefix(name, text(from));
      case REGEX -> new TagFilter.Regex(name, text(from));
      case NOT_REGEX -> new TagFilter.NotRegex(name, text(from));
      case HAS -> new TagFilter.Has(name);
      default ->
          throw new IllegalArgumentException("filter of type " + type + ", known are 0 to 6");
    };
  }

  private static Set<String> texts(ByteBuffer from) {
    int count = count(from);
    Set<String> texts = new HashSet<>();
    String last = null;
    for (int i = 0; i < count; i++) {
      String text = text(from);
      if (last != null && last.compareTo(text) >= 0) {
        throw new IllegalArgumentException("'%s' after '%s' is not sorted".formatted(text, last));
      }
      texts.add(text);
      last = text;
    }
    return texts;
  }

  /** Reads the number of filters or texts, each of which takes at least a byte. */
  private static int count(ByteBuffer from) {
    int count = varint(from);
    if (count < 0 || count > from.remaining()) {
      throw new IllegalArgumentException(
          "%d elements in %d bytes".formatted(count, from.remaining()));
    }
    return count;
  }

  private static String text(ByteBuffer from) {
    int length = varint(from);
    if (length < 0 || length > from.remaining()) {
      throw new IllegalArgumentException(
          "a text of %d bytes, %d are left".formatted(length, from.remaining()));
    }
    ByteBuffer utf8 = from.slice(from.position(), length);
    from.position(from.position() + length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("a text that is not UTF-8", e);
    }
  }

  private static int varint(ByteBuffer from) {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      int part = from.get() & 0xff;
      if (shift == 28 && part > 0x07) {
        throw new IllegalArgumentException("a number of more than 31 bits");
      }
      value |= (part & 0x7f) << shift;
      if (part < 0x80) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number of more than 5 bytes");
  }
}
