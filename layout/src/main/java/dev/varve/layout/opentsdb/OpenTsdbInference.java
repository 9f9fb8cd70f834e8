package dev.varve.layout.opentsdb;

import dev.varve.layout.Guess;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Infers the widths of UIDs and the salt of OpenTSDB's tables, which only its configuration states.
 * UIDs in {@code tsdb-uid} have the same widths as in row keys. A salt width is possible if row
 * keys then have a whole hour followed by whole pairs of tags, and if one number of buckets
 * explains the salt of nearly every row.
 */
public final class OpenTsdbInference {
  /*
   * A number of buckets that explains every salt is certain only if every salt below it was seen:
   * rows with only the salts 0 and 1 are explained by 2 buckets as well as by 20. It also takes
   * enough series. If there were at least twice as many buckets, each series would have one of the
   * lower salts with a probability of at most one half; for 16 series that is 1 in 65,536.
   */
  private static final int SERIES_MIN = 16;
  private static final int SALT_WIDTH_MAX = 4;
  private static final int BUCKETS_MAX = 1 << 16;
  private static final int BASE_WIDTH = 4;
  private static final int HOUR_SECONDS = 3600;
  private static final int UID_WIDTH_MAX = 8;

  /** UIDs count up from 1. This many of each width are looked up. */
  private static final int FIRST_UIDS = 8;

  private static final int ID = 0;
  private static final int NAMES = 1;

  /** The row that counts the UIDs of each kind. */
  private static final Bytes COUNTERS = Bytes.of((byte) 0);

  private static final Map<String, String> WIDTH_OF =
      Map.of("metrics", "metricWidth", "tagk", "tagkWidth", "tagv", "tagvWidth");

  private OpenTsdbInference() {}

  /**
   * Returns the samples to read, as {@link dev.varve.layout.registry.Inference#samples} does: names
   * from all over the table, and the first UIDs.
   */
  public static List<Guess.Sample> samplesOfUids(int table) {
    List<Bytes> first = new ArrayList<>();
    for (int width = 1; width <= UID_WIDTH_MAX; width++) {
      for (int uid = 1; uid <= FIRST_UIDS; uid++) {
        byte[] bytes = new byte[width];
        bytes[width - 1] = (byte) uid;
        first.add(Bytes.of(bytes));
      }
    }
    return List.of(
        new Guess.Sample(table, List.of(ID), List.of()),
        new Guess.Sample(table, List.of(NAMES), first));
  }

  /** Guesses the parameters, as {@link dev.varve.layout.registry.Inference#of}. */
  public static List<Guess> of(Map<String, String> given, List<List<Cell>> cells) {
    List<String> evidence = new ArrayList<>();
    Map<String, String> widths = new TreeMap<>(given);
    Map<String, NavigableSet<Integer>> seen = widths(cells.get(1));
    for (String name : new TreeSet<>(WIDTH_OF.values())) {
      NavigableSet<Integer> found = seen.getOrDefault(name, new TreeSet<>());
      if (!given.containsKey(name) && found.size() == 1) {
        widths.put(name, found.first().toString());
      }
      evidence.add(
          found.isEmpty()
              ? "%s: no UID was seen in tsdb-uid".formatted(name)
              : "%s: UIDs in tsdb-uid are %s bytes long".formatted(name, found));
    }
    List<Guess> guesses = new ArrayList<>();
    List<byte[]> rows =
        cells.get(0).stream().map(Cell::row).distinct().map(Bytes::toArray).toList();
    for (int salt = 0; salt <= SALT_WIDTH_MAX; salt++) {
      if (given.getOrDefault("saltWidth", Integer.toString(salt)).equals(Integer.toString(salt))) {
        guesses.addAll(ofSalt(salt, widths, evidence, rows));
      }
    }
    return guesses.isEmpty() ? List.of(new Guess(widths, evidence)) : guesses;
  }

  /** Returns the UID widths seen, by width parameter. */
  private static Map<String, NavigableSet<Integer>> widths(List<Cell> uids) {
    Map<String, NavigableSet<Integer>> widths = new TreeMap<>();
    for (Cell cell : uids) {
      String width = WIDTH_OF.get(cell.qualifier().toUtf8());
      if (width != null && !cell.row().equals(COUNTERS)) {
        Bytes uid = cell.family() == ID ? cell.value() : cell.row();
        widths.computeIfAbsent(width, name -> new TreeSet<>()).add(uid.length());
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
        "saltWidth %d: %d of %d row keys have whole pairs of tags after a whole hour"
            .formatted(salt, fitting.size(), rows.size()));
    Map<String, String> guess = new LinkedHashMap<>(widths);
    guess.put("saltWidth", Integer.toString(salt));
    tags(fitting, salt, parameters, guess, all);
    if (salt == 0 || widths.containsKey("saltBuckets")) {
      return List.of(new Guess(guess, all));
    }
    SaltedRows salted = new SaltedRows(fitting, salt, parameters.metricWidth());
    int buckets = salted.buckets();
    if (buckets == 0) {
      return List.of();
    }
    guess.put("saltBuckets", Integer.toString(buckets));
    int given = salted.givenBy(buckets);
    all.add(
        "saltBuckets %d: gives the salt of %s%d of them, with %d salts and %d series"
            .formatted(
                buckets,
                given == fitting.size() ? "all " : "",
                given,
                salted.saltsBelow(buckets),
                salted.seriesCount()));
    return List.of(new Guess(guess, all, salted.demand(buckets)));
  }

  /**
   * Raises {@code maxTags} if rows have more tags than the default: their server must allow them.
   */
  private static void tags(
      List<byte[]> fitting,
      int salt,
      OpenTsdbParameters parameters,
      Map<String, String> guess,
      List<String> evidence) {
    int fixed = salt + parameters.metricWidth() + BASE_WIDTH;
    int pairWidth = parameters.tagkWidth() + parameters.tagvWidth();
    int most =
        fitting.stream().mapToInt(row -> (row.length - fixed) / pairWidth).max().orElseThrow();
    if (most > parameters.maxTags() && !guess.containsKey("maxTags")) {
      guess.put("maxTags", Integer.toString(most));
      evidence.add(
          "maxTags %d: one of the rows has this many tags; compare with tsd.storage.max_tags"
              .formatted(most));
    }
  }

  private static boolean fits(byte[] row, int salt, OpenTsdbParameters parameters) {
    int base = salt + parameters.metricWidth();
    int pairs = row.length - base - BASE_WIDTH;
    int pairWidth = parameters.tagkWidth() + parameters.tagvWidth();
    return pairs > 0
        && pairs % pairWidth == 0
        && Integer.toUnsignedLong(ByteBuffer.wrap(row).getInt(base)) % HOUR_SECONDS == 0;
  }

  /** The salts of rows and the hashes from which they were computed. */
  private static final class SaltedRows {
    private final int saltWidth;
    private final long[] salts;
    private final int[] hashes;
    private final int missesMax;

    private SaltedRows(List<byte[]> rows, int saltWidth, int metricWidth) {
      this.saltWidth = saltWidth;
      this.salts = new long[rows.size()];
      this.hashes = new int[rows.size()];
      this.missesMax = Guess.unexplainedMax(rows.size());
      for (int i = 0; i < hashes.length; i++) {
        byte[] row = rows.get(i);
        hashes[i] = hash(row, saltWidth, metricWidth);
        for (int at = 0; at < saltWidth; at++) {
          salts[i] = (salts[i] << 8) | (row[at] & 0xff);
        }
      }
    }

    /**
     * Returns the smallest number of buckets that explains the most salts; 0 if none explains
     * nearly all.
     */
    private int buckets() {
      long highest = Math.min(BUCKETS_MAX, 1L << (8 * saltWidth));
      int best = 0;
      int most = hashes.length - missesMax - 1;
      for (int buckets = 1; buckets <= highest; buckets++) {
        int given = givenBy(buckets);
        if (given > most) {
          best = buckets;
          most = given;
        }
      }
      return best;
    }

    private boolean isGiven(int row, int buckets) {
      return Math.abs(hashes[row] % buckets) == salts[row];
    }

    private int givenBy(int buckets) {
      int given = 0;
      for (int i = 0; i < hashes.length; i++) {
        given += isGiven(i, buckets) ? 1 : 0;
      }
      return given;
    }

    private int saltsBelow(int buckets) {
      BitSet seen = new BitSet();
      for (long salt : salts) {
        if (salt < buckets) {
          seen.set((int) salt);
        }
      }
      return seen.cardinality();
    }

    private long seriesCount() {
      return Arrays.stream(hashes).distinct().count();
    }

    /** Returns why the number of buckets must be given; empty if it is certain. */
    private String demand(int buckets) {
      if (saltsBelow(buckets) == buckets && seriesCount() >= SERIES_MIN) {
        return "";
      }
      return ("the number of salt buckets cannot be inferred: %d is the smallest that fits, but"
              + " only %d of its salts were seen, in %d series; it takes all of them and at least"
              + " %d series; give tsd.storage.salt.buckets as --param saltBuckets=N")
          .formatted(buckets, saltsBelow(buckets), seriesCount(), SERIES_MIN);
    }

    /** Returns {@link Arrays#hashCode(byte[])} of the row key without salt and base time. */
    private static int hash(byte[] row, int salt, int metricWidth) {
      int base = salt + metricWidth;
      byte[] series = new byte[row.length - salt - BASE_WIDTH];
      System.arraycopy(row, salt, series, 0, metricWidth);
      System.arraycopy(row, base + BASE_WIDTH, series, metricWidth, row.length - base - BASE_WIDTH);
      return Arrays.hashCode(series);
    }
  }
}
