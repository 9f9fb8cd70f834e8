package dev.varve.engine.blocks;

import dev.varve.layout.block.KindCode;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Samples in memory, kept per series number in the order of acceptance. Nothing is ever removed: a
 * full head is sealed and dropped as a whole.
 *
 * <p>The caller ensures that nobody reads while a batch is added, or views are counted. A reader
 * passes the {@linkplain #batches() number of batches} that it wants to see, and then sees the same
 * samples however many batches are added between its calls.
 */
final class Head {
  /*
   * Samples live in chunks, cut from pages of longs, which never move. A position is the number of a
   * page times PAGE plus an index. Index 0 of page 0 is never used, so that position 0 means "none".
   *
   *   header    bits 32 to 63 next position, 16 to 31 used samples (both once the next chunk is
   *             open), 0 to 15 kind
   *             base: time of the first sample
   *   sample    time less the base, 40 bits signed; number of the batch, 24 bits
   *             int64, bits of a double, or index of a text
   *
   * A chunk holds samples of one kind whose times fit. Each chunk of a series has twice the samples
   * of the one before, so that short series take little and long ones few headers. A sample is in
   * one place, and so is all that a series needs for the next one, so that adding a sample touches
   * few lines of memory.
   */
  private static final int PAGE_SHIFT = 16;
  static final int PAGE = 1 << PAGE_SHIFT;
  private static final int PAGE_MASK = PAGE - 1;
  private static final int HEADER = 2;
  private static final int WIDTH = 2;
  private static final int CHUNK_MIN = 7;
  private static final int CHUNK_MAX = 255;

  private static final int BATCH_BITS = 24;
  private static final int BATCH_MASK = (1 << BATCH_BITS) - 1;

  /** Number of batches from which a head counts as full. */
  private static final int BATCHES_MAX = BATCH_MASK - 1;

  /** Series numbers per page of entries. */
  private static final int ENTRIES_SHIFT = 12;

  private static final int ENTRIES = 1 << ENTRIES_SHIFT;

  /** Ints per series in a page of entries, at the indexes below; all are 0 without samples. */
  private static final int ENTRY = 4;

  private static final int FIRST = 0;
  private static final int LAST = 1;
  private static final int USED = 2;

  /** Low 16 bits: capacity of the last chunk, in samples; high 16 bits: its kind. */
  private static final int SHAPE = 3;

  private static final int KIND_SHIFT = 16;

  /** Memory of a text in addition to its bytes. */
  private static final int TEXT_BYTES = 24;

  private final HeadPages free;
  private long[][] pages;
  private int[] @Nullable [] entries = {};
  private final List<byte[]> texts = new ArrayList<>();
  private int nextSlot = 1;
  private long bytes = (long) PAGE * Long.BYTES;
  private long samples;
  private int series;
  private int batch;

  /** Number of views that may still read this head. */
  private int views;

  private boolean dropped;

  /**
   * @param free provides pages of {@link #PAGE} longs
   */
  Head(HeadPages free) {
    this.free = free;
    this.pages = new long[][] {free.take()};
  }

  /** Keeps the head readable until {@link #leave}. */
  void view() {
    views++;
  }

  /** Ends a view. */
  void leave() {
    views--;
    giveBack();
  }

  /** Releases the pages once no view needs them: the samples are in blocks. */
  void drop() {
    dropped = true;
    giveBack();
  }

  private void giveBack() {
    if (dropped && views == 0) {
      free.giveBack(pages);
      pages = new long[0][];
      entries = new int[0][];
    }
  }

  /** Adds a batch, which readers then see. */
  void add(ColumnBatch columns) {
    batch++;
    for (int column = 0; column < columns.columns(); column++) {
      int number = columns.series(column);
      int from = columns.start(column);
      int to = columns.end(column);
      if (columns.kind(column) == Kind.STRING) {
        for (int i = from; i < to; i++) {
          addText(number, columns.times()[i], columns.text(columns.values()[i]));
        }
      } else {
        int kind = KindCode.of(columns.kind(column));
        add(number, kind, columns.times(), columns.values(), from, to);
      }
    }
  }

  /** Returns the number of batches that a reader sees from now on. */
  int batches() {
    return batch;
  }

  /** Returns the memory of the head, in bytes. */
  long bytes() {
    return bytes;
  }

  /** Returns the number of samples, of which several may be of one series and instant. */
  long samples() {
    return samples;
  }

  /** Returns the number of series with samples. */
  int series() {
    return series;
  }

  boolean isEmpty() {
    return samples == 0;
  }

  /** Returns whether no batch can be added, whatever memory there is. */
  boolean isFull() {
    return batch >= BATCHES_MAX;
  }

  /** Adds values of one series: int64s, bits of doubles, or indexes of texts. */
  private void add(int number, int kind, long[] times, long[] values, int from, int to) {
    int[] entry = entries(number);
    int at = (number & (ENTRIES - 1)) * ENTRY;
    for (int i = from; i < to; i++) {
      long time = times[i];
      int used = entry[at + USED];
      int chunk = entry[at + LAST];
      long[] page = pages[chunk >>> PAGE_SHIFT];
      int header = chunk & PAGE_MASK;
      long offset = time - page[header + 1];
      // The shape of another kind, or of no chunk, is never one of this kind with free samples.
      int room = entry[at + SHAPE] - (kind << KIND_SHIFT) - used;
      if (room <= 0 || room > CHUNK_MAX || !fits(offset)) {
        chunk = open(entry, at, kind, time);
        page = pages[chunk >>> PAGE_SHIFT];
        header = chunk & PAGE_MASK;
        used = 0;
        offset = 0;
      }
      int slot = header + HEADER + WIDTH * used;
      page[slot] = offset << BATCH_BITS | batch;
      page[slot + 1] = values[i];
      entry[at + USED] = used + 1;
    }
    samples += to - from;
  }

  private static boolean fits(long offset) {
    return offset << BATCH_BITS >> BATCH_BITS == offset;
  }

  private void addText(int number, long time, byte[] utf8) {
    texts.add(utf8);
    bytes += TEXT_BYTES + utf8.length;
    long[] index = {texts.size() - 1L};
    add(number, KindCode.of(Kind.STRING), new long[] {time}, index, 0, 1);
  }

  /** Opens a chunk of a series, and ends the one before. */
  private int open(int[] entry, int at, int kind, long time) {
    int before = entry[at + LAST];
    int size = CHUNK_MIN;
    if (before != 0) {
      int shape = entry[at + SHAPE] & ((1 << KIND_SHIFT) - 1);
      // A chunk that was left before it was full says little about the next.
      size = entry[at + USED] == shape ? Math.min(CHUNK_MAX, 2 * shape + 1) : CHUNK_MIN;
    }
    int chunk = allocate(HEADER + WIDTH * size);
    if (before == 0) {
      entry[at + FIRST] = chunk;
      series++;
    } else {
      long[] page = pages[before >>> PAGE_SHIFT];
      int header = before & PAGE_MASK;
      page[header] |= (long) chunk << 32 | (long) entry[at + USED] << 16;
    }
    long[] page = pages[chunk >>> PAGE_SHIFT];
    page[chunk & PAGE_MASK] = kind;
    page[(chunk & PAGE_MASK) + 1] = time;
    entry[at + LAST] = chunk;
    entry[at + USED] = 0;
    entry[at + SHAPE] = kind << KIND_SHIFT | size;
    return chunk;
  }

  private int allocate(int length) {
    if ((nextSlot & PAGE_MASK) + length > PAGE || nextSlot >>> PAGE_SHIFT == pages.length) {
      nextSlot = pages.length << PAGE_SHIFT;
      long[][] grown = Arrays.copyOf(pages, pages.length + 1);
      grown[pages.length] = free.take();
      pages = grown;
      bytes += (long) PAGE * Long.BYTES;
    }
    int chunk = nextSlot;
    nextSlot += length;
    return chunk;
  }

  private int[] entries(int number) {
    int page = number >>> ENTRIES_SHIFT;
    if (page >= entries.length) {
      entries = Arrays.copyOf(entries, page + 1);
    }
    int[] found = entries[page];
    if (found == null) {
      found = new int[ENTRY * ENTRIES];
      entries[page] = found;
      bytes += (long) Integer.BYTES * ENTRY * ENTRIES;
    }
    return found;
  }

  /** Receives the numbers of series. */
  interface Numbers {
    void take(int number);
  }

  /** Passes the numbers of all series with samples, in ascending order. */
  void forEach(Numbers action) {
    for (int page = 0; page < entries.length; page++) {
      int[] of = entries[page];
      for (int at = 0; of != null && at < ENTRIES; at++) {
        if (of[at * ENTRY + FIRST] != 0) {
          action.take((page << ENTRIES_SHIFT) + at);
        }
      }
    }
  }

  /**
   * Adds the samples of a series to a column, in the order of acceptance.
   *
   * @param visible number of batches to see
   * @param from the first time
   * @param to the time after the last
   */
  void read(int number, int visible, long from, long to, SampleColumn into) {
    int page = number >>> ENTRIES_SHIFT;
    int[] of = page < entries.length ? entries[page] : null;
    if (of == null) {
      return;
    }
    int at = (number & (ENTRIES - 1)) * ENTRY;
    int chunk = of[at + FIRST];
    while (chunk != 0) {
      long[] slots = pages[chunk >>> PAGE_SHIFT];
      int header = chunk & PAGE_MASK;
      boolean last = chunk == of[at + LAST];
      int used = last ? of[at + USED] : (int) (slots[header] >>> 16) & 0xffff;
      Kind kind = KindCode.kind((int) slots[header] & 0xffff);
      long base = slots[header + 1];
      for (int slot = header + HEADER; slot < header + HEADER + WIDTH * used; slot += WIDTH) {
        if ((slots[slot] & BATCH_MASK) > visible) {
          return;
        }
        long time = base + (slots[slot] >> BATCH_BITS);
        if (time >= from && time < to) {
          if (kind == Kind.STRING) {
            into.addText(time, texts.get((int) slots[slot + 1]));
          } else {
            into.add(time, kind, slots[slot + 1]);
          }
        }
      }
      chunk = last ? 0 : (int) (slots[header] >>> 32);
    }
  }
}
