package dev.varve.layout.opentsdb;

import dev.varve.layout.Inference.Guess;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds the widths and the salt of OpenTSDB's tables, which stand in its configuration and nowhere
 * in the tables: UIDs in {@code tsdb-uid} are as long as they are in row keys; and of the salts
 * those are possible for which row keys have whole pairs of tags behind a full hour, and for which
 * one number of buckets gives the salt of every row.
 */
public final class OpenTsdbInference {
  private static final int SALT_WIDTH_MAX = 4;
  private static final int BUCKETS_MAX = 1 << 16;
  private static final int BASE_WIDTH = 4;
  private static final int HOUR_SECONDS = 3600;

  /** The row that counts the UIDs of each kind. */
  private static final Bytes COUNTERS = Bytes.of((byte) 0);

  private static final Map<String, String> WIDTH_OF =
      Map.of("metrics", "metricWidth", "tagk", "tagkWidth", "tagv", "tagvWidth");

  private OpenTsdbInference() {}

  /** As {@link dev.varve.layout.Inference#of}. */
  public static List<Guess> of(Map<String, String> given, List<List<Cell>> cells) {
    List<String> evidence = new ArrayList<>();
    Map<String, String> widths = new TreeMap<>(given);
    widths(cells.get(1))
        .forEach((name, found) -> {
          if (!given.containsKey(name) && found.size() == 1) {
            widths.put(name, found.first().toString());
          }
          evidence.add("%s: UIDs in tsdb-uid are %s bytes long".formatted(name, found.toString()));
        });
    if (given.containsKey("saltWidth")) {
      return List.of(new Guess(widths, evidence));
    }
    List<Guess> guesses = new ArrayList<>();
    List<byte[]> rows =
        cells.get(0).stream().map(Cell::row).distinct().map(Bytes::toArray).toList();
    for (int salt = 0; salt <= SALT_WIDTH_MAX; salt++) {
      guesses.addAll(ofSalt(salt, widths, evidence, rows));
    }
    return guesses.isEmpty() ? List.of(new Guess(widths, evidence)) : guesses;
  }

  /** How long the UIDs of each kind are. */
  private static Map<String, NavigableSet<Integer>> widths(List<Cell> uids) {
    Map<String, NavigableSet<Integer>> widths = new TreeMap<>();
    for (Cell cell : uids) {
      String width = WIDTH_OF.get(cell.qualifier().toUtf8());
      if (cell.family() == 0 && width != null && !cell.row().equals(COUNTERS)) {
        widths.computeIfAbsent(width, name -> new TreeSet<>()).add(cell.value().length());
      }
    }
    return widths;
  }

  private static List<Guess> ofSalt(
      int salt, Map<String, String> widths, List<String> evidence, List<byte[]> rows) {
    OpenTsdbParameters parameters = OpenTsdbParameters.of(widths);
    List<byte[]> fitting = rows.stream().filter(row -> fits(row, salt, parameters)).toList();
    if (fitting.isEmpty()) {
      return List.of();
    }
    List<String> all = new ArrayList<>(evidence);
    all.add(
        "saltWidth %d: %d of %d row keys are whole pairs of tags behind a full hour"
            .formatted(salt, fitting.size(), rows.size()));
    Map<String, String> guess = new LinkedHashMap<>(widths);
    guess.put("saltWidth", Integer.toString(salt));
    if (salt > 0 && !widths.containsKey("saltBuckets")) {
      int buckets = buckets(fitting, salt, parameters.metricWidth());
      if (buckets == 0) {
        return List.of();
      }
      guess.put("saltBuckets", Integer.toString(buckets));
      all.add(
          "saltBuckets %d: gives the salt of all %d of them".formatted(buckets, fitting.size()));
    }
    return List.of(new Guess(guess, all));
  }

  private static boolean fits(byte[] row, int salt, OpenTsdbParameters parameters) {
    int base = salt + parameters.metricWidth();
    int pairs = row.length - base - BASE_WIDTH;
    int pairWidth = parameters.tagkWidth() + parameters.tagvWidth();
    return pairs > 0
        && pairs % pairWidth == 0
        && Integer.toUnsignedLong(ByteBuffer.wrap(row).getInt(base)) % HOUR_SECONDS == 0;
  }

  /** The least number of buckets that gives every row its salt; 0 where there is none. */
  private static int buckets(List<byte[]> rows, int salt, int metricWidth) {
    int[] hashes = new int[rows.size()];
    long[] salts = new long[rows.size()];
    long highest = 0;
    for (int i = 0; i < hashes.length; i++) {
      byte[] row = rows.get(i);
      hashes[i] = hash(row, salt, metricWidth);
      for (int at = 0; at < salt; at++) {
        salts[i] = (salts[i] << 8) | (row[at] & 0xff);
      }
      highest = Math.max(highest, salts[i]);
    }
    long most = Math.min(BUCKETS_MAX, 1L << (8 * salt));
    for (long buckets = highest + 1; buckets <= most; buckets++) {
      if (gives(salts, hashes, (int) buckets)) {
        return (int) buckets;
      }
    }
    return 0;
  }

  private static boolean gives(long[] salts, int[] hashes, int buckets) {
    for (int i = 0; i < hashes.length; i++) {
      if (Math.abs(hashes[i] % buckets) != salts[i]) {
        return false;
      }
    }
    return true;
  }

  /** {@link Arrays#hashCode(byte[])} of the row key without salt and base time. */
  private static int hash(byte[] row, int salt, int metricWidth) {
    int base = salt + metricWidth;
    byte[] series = new byte[row.length - salt - BASE_WIDTH];
    System.arraycopy(row, salt, series, 0, metricWidth);
    System.arraycopy(row, base + BASE_WIDTH, series, metricWidth, row.length - base - BASE_WIDTH);
    return Arrays.hashCode(series);
  }
}
