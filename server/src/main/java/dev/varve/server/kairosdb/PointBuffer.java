package dev.varve.server.kairosdb;

import dev.varve.server.http.WriteBudget.Reservation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Buffers the points of one metric of a request in their JSON form, because their type is known
 * only when the whole metric has been read. Reusable. The buffer reserves memory for its rows;
 * callers reserve memory for the texts.
 */
final class PointBuffer {
  /** The form of a value. */
  enum Form {
    /** Missing. */
    ABSENT,
    NULL,
    /** A 64-bit integer, in {@link #whole}. */
    WHOLE,
    /**
     * Another number, in {@link #real}; its text is kept if it has neither decimal point nor
     * exponent.
     */
    REAL,
    /** A string or boolean, in {@link #text}. */
    TEXT,
    EMPTY_ARRAY,
    /** An object or a non-empty array. */
    OTHER
  }

  /** Memory of a row without its texts, in bytes. */
  private static final int ROW_BYTES = 48;

  private static final int FIRST_ROWS = 16;

  /** Maximum number of rows kept for the next metric. */
  private static final int ROWS_KEPT = 1 << 10;

  private final Reservation memory;
  private int size;
  private long[] instants = new long[FIRST_ROWS];
  private boolean[] hasTime = new boolean[FIRST_ROWS];
  private Form[] forms = new Form[FIRST_ROWS];
  private long[] wholes = new long[FIRST_ROWS];
  private double[] reals = new double[FIRST_ROWS];
  private @Nullable String[] texts = new String[FIRST_ROWS];
  private boolean[] truths = new boolean[FIRST_ROWS];
  private @Nullable String[] types = new String[FIRST_ROWS];
  private int[] columns = new int[FIRST_ROWS];

  PointBuffer(Reservation memory) {
    this.memory = memory;
  }

  void clear() {
    Arrays.fill(texts, 0, size, null);
    Arrays.fill(types, 0, size, null);
    size = 0;
    if (forms.length > ROWS_KEPT) {
      memory.letGo((long) ROW_BYTES * forms.length);
      resize(FIRST_ROWS);
    }
  }

  int size() {
    return size;
  }

  /**
   * Adds a row without content and returns its index.
   *
   * @throws dev.varve.server.http.OverBudgetException if it does not fit in memory
   */
  int next() {
    if (size == forms.length) {
      int capacity = 2 * size;
      memory.hold((long) ROW_BYTES * capacity);
      resize(capacity);
      memory.letGo(size > FIRST_ROWS ? (long) ROW_BYTES * size : 0);
    }
    hasTime[size] = false;
    forms[size] = Form.ABSENT;
    columns[size] = 0;
    return size++;
  }

  private void resize(int capacity) {
    instants = Arrays.copyOf(instants, capacity);
    hasTime = Arrays.copyOf(hasTime, capacity);
    forms = Arrays.copyOf(forms, capacity);
    wholes = Arrays.copyOf(wholes, capacity);
    reals = Arrays.copyOf(reals, capacity);
    texts = Arrays.copyOf(texts, capacity);
    truths = Arrays.copyOf(truths, capacity);
    types = Arrays.copyOf(types, capacity);
    columns = Arrays.copyOf(columns, capacity);
  }

  void time(int index, long millis) {
    instants[index] = millis;
    hasTime[index] = true;
  }

  void form(int index, Form form) {
    forms[index] = form;
  }

  void whole(int index, long value) {
    forms[index] = Form.WHOLE;
    wholes[index] = value;
  }

  void real(int index, double value, @Nullable String text) {
    forms[index] = Form.REAL;
    reals[index] = value;
    texts[index] = text;
  }

  void text(int index, String value, boolean truth) {
    forms[index] = Form.TEXT;
    texts[index] = value;
    truths[index] = truth;
  }

  void type(int index, @Nullable String type) {
    types[index] = type;
  }

  void columns(int index, int count) {
    columns[index] = count;
  }

  /** Returns the number of columns of a row: time, value, type. */
  int columns(int index) {
    return columns[index];
  }

  boolean hasTime(int index) {
    return hasTime[index];
  }

  long time(int index) {
    return instants[index];
  }

  Form form(int index) {
    return forms[index];
  }

  long whole(int index) {
    return wholes[index];
  }

  double real(int index) {
    return reals[index];
  }

  @Nullable String text(int index) {
    return texts[index];
  }

  /** Returns whether the text was a JSON boolean. */
  boolean truth(int index) {
    return truths[index];
  }

  @Nullable String type(int index) {
    return types[index];
  }
}
