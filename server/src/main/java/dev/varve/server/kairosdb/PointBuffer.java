package dev.varve.server.kairosdb;

import dev.varve.server.http.WriteBudget.Reservation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The data points of one metric of a request, as they stand in its JSON: their type can only be
 * told once the whole metric is read. Filled and cleared again and again. Its rows are reserved;
 * the texts in it are for whoever puts them there to reserve.
 */
final class PointBuffer {
  /** What a value looks like. */
  enum Form {
    /** Nothing stands there. */
    ABSENT,
    NULL,
    /** A whole number of 64 bits, in {@link #whole}. */
    WHOLE,
    /** Any other number, in {@link #real}; its text is kept where it has no point nor exponent. */
    REAL,
    /** A text or a truth value, in {@link #text}. */
    TEXT,
    EMPTY_ARRAY,
    /** An object or an array. */
    OTHER
  }

  /** Bytes of a row, without its texts. */
  private static final int ROW_BYTES = 48;

  private static final int FIRST_ROWS = 16;

  /** So many rows at most are kept for the next metric. */
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
   * Begins another point, of which nothing is known yet.
   *
   * @throws dev.varve.server.http.OverBudgetException if there is no room for it
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

  /** How many of time, value and type a row has. */
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

  /** Whether the text was a JSON truth value. */
  boolean truth(int index) {
    return truths[index];
  }

  @Nullable String type(int index) {
    return types[index];
  }
}
