package dev.varve.layout.sketch;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.model.Kind;
import dev.varve.model.Tags;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Row key parts in their simplest form: texts after one byte of length, numbers in 8 bytes. */
final class SketchParts {
  private static final long SIGN = Long.MIN_VALUE;

  private SketchParts() {}

  record Literal(int value) implements KeyPart {
    @Override
    public String label() {
      return "literal";
    }

    @Override
    public Role role() {
      return Role.LITERAL;
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      out.u8(value);
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      return skip(row, from, to);
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      if (byteAt(row, from, to) != value) {
        throw new DamagedCellException("row key: no " + value + " at " + from);
      }
      return from + 1;
    }

    @Override
    public String show(byte[] row, int from, int to) {
      return String.valueOf(value);
    }
  }

  record Metric() implements KeyPart {
    @Override
    public String label() {
      return "metric";
    }

    @Override
    public Role role() {
      return Role.METRIC;
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      text(input.binding().key().metric(), out);
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      out.metric(text(row, from, to));
      return skipText(row, from, to);
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      return skipText(row, from, to);
    }

    @Override
    public String show(byte[] row, int from, int to) {
      return text(row, from, to);
    }
  }

  record Tag(String name) implements KeyPart {
    @Override
    public String label() {
      return "tag " + name;
    }

    @Override
    public Role role() {
      return Role.TAGS;
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      text(Objects.requireNonNull(input.binding().key().tags().get(name)), out);
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      out.tag(name, text(row, from, to));
      return skipText(row, from, to);
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      return skipText(row, from, to);
    }

    @Override
    public String show(byte[] row, int from, int to) {
      return text(row, from, to);
    }
  }

  /** Identifiers that come and go: as many as there are. */
  record Resource() implements KeyPart {
    @Override
    public String label() {
      return "resource";
    }

    @Override
    public Role role() {
      return Role.RESOURCE;
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      Tags resource = input.binding().key().resource();
      out.u8(resource.size());
      resource.forEach((name, value) -> {
        text(name, out);
        text(value, out);
      });
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      int at = from + 1;
      String before = null;
      for (int i = 0; i < byteAt(row, from, to); i++) {
        String name = text(row, at, to);
        if (before != null && before.compareTo(name) >= 0) {
          throw new DamagedCellException("row key: resources out of order at " + at);
        }
        at = skipText(row, at, to);
        out.resource(name, text(row, at, to));
        at = skipText(row, at, to);
        before = name;
      }
      return at;
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      int at = from + 1;
      for (int i = 0; i < 2 * byteAt(row, from, to); i++) {
        at = skipText(row, at, to);
      }
      return at;
    }

    @Override
    public String show(byte[] row, int from, int to) {
      KeyOutput out = new KeyOutput();
      decode(row, from, to, out);
      return out.key().resource().toString();
    }
  }

  /** A bucket of fixed width, or with a width of 1 the instant. */
  record Time(long width, boolean descending) implements KeyPart.Time {
    @Override
    public String label() {
      return instant() ? "instant" : "bucket " + width;
    }

    @Override
    public Role role() {
      return Role.TIME;
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      out.i64(flip(floor(input.time())));
    }

    private long flip(long time) {
      return descending ? ~(time ^ SIGN) : time ^ SIGN;
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      out.time(timeAt(row, from, to));
      return from + 8;
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      if (floor(timeAt(row, from, to)) != timeAt(row, from, to)) {
        throw new DamagedCellException("row key: no start of a bucket at " + from);
      }
      return from + 8;
    }

    @Override
    public String show(byte[] row, int from, int to) {
      return String.valueOf(timeAt(row, from, to));
    }

    @Override
    public long floor(long time) {
      return time - Math.floorMod(time, width);
    }

    @Override
    public long timeAt(byte[] row, int from, int to) {
      return descending ? ~number(row, from, to) ^ SIGN : number(row, from, to) ^ SIGN;
    }

    @Override
    public long next(long bucket) {
      return bucket > Long.MAX_VALUE - width ? Long.MAX_VALUE : bucket + width;
    }

    @Override
    public boolean instant() {
      return width == 1;
    }
  }

  /** Spreads rows; {@code width} is that of the bucket that an {@link Of#KEY_AND_BUCKET} hashes. */
  record Salt(Of of, int buckets, long width) implements KeyPart.Salt {
    @Override
    public String label() {
      return "salt";
    }

    @Override
    public Role role() {
      return Role.SALT;
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      int hash =
          switch (of) {
            case KEY -> input.binding().key().hashCode();
            case KEY_AND_BUCKET ->
                Objects.hash(input.binding().key(), Math.floorDiv(input.time(), width));
            case SAMPLE -> Long.hashCode(input.time());
          };
      encodeBucket(Math.floorMod(hash, buckets), out);
    }

    @Override
    public void encodeBucket(int bucket, KeyBytes out) {
      out.u8(bucket);
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      return skip(row, from, to);
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      if (byteAt(row, from, to) >= buckets) {
        throw new DamagedCellException("row key: no salt at " + from);
      }
      return from + 1;
    }

    @Override
    public String show(byte[] row, int from, int to) {
      return String.valueOf(row[from]);
    }
  }

  record KindPart() implements KeyPart {
    static int code(Kind kind) {
      return switch (kind) {
        case INT64 -> 0;
        case DOUBLE -> 1;
        case STRING -> 2;
      };
    }

    static Kind of(int code) {
      return switch (code) {
        case 0 -> Kind.INT64;
        case 1 -> Kind.DOUBLE;
        case 2 -> Kind.STRING;
        default -> throw new DamagedCellException("no kind: " + code);
      };
    }

    @Override
    public String label() {
      return "kind";
    }

    @Override
    public Role role() {
      return Role.KIND;
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      out.u8(code(input.kind()));
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      out.kind(of(byteAt(row, from, to)));
      return from + 1;
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      of(byteAt(row, from, to));
      return from + 1;
    }

    @Override
    public String show(byte[] row, int from, int to) {
      return of(row[from]).name();
    }
  }

  record Field() implements KeyPart {
    @Override
    public String label() {
      return "field";
    }

    @Override
    public Role role() {
      return Role.FIELD;
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      text(input.field(), out);
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      out.field(text(row, from, to));
      return skipText(row, from, to);
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      return skipText(row, from, to);
    }

    @Override
    public String show(byte[] row, int from, int to) {
      return text(row, from, to);
    }
  }

  record Sequence() implements KeyPart {
    @Override
    public String label() {
      return "sequence";
    }

    @Override
    public Role role() {
      return Role.SEQUENCE;
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      out.i64(input.stamp());
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      out.stamp(number(row, from, to));
      return from + 8;
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      number(row, from, to);
      return from + 8;
    }

    @Override
    public String show(byte[] row, int from, int to) {
      return String.valueOf(number(row, from, to));
    }
  }

  private static void text(String text, KeyBytes out) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.u8(utf8.length).raw(utf8);
  }

  private static String text(byte[] row, int from, int to) {
    return new String(row, from + 1, skipText(row, from, to) - from - 1, StandardCharsets.UTF_8);
  }

  private static int skipText(byte[] row, int from, int to) {
    int end = from + 1 + byteAt(row, from, to);
    if (end > to) {
      throw new DamagedCellException("row key: a text ends beyond the key, at " + end);
    }
    return end;
  }

  private static int byteAt(byte[] row, int from, int to) {
    if (from >= to) {
      throw new DamagedCellException("row key: ends at " + from);
    }
    return row[from] & 0xff;
  }

  private static long number(byte[] row, int from, int to) {
    if (from + 8 > to) {
      throw new DamagedCellException("row key: no 8 bytes at " + from);
    }
    long number = 0;
    for (int i = 0; i < 8; i++) {
      number = (number << 8) | (row[from + i] & 0xff);
    }
    return number;
  }
}
