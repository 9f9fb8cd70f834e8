package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyPart;
import java.util.List;

/**
 * The parts from which a preceding salt or hash is computed.
 *
 * @param following all parts after the salt or hash, in order
 * @param covered which of them are included
 */
record CoveredParts(List<KeyPart> following, boolean[] covered) {
  CoveredParts {
    following = List.copyOf(following);
  }

  /** Computes the hash for a row under construction; {@code out} is restored afterwards. */
  long hash(KeyInput input, KeyBytes out) {
    int start = out.length();
    for (int i = 0; i < covered.length; i++) {
      if (covered[i]) {
        following.get(i).encode(input, out);
      }
    }
    long hash = KeyHash.finish(KeyHash.add(KeyHash.START, out.array(), start, out.length()));
    out.truncate(start);
    return hash;
  }

  /** Computes the hash of a row whose following parts start at {@code from}. */
  long hash(byte[] row, int from, int to) {
    long hash = KeyHash.START;
    int at = from;
    for (int i = 0; i < covered.length; i++) {
      int next = following.get(i).skip(row, at, to);
      if (covered[i]) {
        hash = KeyHash.add(hash, row, at, next);
      }
      at = next;
    }
    return KeyHash.finish(hash);
  }

  /** Throws unless the number stored in a row equals the one computed from its parts. */
  static void check(String label, int at, long found, long expected) {
    if (found != expected) {
      throw new DamagedCellException(
          "row key, byte %d: %s is %s, but the parts after it yield %s"
              .formatted(at, label, Long.toUnsignedString(found), Long.toUnsignedString(expected)));
    }
  }
}
