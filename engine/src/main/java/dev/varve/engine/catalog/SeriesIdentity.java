package dev.varve.engine.catalog;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The identity of a group key: 64 bits of XXH3 over the encoding of its tags and resource, then 64
 * bits of XXH3 over that of its metric. So the metrics of one entity are neighbours in the table of
 * series, where the compression of RocksDB stores their common labels once.
 *
 * <pre>
 * key :=
 *   version   u8        // 2
 *   metric    text
 *   tags      count varint, then count x (name text, value text), names ascending
 *   resource  likewise
 * text := length varint in bytes, UTF-8
 * varint := 7 bits a byte, lowest first, the high bit set on all but the last
 * </pre>
 *
 * <p>Version 1 has the same form. In the table of series it marks rows of earlier builds, whose
 * identity was 128 bits of XXH3 over the whole encoding.
 *
 * <p>Different keys have different encodings if UTF-8 can represent their texts, which layouts
 * ensure. A hash collision is improbable but possible, so code that adds a key compares keys.
 *
 * @param high of the tags and the resource
 * @param low of the metric
 */
public record SeriesIdentity(long high, long low) {
  private static final int VERSION = 2;

  /** The version of keys whose rows have an identity of another form. */
  public static final int FORMER_VERSION = 1;

  public static SeriesIdentity of(GroupKey key) {
    Writer writer = new Writer();
    writer.text(key.metric());
    int tags = writer.length;
    writer.tags(key.tags());
    writer.tags(key.resource());
    Hasher64 hasher = Hashing.xxh3_64();
    return new SeriesIdentity(
        hasher.hashBytesToLong(writer.bytes, tags, writer.length - tags),
        hasher.hashBytesToLong(writer.bytes, 0, tags));
  }

  /** Returns the identity as 16 bytes, big-endian. */
  public byte[] toArray() {
    byte[] bytes = new byte[16];
    for (int i = 0; i < 8; i++) {
      bytes[i] = (byte) (high >>> (56 - 8 * i));
      bytes[8 + i] = (byte) (low >>> (56 - 8 * i));
    }
    return bytes;
  }

  public static byte[] encode(GroupKey key) {
    Writer writer = new Writer();
    writer.u8(VERSION);
    writer.text(key.metric());
    writer.tags(key.tags());
    writer.tags(key.resource());
    return Arrays.copyOf(writer.bytes, writer.length);
  }

  /**
   * Decodes the result of {@link #encode}.
   *
   * @throws IllegalArgumentException if the bytes are not an encoded key
   */
  public static GroupKey decode(byte[] bytes, int from, int to) {
    Reader reader = new Reader(bytes, from, to);
    int version = reader.u8();
    if (version != VERSION && version != FORMER_VERSION) {
      throw reader.damaged(
          "version %d, known are %d and %d".formatted(version, FORMER_VERSION, VERSION));
    }
    GroupKey key = new GroupKey(reader.text(), reader.tags(), reader.tags());
    if (reader.at != to) {
      throw reader.damaged((to - reader.at) + " bytes too many");
    }
    return key;
  }

  private static final class Writer {
    private byte[] bytes = new byte[96];
    private int length;

    private void u8(int value) {
      if (length == bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * length);
      }
      bytes[length++] = (byte) value;
    }

    private void varint(int value) {
      int rest = value;
      while (rest > 0x7f) {
        u8((rest & 0x7f) | 0x80);
        rest >>>= 7;
      }
      u8(rest);
    }

    private void text(String text) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      varint(utf8.length);
      if (length + utf8.length > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(length + utf8.length, 2 * bytes.length));
      }
      System.arraycopy(utf8, 0, bytes, length, utf8.length);
      length += utf8.length;
    }

    private void tags(Tags tags) {
      varint(tags.size());
      for (int i = 0; i < tags.size(); i++) {
        text(tags.name(i));
        text(tags.value(i));
      }
    }
  }

  private static final class Reader {
    private final byte[] bytes;
    private final int from;
    private final int to;
    private int at;

    private Reader(byte[] bytes, int from, int to) {
      this.bytes = bytes;
      this.from = from;
      this.to = to;
      this.at = from;
    }

    private int u8() {
      if (at == to) {
        throw damaged("ends early");
      }
      return bytes[at++] & 0xff;
    }

    private int varint() {
      int value = 0;
      for (int shift = 0; shift < 35; shift += 7) {
        int part = u8();
        value |= (part & 0x7f) << shift;
        if (part < 0x80) {
          return value;
        }
      }
      throw damaged("a number of more than 5 bytes");
    }

    private String text() {
      int length = varint();
      if (length < 0 || length > to - at) {
        throw damaged("a text of " + length + " bytes, " + (to - at) + " are left");
      }
      at += length;
      return new String(bytes, at - length, length, StandardCharsets.UTF_8);
    }

    private Tags tags() {
      int count = varint();
      if (count == 0) {
        return Tags.EMPTY;
      }
      Map<String, String> tags = new TreeMap<>();
      for (int i = 0; i < count; i++) {
        tags.put(text(), text());
      }
      return Tags.of(tags);
    }

    private IllegalArgumentException damaged(String what) {
      return new IllegalArgumentException(
          "encoded series key %s: %s at byte %d"
              .formatted(Bytes.copyOf(bytes, from, to - from), what, at - from));
    }
  }
}
