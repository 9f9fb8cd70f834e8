package dev.varve.server.heroic.query;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** The hash by which an answer names a group: 32-bit MurmurHash3 of its key, in order of names. */
final class GroupHash {
  private static final int C1 = 0xcc9e2d51;
  private static final int C2 = 0x1b873593;

  private GroupHash() {}

  static int of(Map<String, String> key) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    separate(bytes);
    new TreeMap<>(key)
        .forEach((name, value) -> {
          separate(bytes);
          bytes.writeBytes(name.getBytes(StandardCharsets.UTF_8));
          separate(bytes);
          bytes.writeBytes(value.getBytes(StandardCharsets.UTF_8));
        });
    return murmur(bytes.toByteArray());
  }

  /** Appends the separator, a 32-bit zero. */
  private static void separate(ByteArrayOutputStream bytes) {
    bytes.writeBytes(new byte[4]);
  }

  static int murmur(byte[] bytes) {
    int hash = 0;
    int whole = bytes.length / 4 * 4;
    for (int i = 0; i < whole; i += 4) {
      int block = word(bytes, i, 4);
      hash ^= mixed(block);
      hash = Integer.rotateLeft(hash, 13) * 5 + 0xe6546b64;
    }
    if (whole < bytes.length) {
      hash ^= mixed(word(bytes, whole, bytes.length - whole));
    }
    hash ^= bytes.length;
    hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
    return hash ^ (hash >>> 16);
  }

  private static int word(byte[] bytes, int from, int length) {
    int word = 0;
    for (int i = length - 1; i >= 0; i--) {
      word = (word << 8) | (bytes[from + i] & 0xff);
    }
    return word;
  }

  private static int mixed(int block) {
    return Integer.rotateLeft(block * C1, 15) * C2;
  }
}
