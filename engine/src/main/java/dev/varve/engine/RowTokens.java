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
 * Tokens that replace row keys for users who may see only some series. Many row keys contain
 * numbers of series or names. Such numbers are assigned consecutively, so they would reveal how
 * many series and names exist. A row keeps its token as long as this process runs. A token reveals
 * nothing about the key. For one request; not thread-safe.
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
   * Returns the row with a token; the empty row for the empty token.
   *
   * @throws QueryRefusedException if no added row has the token
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
