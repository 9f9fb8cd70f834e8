package dev.varve.acceptance;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Creates bodies that are small when they arrive and large once they are decoded. Zstd and snappy
 * are encoded by hand, because both are simple for runs of one byte.
 */
final class Bombs {
  /** Maximum size of a zstd block. */
  private static final int ZSTD_BLOCK = 128 << 10;

  /** Maximum length of a snappy copy. */
  private static final int SNAPPY_COPY = 64;

  private Bombs() {}

  /** Returns an Influx line with a number of fields; 12,000 take 97 KB. */
  static byte[] fields(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "f%d=1".formatted(i))
        .collect(Collectors.joining(",", "wide,a=b ", " 1750000000000000000\n"))
        .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns an OTLP request in zstd with a resource whose only attribute has this length: 8 KB hold
   * 250 MB.
   */
  static byte[] otlpInZstd(int length) {
    byte[] value = head(1, length);
    byte[] any = head(2, value.length + length);
    byte[] key = {0x0a, 1, 'k'};
    byte[] attribute = head(1, key.length + any.length + value.length + length);
    int inResource = attribute.length + key.length + any.length + value.length + length;
    byte[] resource = head(1, inResource);
    byte[] resourceMetrics = head(1, resource.length + inResource);
    return zstd(join(resourceMetrics, resource, attribute, key, any, value), length);
  }

  /** Returns a remote write request in snappy with a label value of this length. */
  static byte[] remoteWriteInSnappy(int length) {
    byte[] name = {0x0a, 8, '_', '_', 'n', 'a', 'm', 'e', '_', '_'};
    byte[] value = head(2, length);
    byte[] label = head(1, name.length + value.length + length);
    byte[] series = head(1, label.length + name.length + value.length + length);
    return snappy(join(series, label, name, value), length);
  }

  /** Returns the beginning of a snappy block that announces this many bytes. */
  static byte[] announcedInSnappy(int length) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    varint(length, block);
    block.writeBytes(new byte[] {2 << 2, 0x0a, 1, 'a'});
    return block.toByteArray();
  }

  /** Returns text in gzip: a beginning, followed by repetitions. */
  static byte[] gzip(String begin, String again, int times) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    byte[] unit = again.getBytes(StandardCharsets.UTF_8);
    int unitsAtOnce = Math.max(1, (64 << 10) / unit.length);
    byte[] units = again.repeat(unitsAtOnce).getBytes(StandardCharsets.UTF_8);
    try (GZIPOutputStream out =
        new GZIPOutputStream(packed, 8 << 10) {
          {
            def.setLevel(Deflater.BEST_SPEED);
          }
        }) {
      out.write(begin.getBytes(StandardCharsets.UTF_8));
      for (int left = times; left > 0; left -= unitsAtOnce) {
        out.write(units, 0, unit.length * Math.min(left, unitsAtOnce));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  /**
   * Returns an Influx line of a series with a number of tags.
   *
   * @param size characters of each name and value
   */
  static String labels(String id, int count, int size) {
    return IntStream.range(0, count)
        .mapToObj(i -> "n".repeat(size) + i + "=" + "v".repeat(size))
        .collect(
            Collectors.joining(",", "labels,id=" + id + ",", " value=1 1750000000000000000\n"));
  }

  /**
   * Returns a remote read request in snappy with a number of queries, each for all samples.
   *
   * @param end end of the queries in ms
   */
  static byte[] remoteRead(int queries, long end) {
    byte[] name = "__name__".getBytes(StandardCharsets.UTF_8);
    byte[] pattern = ".+".getBytes(StandardCharsets.UTF_8);
    byte[] matcher =
        join(new byte[] {0x08, 2}, head(2, name.length), name, head(3, pattern.length), pattern);
    ByteArrayOutputStream query = new ByteArrayOutputStream();
    query.write(0x10);
    varint(end, query);
    query.writeBytes(join(head(3, matcher.length), matcher));
    byte[] one = join(head(1, query.size()), query.toByteArray());
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    IntStream.range(0, queries).forEach(i -> all.writeBytes(one));
    return snappy(all.toByteArray(), 0);
  }

  /** Returns the head of a protobuf field of this length. */
  private static byte[] head(int field, int length) {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    head.write(field << 3 | 2);
    varint(length, head);
    return head.toByteArray();
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    Arrays.stream(parts).forEach(joined::writeBytes);
    return joined.toByteArray();
  }

  private static void varint(long value, ByteArrayOutputStream into) {
    long rest = value;
    while (rest >= 0x80) {
      into.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    into.write((int) rest);
  }

  /**
   * Returns a frame with a window of 8 MiB: the beginning uncompressed, then blocks that repeat one
   * byte.
   */
  private static byte[] zstd(byte[] begin, int repeated) {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    frame.writeBytes(new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, (23 - 10) << 3});
    zstdBlock(0, begin.length, false, frame);
    frame.writeBytes(begin);
    for (int left = repeated; left > 0; left -= ZSTD_BLOCK) {
      zstdBlock(1, Math.min(left, ZSTD_BLOCK), left <= ZSTD_BLOCK, frame);
      frame.write('a');
    }
    return frame.toByteArray();
  }

  private static void zstdBlock(int type, int size, boolean last, ByteArrayOutputStream frame) {
    int header = size << 3 | type << 1 | (last ? 1 : 0);
    frame.writeBytes(new byte[] {(byte) header, (byte) (header >> 8), (byte) (header >> 16)});
  }

  /** Returns a block: the beginning in literals, then one byte and copies of it. */
  private static byte[] snappy(byte[] begin, int repeated) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    varint((long) begin.length + repeated, block);
    byte[] literals = repeated == 0 ? begin : join(begin, new byte[] {'a'});
    for (int from = 0; from < literals.length; from += 60) {
      int length = Math.min(60, literals.length - from);
      block.write((length - 1) << 2);
      block.write(literals, from, length);
    }
    for (int left = repeated - 1; left > 0; left -= SNAPPY_COPY) {
      block.writeBytes(new byte[] {(byte) ((Math.min(left, SNAPPY_COPY) - 1) << 2 | 2), 1, 0});
    }
    return block.toByteArray();
  }
}
