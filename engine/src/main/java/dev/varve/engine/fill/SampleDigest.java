package dev.varve.engine.fill;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.varve.model.Kind;

/**
 * A digest of samples of one series: 128 bits of XXH3 over the samples in the order of time. It
 * does not depend on how samples are stored.
 *
 * <pre>
 * sample :=
 *   time    i64  // in the resolution of the dataset, lowest byte first
 *   kind    u8   // 0 int64, 1 double, 2 string
 *   value        // int64, or bits of the double, as i64; or length i32 and UTF-8
 * </pre>
 */
public final class SampleDigest {
  private final HashStream128 stream = Hashing.xxh3_128().hashStream();

  /**
   * Adds a number.
   *
   * @param kind int64 or double
   * @param bits the int64, or the bits of the double
   */
  public void add(long time, Kind kind, long bits) {
    stream.putLong(time).putByte(code(kind)).putLong(bits);
  }

  /** Adds a text. */
  public void add(long time, byte[] utf8) {
    stream.putLong(time).putByte(code(Kind.STRING)).putInt(utf8.length).putBytes(utf8);
  }

  private static byte code(Kind kind) {
    return switch (kind) {
      case INT64 -> 0;
      case DOUBLE -> 1;
      case STRING -> 2;
    };
  }

  /** Returns the digest of the samples added so far, as 32 hexadecimal digits. */
  public String hex() {
    HashValue128 hash = stream.get();
    return "%016x%016x".formatted(hash.getMostSignificantBits(), hash.getLeastSignificantBits());
  }
}
