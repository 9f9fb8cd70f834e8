package dev.varve.engine.blocks;

import dev.varve.layout.block.KindCode;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Samples in memory, by the number of their series, in the order of acceptance. Nothing is ever
 * removed: a full head is sealed and dropped as a whole.
 *
 * <p>The caller ensures that nobody reads while a batch is added. A reader passes the {@linkplain
 * #batches() number of batches} that it wants to see, and then sees the same samples however many
 * batches are added between its calls.
 */
final class Head {
  /*
   * Samples live in chunks: a header slot and up to CHUNK_MAX slots of samples. Chunks are cut from
   * pages of PAGE slots and never move. A position is the number of a page times PAGE plus a slot.
   * Slot 0 of page 0 is never used, so that position 0 means "none".
   *
   *   header slot   times[]: position of the next chunk; values[]: number of slots; batches[]: kind
   *   sample slot   times[]: time; values[]: int64, bits of a double, or index of a text;
   *                 batches[]: number of the batch
   *
   * A chunk holds samples of one kind. Each chunk of a series has twice the slots of the one before,
   * so that short series take little and long ones few headers.
   */
  private static final int PAGE_SHIFT = 15;
  private static final int PAGE = 1 << PAGE_SHIFT;
  private static final int PAGE_MASK = PAGE - 1;
  private static final int CHUNK_MIN = 7;
  private static final int CHUNK_MAX = 255;
  private static final int BYTES_PER_SLOT = 2 * Long.BYTES + Integer.BYTES;

  /** Series numbers per page of {@link Places}. */
  private static final int PLACES_SHIFT = 12;

  private static final int PLACES = 1 << PLACES_SHIFT;

  /** Memory of a text in addition to its bytes. */
  private static final int TEXT_BYTES = 24;

  /** A page of slots. */
  private static final class Page {
    private final long[] times = new long[PAGE];
    private final long[] values = new long[PAGE];
    private final int[] batches = new int[PAGE];
  }

  /** Where the samples of {@link #PLACES} series are; 0 for series without samples. */
  private static final class Places {
    private final int[] first = new int[PLACES];
    private final int[] last = new int[PLACES];

    /** Used slots of the last chunk. */
    private final int[] used = new int[PLACES];
  }

  private Page[] pages = {new Page()};
  private @Nullable Places[] places = {};
  private final List<byte[]> texts = new ArrayList<>();
  private int nextSlot = 1;
  private long bytes = (long) PAGE * BYTES_PER_SLOT;
  private long samples;
  private int series;
  private int batch;

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
        add(number, columns.kind(column), columns.times(), columns.values(), from, to);
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

  /** Adds values of one series: int64s, bits of doubles, or indexes of texts. */
  private void add(int number, Kind kind, long[] times, long[] values, int from, int to) {
    Places place = places(number);
    int at = number & (PLACES - 1);
    int next = from;
    while (next < to) {
      int room = room(place, at, kind);
      int count = Math.min(room, to - next);
      int start = place.last[at] + 1 + place.used[at];
      Page page = pages[start >>> PAGE_SHIFT];
      int slot = start & PAGE_MASK;
      System.arraycopy(times, next, page.times, slot, count);
      System.arraycopy(values, next, page.values, slot, count);
      Arrays.fill(page.batches, slot, slot + count, batch);
      place.used[at] += count;
      samples += count;
      next += count;
    }
  }

  private void addText(int number, long time, byte[] utf8) {
    texts.add(utf8);
    bytes += TEXT_BYTES + utf8.length;
    add(number, Kind.STRING, new long[] {time}, new long[] {texts.size() - 1L}, 0, 1);
  }

  /** Returns the free slots of the last chunk of a series, which is replaced if it is full. */
  private int room(Places place, int at, Kind kind) {
    int last = place.last[at];
    if (last != 0) {
      Page page = pages[last >>> PAGE_SHIFT];
      int slot = last & PAGE_MASK;
      int free = (int) page.values[slot] - place.used[at];
      if (free > 0 && page.batches[slot] == KindCode.of(kind)) {
        return free;
      }
      int slots = Math.min(CHUNK_MAX, 2 * (int) page.values[slot] + 1);
      int chunk = allocate(slots, kind);
      // The used slots of a chunk that is left before it is full.
      page.values[slot] = place.used[at];
      page.times[slot] = chunk;
      place.last[at] = chunk;
      place.used[at] = 0;
      return slots;
    }
    int chunk = allocate(CHUNK_MIN, kind);
    place.first[at] = chunk;
    place.last[at] = chunk;
    series++;
    return CHUNK_MIN;
  }

  private int allocate(int slots, Kind kind) {
    if ((nextSlot & PAGE_MASK) + 1 + slots > PAGE || nextSlot >>> PAGE_SHIFT == pages.length) {
      nextSlot = pages.length << PAGE_SHIFT;
      Page[] grown = Arrays.copyOf(pages, pages.length + 1);
      grown[pages.length] = new Page();
      pages = grown;
      bytes += (long) PAGE * BYTES_PER_SLOT;
    }
    int chunk = nextSlot;
    nextSlot += 1 + slots;
    Page page = pages[chunk >>> PAGE_SHIFT];
    int slot = chunk & PAGE_MASK;
    page.times[slot] = 0;
    page.values[slot] = slots;
    page.batches[slot] = KindCode.of(kind);
    return chunk;
  }

  private Places places(int number) {
    int page = number >>> PLACES_SHIFT;
    if (page >= places.length) {
      places = Arrays.copyOf(places, page + 1);
    }
    Places found = places[page];
    if (found == null) {
      found = new Places();
      places[page] = found;
      bytes += 3L * Integer.BYTES * PLACES;
    }
    return found;
  }

  /** Receives the numbers of series. */
  interface Numbers {
    void take(int number);
  }

  /** Passes the numbers of all series with samples, in ascending order. */
  void forEach(Numbers action) {
    for (int page = 0; page < places.length; page++) {
      Places of = places[page];
      for (int at = 0; of != null && at < PLACES; at++) {
        if (of.first[at] != 0) {
          action.take((page << PLACES_SHIFT) + at);
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
    int page = number >>> PLACES_SHIFT;
    Places of = page < places.length ? places[page] : null;
    if (of == null) {
      return;
    }
    int at = number & (PLACES - 1);
    for (int chunk = of.first[at]; chunk != 0; ) {
      Page slots = pages[chunk >>> PAGE_SHIFT];
      int header = chunk & PAGE_MASK;
      int used = chunk == of.last[at] ? of.used[at] : (int) slots.values[header];
      Kind kind = KindCode.kind(slots.batches[header]);
      for (int slot = header + 1; slot <= header + used; slot++) {
        if (slots.batches[slot] > visible) {
          return;
        }
        long time = slots.times[slot];
        if (time >= from && time < to) {
          if (kind == Kind.STRING) {
            into.addText(time, texts.get((int) slots.values[slot]));
          } else {
            into.add(time, kind, slots.values[slot]);
          }
        }
      }
      chunk = (int) slots.times[header];
    }
  }
}
