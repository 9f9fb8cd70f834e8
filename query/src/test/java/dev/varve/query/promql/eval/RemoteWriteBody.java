package dev.varve.query.promql.eval;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A message of <a href="https://prometheus.io/docs/specs/prw/remote_write_spec/">remote write
 * 1.0</a>, in an uncompressed snappy block.
 */
final class RemoteWriteBody {
  private static final int LITERAL_MAX = 1 << 16;

  private RemoteWriteBody() {}

  /**
   * Encodes the samples of series from a time (inclusive) to another (exclusive); empty if there
   * are none.
   */
  static byte[] of(List<RandomSeries.Made> all, long from, long to) {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    for (RandomSeries.Made made : all) {
      ByteArrayOutputStream series = new ByteArrayOutputStream();
      made.labels()
          .forEach((name, value) -> {
            ByteArrayOutputStream label = new ByteArrayOutputStream();
            bytes(label, 1, name.getBytes(StandardCharsets.UTF_8));
            bytes(label, 2, value.getBytes(StandardCharsets.UTF_8));
            bytes(series, 1, label.toByteArray());
          });
      boolean any = false;
      for (int i = 0; i < made.times().size(); i++) {
        long time = made.times().get(i);
        if (time >= from && time < to) {
          bytes(series, 2, sample(time, made.values().get(i)));
          any = true;
        }
      }
      if (any) {
        bytes(request, 1, series.toByteArray());
      }
    }
    return request.size() == 0 ? new byte[0] : literal(request.toByteArray());
  }

  private static byte[] sample(long time, double value) {
    ByteArrayOutputStream sample = new ByteArrayOutputStream();
    sample.write(1 << 3 | 1);
    byte[] bits =
        ByteBuffer.allocate(8)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(Double.doubleToRawLongBits(value))
            .array();
    sample.writeBytes(bits);
    sample.write(2 << 3);
    varint(sample, time);
    return sample.toByteArray();
  }

  private static void bytes(ByteArrayOutputStream out, int field, byte[] bytes) {
    varint(out, (long) field << 3 | 2);
    varint(out, bytes.length);
    out.writeBytes(bytes);
  }

  private static void varint(ByteArrayOutputStream out, long number) {
    long left = number;
    for (; (left & ~0x7fL) != 0; left >>>= 7) {
      out.write((int) ((left & 0x7f) | 0x80));
    }
    out.write((int) left);
  }

  /** Encodes a snappy block of literals, each with a two-byte length. */
  private static byte[] literal(byte[] content) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    varint(block, content.length);
    for (int at = 0; at < content.length; at += LITERAL_MAX) {
      int length = Math.min(LITERAL_MAX, content.length - at);
      block.write(61 << 2);
      block.write((length - 1) & 0xff);
      block.write((length - 1) >>> 8);
      block.write(content, at, length);
    }
    return block.toByteArray();
  }
}
