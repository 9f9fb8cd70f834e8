package dev.varve.store.cassandra;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names of tables in Cassandra, which allows fewer characters and at most 48 of them. */
final class CqlNames {
  /*
   * name   := escape(table) "__" escape(family)                  if that has at most 48 characters
   *         | its first 29 characters "_h" hash                  else
   * escape := a-z and 0-9 unchanged, every other character as "_" and two hex digits
   * hash   := the first 8 bytes of SHA-256 of the long name, 16 hex digits
   */
  private static final int LENGTH_MAX = 48;
  private static final int HASH_BYTES = 8;
  private static final int KEPT = LENGTH_MAX - 2 * HASH_BYTES - 3;

  private CqlNames() {}

  /** Returns the name of the table that holds a family; it is unique to the table and family. */
  static String table(String table, String family) {
    String name = escape(table) + "__" + escape(family);
    if (name.length() <= LENGTH_MAX) {
      return name;
    }
    return name.substring(0, KEPT) + "_h" + hash(name);
  }

  /** Quotes a name for a statement. */
  static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  private static String escape(String name) {
    StringBuilder escaped = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
        escaped.append(c);
      } else {
        escaped.append("_%02x".formatted((int) c));
      }
    }
    return escaped.toString();
  }

  private static String hash(String name) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
