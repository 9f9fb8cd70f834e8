package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyPart;
import java.util.List;

/**
 * The parts behind a salt or hash that it is computed of.
 *
 * @param following all parts behind, in their order
 * @param covered which of them count
 */
record CoveredParts(List<KeyPart> following, boolean[] covered) {
  CoveredParts {
    following = List.copyOf(following);
  }

  /** The hash for a row under way; {@code out} is left as it was. */
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

  /** The hash of a row whose following parts start at {@code from}. */
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

  /** Fails unless a number that stands in a row is what its parts make. */
  static void check(String label, int at, long found, long expected) {
    if (found != expected) {
      throw new DamagedCellException(
          "row key, byte %d: %s is %s, the parts behind make it %s"
              .formatted(at, label, Long.toUnsignedString(found), Long.toUnsignedString(expected)));
    }
  }
}
