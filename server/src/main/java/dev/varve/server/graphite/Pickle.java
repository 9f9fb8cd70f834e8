package dev.varve.server.graphite;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a pickle of texts, numbers, lists and tuples, of protocols 0 to 5. Opcodes that name a
 * class, call something or make an object are refused by name. So are dictionaries and sets, which
 * no sender of samples uses.
 *
 * <p>A text is a {@link String}, an integer a {@link Long}, a float a {@link Double}, a list or
 * tuple a {@link List}, True and False a {@link Boolean}, None {@link #NONE}. The length of the
 * bytes and {@link #VALUES_MAX} bound the work. {@code growth} bounds the memory: it is called
 * before each allocation. Nothing recurses. Source: the opcodes of Python's {@code pickletools}.
 */
final class Pickle {
  /** Python's None. */
  static final Object NONE = new Object();

  /** Maximum number of values, more than fit into a frame of samples. */
  static final int VALUES_MAX = 1 << 19;

  /** Memory of a value in bytes: itself, its place in a list that grows, its share of a tuple. */
  private static final int VALUE_BYTES = 48;

  /** Memory of an entry of the memo, in bytes. */
  private static final int MEMO_BYTES = 80;

  private static final int MARK_BYTES = 24;
  private static final int PROTOCOL_MAX = 5;
  private static final int SHOWN_MAX = 40;

  private final byte[] bytes;
  private final LongConsumer growth;
  private final List<Object> stack = new ArrayList<>();
  private final List<Integer> marks = new ArrayList<>();
  private final Map<Long, Object> memo = new HashMap<>();
  private int at;
  private int values;

  private Pickle(byte[] bytes, LongConsumer growth) {
    this.bytes = bytes;
    this.growth = growth;
  }

  /**
   * Reads the one value that a pickle holds.
   *
   * @param growth called with a number of bytes before they are allocated; may throw
   * @throws PickleException if the bytes are not a pickle, or hold an unsupported value
   */
  static Object read(byte[] bytes, LongConsumer growth) {
    return new Pickle(bytes, growth).read();
  }

  private Object read() {
    while (true) {
      int opcode = next();
      if (opcode == '.') {
        if (stack.size() != 1) {
          throw wrong("ends with %d values where there is one".formatted(stack.size()));
        }
        return stack.getFirst();
      }
      step(opcode);
    }
  }

  private void step(int opcode) {
    switch (opcode) {
      case 0x80 -> protocol(next());
      case 0x95 -> skip(8);
      case '(' -> mark();
      case ']', ')' -> push(new ArrayList<>());
      case 'l', 't' -> push(sinceMark());
      case 'a' -> append();
      case 'e' -> appendAll();
      case 0x85 -> push(last(1));
      case 0x86 -> push(last(2));
      case 0x87 -> push(last(3));
      case '0' -> pop();
      case '1' -> sinceMark();
      case '2' -> push(top());
      case 'p' -> remember(decimal(line()));
      case 'q' -> remember(next());
      case 'r' -> remember(unsigned(4));
      case 0x94 -> remember(memo.size());
      case 'g' -> push(remembered(decimal(line())));
      case 'h' -> push(remembered(next()));
      case 'j' -> push(remembered(unsigned(4)));
      default -> push(scalar(opcode));
    }
  }

  private Object scalar(int opcode) {
    return switch (opcode) {
      case 'N' -> NONE;
      case 0x88 -> true;
      case 0x89 -> false;
      case 'I' -> integer(line());
      case 'L' -> longInteger(line());
      case 'J' -> (long) (int) unsigned(4);
      case 'K' -> (long) next();
      case 'M' -> unsigned(2);
      case 0x8a -> littleEndian(next());
      case 0x8b -> littleEndian(length(unsigned(4)));
      case 'F' -> real(line());
      case 'G' -> ByteBuffer.wrap(bytes, skip(8), 8).getDouble();
      case 'S' -> unquoted(line());
      case 'V' -> unescaped(line());
      case 'U', 0x8c, 'C' -> text(next());
      case 'T', 'X', 'B' -> text(length(unsigned(4)));
      case 0x8d, 0x8e -> text(length(unsigned(8)));
      default -> throw refused(opcode);
    };
  }

  private PickleException refused(int opcode) {
    String name =
        switch (opcode) {
          case 'c' -> "GLOBAL";
          case 0x93 -> "STACK_GLOBAL";
          case 'R' -> "REDUCE";
          case 'b' -> "BUILD";
          case 'i' -> "INST";
          case 'o' -> "OBJ";
          case 0x81 -> "NEWOBJ";
          case 0x92 -> "NEWOBJ_EX";
          case 'P' -> "PERSID";
          case 'Q' -> "BINPERSID";
          case 0x82, 0x83, 0x84 -> "EXT";
          case '}', 'd', 's', 'u' -> "DICT";
          case 0x8f, 0x90, 0x91 -> "SET";
          case 0x96, 0x97, 0x98 -> "BUFFER";
          default -> "";
        };
    return name.isEmpty()
        ? wrong("there is no opcode 0x%02x".formatted(opcode))
        : wrong("opcode " + name + " is refused: samples are texts, numbers, lists and tuples");
  }

  private PickleException wrong(String what) {
    return new PickleException("pickle, byte %d: %s".formatted(at, what));
  }

  private int next() {
    if (at == bytes.length) {
      throw wrong("ends in the middle");
    }
    return bytes[at++] & 0xff;
  }

  /** Skips bytes and returns the index of the first one. */
  private int skip(int count) {
    if (count > bytes.length - at) {
      throw wrong("ends in the middle");
    }
    int from = at;
    at += count;
    return from;
  }

  private void protocol(int version) {
    if (version > PROTOCOL_MAX) {
      throw wrong("protocol %d is not known, %d is the last".formatted(version, PROTOCOL_MAX));
    }
  }

  private void push(Object value) {
    if (values++ == VALUES_MAX) {
      throw wrong("more than %,d values".formatted(VALUES_MAX));
    }
    growth.accept(VALUE_BYTES);
    stack.add(value);
  }

  private void mark() {
    growth.accept(MARK_BYTES);
    marks.add(stack.size());
  }

  private void remember(long place) {
    growth.accept(MEMO_BYTES);
    memo.put(place, top());
  }

  private Object pop() {
    top();
    return stack.removeLast();
  }

  /**
   * Returns the top of the stack without removing it. Fails if nothing was pushed since the last
   * mark.
   */
  private Object top() {
    if (stack.size() <= (marks.isEmpty() ? 0 : marks.getLast())) {
      throw wrong("takes a value where there is none");
    }
    return stack.getLast();
  }

  private List<Object> last(int count) {
    Object[] taken = new Object[count];
    for (int i = count - 1; i >= 0; i--) {
      taken[i] = pop();
    }
    return List.of(taken);
  }

  private List<Object> sinceMark() {
    if (marks.isEmpty()) {
      throw wrong("pops to a mark, but the stack has none");
    }
    List<Object> following = stack.subList(marks.removeLast(), stack.size());
    List<Object> taken = new ArrayList<>(following);
    following.clear();
    return taken;
  }

  private void append() {
    Object value = pop();
    list().add(value);
  }

  private void appendAll() {
    List<Object> taken = sinceMark();
    list().addAll(taken);
  }

  /** Returns the list on top. A tuple is a list here too, but pickles do not append to it. */
  @SuppressWarnings("unchecked") // All lists are made here.
  private List<Object> list() {
    if (top() instanceof ArrayList<?> list) {
      return (List<Object>) list;
    }
    throw wrong("appends to what is no list");
  }

  private Object remembered(long place) {
    Object value = memo.get(place);
    if (value == null) {
      throw wrong("asks for the value %d, which was not put by".formatted(place));
    }
    return value;
  }

  /** Reads a little-endian number; eight bytes that exceed a long become negative. */
  private long unsigned(int width) {
    int from = skip(width);
    long value = 0;
    for (int i = width - 1; i >= 0; i--) {
      value = (value << 8) | (bytes[from + i] & 0xff);
    }
    return value;
  }

  private int length(long announced) {
    if (announced < 0 || announced > bytes.length - at) {
      throw wrong("announces more bytes than there are");
    }
    return (int) announced;
  }

  /** Reads a little-endian number in two's complement. */
  private long littleEndian(int width) {
    if (width > Long.BYTES) {
      throw wrong("an integer of %d bytes, 8 are the most".formatted(width));
    }
    int from = skip(width);
    long value = width > 0 && bytes[from + width - 1] < 0 ? -1 : 0;
    for (int i = width - 1; i >= 0; i--) {
      value = (value << 8) | (bytes[from + i] & 0xff);
    }
    return value;
  }

  private String text(int length) {
    growth.accept(24 + 2L * length);
    return new String(bytes, skip(length), length, StandardCharsets.UTF_8);
  }

  /** Reads the bytes up to the next line end, each as a character. */
  private String line() {
    int from = at;
    while (next() != '\n') {
      // The end is looked for.
    }
    growth.accept(24 + 4L * (at - from));
    return new String(bytes, from, at - 1 - from, StandardCharsets.ISO_8859_1);
  }

  private Object integer(String digits) {
    return switch (digits) {
      case "00" -> false;
      case "01" -> true;
      default -> decimal(digits);
    };
  }

  private long longInteger(String digits) {
    return decimal(digits.endsWith("L") ? digits.substring(0, digits.length() - 1) : digits);
  }

  private long decimal(String digits) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw wrong("'" + shown(digits) + "' is not an integer of 64 bits");
    }
  }

  private double real(String text) {
    return switch (text) {
      case "nan" -> Double.NaN;
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> {
        try {
          yield Double.parseDouble(text);
        } catch (NumberFormatException e) {
          throw wrong("'" + shown(text) + "' is not a number");
        }
      }
    };
  }

  private static String shown(String text) {
    return text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "..." : text;
  }

  /** Returns a text from its form in Python 2's {@code repr}; each character is a byte. */
  private String unquoted(String quoted) {
    int end = quoted.length() - 1;
    if (end < 1 || quoted.charAt(0) != quoted.charAt(end) || "'\"".indexOf(quoted.charAt(0)) < 0) {
      throw wrong("'" + shown(quoted) + "' is not a quoted text");
    }
    String plain = unescaped(quoted.substring(1, end));
    return new String(plain.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  private String unescaped(String text) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '\\' || i + 1 == text.length()) {
        plain.append(c);
        continue;
      }
      char kind = text.charAt(++i);
      int digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
      if (digits > 0) {
        plain.appendCodePoint(codePoint(text, i + 1, digits));
        i += digits;
      } else {
        plain.append(plainOf(kind));
      }
    }
    return plain.toString();
  }

  private static String plainOf(char kind) {
    return switch (kind) {
      case 'n' -> "\n";
      case 't' -> "\t";
      case 'r' -> "\r";
      case '\\', '\'', '"' -> String.valueOf(kind);
      default -> "\\" + kind;
    };
  }

  private int codePoint(String text, int from, int digits) {
    try {
      int point = Integer.parseInt(text, from, from + digits, 16);
      if (Character.isValidCodePoint(point)) {
        return point;
      }
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      // Said below, as for what is not a character.
    }
    throw wrong("'" + shown(text) + "' has an escape that is no character");
  }

  /** Returns a value as a number; null if it is none. As in carbon, a text may be a number. */
  static @Nullable Double number(Object value) {
    return switch (value) {
      case Long integer -> integer.doubleValue();
      case Double real -> real;
      case Boolean truth -> truth ? 1.0 : 0.0;
      case String text -> {
        try {
          yield Double.valueOf(text);
        } catch (NumberFormatException e) {
          yield null;
        }
      }
      default -> null;
    };
  }
}
