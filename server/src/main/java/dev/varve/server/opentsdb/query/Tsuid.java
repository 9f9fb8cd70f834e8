package dev.varve.server.opentsdb.query;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Made-up UIDs of names and TSUIDs of series, where no table has any. A UID is the beginning of the
 * SHA-256 of kind and name, on eight bytes, the widest that OpenTSDB knows. It is the same in every
 * layout and on every server, needs no table, and is found again by searching the catalog.
 */
public final class Tsuid {
  /** Number of hexadecimal digits of a UID. */
  public static final int DIGITS = 16;

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private Tsuid() {}

  /** The kind of object that a name denotes. */
  public enum Kind {
    METRIC("metrics", "metric"),
    TAGK("tagk", "tagk"),
    TAGV("tagv", "tagv");

    private final String table;
    private final String word;

    Kind(String table, String word) {
      this.table = table;
      this.word = word;
    }

    /** Returns the word for the kind in errors. */
    public String table() {
      return table;
    }

    /** Returns the word for the kind in requests. */
    public String word() {
      return word;
    }
  }

  /** Returns the UID of a name, as hexadecimal digits. */
  public static String uid(Kind kind, String name) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(kind.word.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      byte[] hash = digest.digest(name.getBytes(StandardCharsets.UTF_8));
      return HEX.formatHex(Arrays.copyOf(hash, DIGITS / 2));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Returns the TSUID of a series: the UIDs of the metric and of the tags, by the tags' UIDs. */
  public static String of(String metric, Map<String, String> tags) {
    SortedMap<String, String> pairs = new TreeMap<>();
    tags.forEach((name, value) -> pairs.put(uid(Kind.TAGK, name), uid(Kind.TAGV, value)));
    StringBuilder tsuid = new StringBuilder(uid(Kind.METRIC, metric));
    pairs.forEach((name, value) -> tsuid.append(name).append(value));
    return tsuid.toString();
  }
}
