package dev.varve.formats.parquet;

import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Encodes a column whose texts depend on the series alone: a metric, or the names or values of
 * tags. A dictionary has each text once, and rows have their numbers in it.
 */
final class SeriesColumn {
  private static final int PAGE_ROWS = 1 << 14;
  private static final int PAGE_ENTRIES = 1 << 18;

  /** Maximum size of a text in the statistics, in bytes. */
  private static final int STATISTICS_BYTES = 256;

  /** Returns the texts of every row of a series: one, or for maps any number. */
  interface Texts {
    List<String> of(Series series);
  }

  private final ColumnChunk chunk;
  private final Leaf leaf;
  private final Map<String, Integer> dictionary = new LinkedHashMap<>();

  /** For each series the numbers of its texts. */
  private final List<int[]> numbers = new ArrayList<>();

  private HybridRuns repetitions = new HybridRuns(1);
  private HybridRuns definitions = new HybridRuns(1);
  private HybridRuns coded = new HybridRuns(1);
  private int pageRows;
  private int pageEntries;

  private SeriesColumn(ColumnChunk chunk, Leaf leaf, RowGroup rows, Texts texts) {
    this.chunk = chunk;
    this.leaf = leaf;
    for (Series series : rows.series()) {
      numbers.add(
          texts.of(series).stream()
              .mapToInt(text -> dictionary.computeIfAbsent(text, t -> dictionary.size()))
              .toArray());
    }
  }

  static void encode(ColumnChunk chunk, Leaf leaf, RowGroup rows, Texts texts) {
    new SeriesColumn(chunk, leaf, rows, texts).encode(rows);
  }

  /** Returns the values of tags in the order of the names. */
  static List<String> valuesOf(Tags tags) {
    List<String> values = new ArrayList<>(tags.size());
    tags.forEach((name, value) -> values.add(value));
    return values;
  }

  private void encode(RowGroup rows) {
    if (!dictionary.isEmpty()) {
      writeDictionary();
    }
    beginPage();
    int row = 0;
    for (int series = 0; series < numbers.size(); series++) {
      int[] entries = numbers.get(series);
      int levels = Math.max(1, entries.length);
      while (row < rows.end(series)) {
        int room =
            Math.min(PAGE_ROWS - pageRows, Math.max(1, (PAGE_ENTRIES - pageEntries) / levels));
        int count = Math.min(room, rows.end(series) - row);
        add(entries, count);
        row += count;
        pageRows += count;
        pageEntries += count * levels;
        if (pageRows == PAGE_ROWS || pageEntries + levels > PAGE_ENTRIES) {
          endPage();
        }
      }
    }
    if (pageRows > 0) {
      endPage();
    }
  }

  /** Adds rows with equal entries. */
  private void add(int[] entries, int rows) {
    if (entries.length == 0) {
      repetitions.add(0, rows);
      definitions.add(0, rows);
      return;
    }
    definitions.add(1, (long) rows * entries.length);
    if (entries.length == 1) {
      repetitions.add(0, rows);
      coded.add(entries[0], rows);
      return;
    }
    for (int row = 0; row < rows; row++) {
      repetitions.add(0);
      repetitions.add(1, entries.length - 1);
      for (int entry : entries) {
        coded.add(entry);
      }
    }
  }

  private void beginPage() {
    pageRows = 0;
    pageEntries = 0;
    repetitions = new HybridRuns(1);
    definitions = new HybridRuns(1);
    coded = new HybridRuns(width());
  }

  private void endPage() {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    if (leaf.repeats()) {
      Levels.write(body, repetitions);
      Levels.write(body, definitions);
    }
    if (dictionary.isEmpty()) {
      chunk.data(body.toByteArray(), pageEntries, ColumnChunk.PLAIN);
    } else {
      body.write(width());
      body.writeBytes(coded.end());
      chunk.data(body.toByteArray(), pageEntries, ColumnChunk.RLE_DICTIONARY);
    }
    beginPage();
  }

  /**
   * Returns the bits of a number of the dictionary: at least 1, because readers disagree about 0.
   */
  private int width() {
    return Math.max(1, Bits.width(dictionary.size() - 1L));
  }

  private void writeDictionary() {
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    byte[] least = null;
    byte[] most = null;
    for (String text : dictionary.keySet()) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      Bits.littleEndian(plain, utf8.length, Integer.BYTES);
      plain.writeBytes(utf8);
      least = least == null || Arrays.compareUnsigned(utf8, least) < 0 ? utf8 : least;
      most = most == null || Arrays.compareUnsigned(utf8, most) > 0 ? utf8 : most;
    }
    chunk.dictionary(plain.toByteArray(), dictionary.size());
    if (!leaf.repeats()
        && least != null
        && most != null
        && least.length <= STATISTICS_BYTES
        && most.length <= STATISTICS_BYTES) {
      chunk.statistics(new ColumnChunk.Statistics(0, least, most));
    }
  }
}
