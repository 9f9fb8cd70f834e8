package dev.varve.engine;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.Bytes;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tokens that users of some series see in place of row keys. Keys of many tables have numbers of
 * series and names, which are given in turn, and so tell how many there are. A token is the same
 * for a row as long as this process runs, and tells nothing of its key. For one request; not
 * thread-safe.
 */
final class RowTokens {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int BYTES = 12;
  private static final SecretKeySpec SECRET = new SecretKeySpec(random(), ALGORITHM);

  private final Mac mac;
  private final byte[] table;
  private final Map<Bytes, Bytes> rows = new HashMap<>();

  RowTokens(String table) {
    this.table = table.getBytes(StandardCharsets.UTF_8);
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(SECRET);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  private static byte[] random() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return bytes;
  }

  /** Returns the token of a row. */
  Bytes of(Bytes row) {
    mac.update(table);
    mac.update((byte) 0);
    return Bytes.of(Arrays.copyOf(mac.doFinal(row.toArray()), BYTES));
  }

  /** Adds a row that a request may name. */
  void add(Bytes row) {
    rows.put(of(row), row);
  }

  /**
   * Returns the row with a token; the empty one for the empty one.
   *
   * @throws QueryRefusedException if no row that was added has it
   */
  Bytes row(Bytes token) {
    Bytes row = token.isEmpty() ? Bytes.EMPTY : rows.get(token);
    if (row == null) {
      throw new QueryRefusedException(
          "the map has no row '%s': 'from-row' and 'to-row' are 'from' of rows in an answer for the same table and time"
              .formatted(token.hex()));
    }
    return row;
  }
}
