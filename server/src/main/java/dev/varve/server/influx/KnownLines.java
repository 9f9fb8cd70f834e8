package dev.varve.server.influx;

import dev.varve.engine.write.SampleBatch;
import dev.varve.engine.write.SeriesHandle;
import dev.varve.formats.text.InfluxLines;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.server.http.HeldPart;
import dev.varve.server.ingest.Door;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.KnownKeys;
import dev.varve.server.ingest.KnownKeys.Known;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of known series from their bytes into columns: no tag is decoded and no object made.
 * It takes lines in the form that agents write, without escapes, with numbers as fields and with a
 * time, and leaves everything else to {@link InfluxLines}.
 */
final class KnownLines {
  private static final int FIELDS_MAX = 64;

  /** Digits of an integer that certainly fits, and of a decimal that a double holds exactly. */
  private static final int INTEGER_DIGITS = 18;

  private static final int DECIMAL_DIGITS = 15;

  private static final int BYTES_PER_KEY = 64;

  private static final double[] POWERS = new double[DECIMAL_DIGITS + 1];

  static {
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = POWERS[i - 1] * 10;
    }
  }

  private final Intake intake;
  private final KnownKeys known;
  private final InfluxLines format;
  private final SampleBatch samples;
  private final BatchBuilder others;

  /** Keys with samples in the batch. */
  private final Set<Known> added = Collections.newSetFromMap(new IdentityHashMap<>());

  private final HeldPart ofAdded;
  private final SeriesHandle[] handles = new SeriesHandle[FIELDS_MAX];
  private final long[] bits = new long[FIELDS_MAX];
  private @Nullable Known before;

  /** Index of the first byte of the current line's key. */
  private int keyFrom;

  private int keyTo;

  /**
   * The last number that was read: a long, or the raw bits of a double. {@link #kind} tells which.
   */
  private long number;

  private Kind kind = Kind.INT64;

  /**
   * @param others takes the lines that are read in another way
   */
  KnownLines(
      Intake intake,
      KnownKeys known,
      InfluxLines format,
      SampleBatch samples,
      BatchBuilder others) {
    this.intake = intake;
    this.others = others;
    this.known = known;
    this.format = format;
    this.samples = samples;
    this.ofAdded = new HeldPart(intake.memory());
  }

  /**
   * Reads a line.
   *
   * @param from index of its first byte
   * @param to index after its last byte
   * @return false if the line has to be read in another way; nothing was read then
   */
  boolean read(byte[] line, int from, int to) {
    int end = endOfKey(line, from, to);
    Known key = end == to ? null : known.find(before, intake.dataset(), line, from, end);
    before = key;
    if (key == null) {
      return false;
    }
    keyFrom = from;
    keyTo = end;
    if (!read(key, line, end + 1, to)) {
      // The line must not be written before earlier ones of its series.
      if (added.contains(key)) {
        write();
      }
      return false;
    }
    if (added.add(key)) {
      ofAdded.hold(BYTES_PER_KEY);
    }
    return true;
  }

  /** Remembers the key of a line that was read in another way. */
  void learn(byte[] line, int from, int to) {
    int end = endOfKey(line, from, to);
    if (end < to && known.find(intake.dataset(), line, from, end) == null) {
      before = known.remember(intake.dataset(), line, from, end, format.key(line, from, end));
    }
  }

  /** Returns the index of the blank after the tags; the end if there is none or an escape. */
  private static int endOfKey(byte[] line, int from, int to) {
    for (int at = from; at < to; at++) {
      if (line[at] == ' ') {
        return at == from ? to : at;
      }
      if (line[at] == '\\' || line[at] == '#') {
        return to;
      }
    }
    return to;
  }

  private boolean read(Known key, byte[] line, int from, int to) {
    int at = from;
    int count = 0;
    while (true) {
      int equals = at;
      while (equals < to && isOfName(line[equals])) {
        equals++;
      }
      if (equals == to || equals == at || line[equals] != '=' || count == FIELDS_MAX) {
        return false;
      }
      int end = number(line, equals + 1, to);
      if (end < 0 || end == to) {
        return false;
      }
      SeriesHandle handle = handle(key, count, line, at, equals);
      if (handle == null) {
        return false;
      }
      handles[count] = handle;
      bits[count++] = number;
      at = end + 1;
      if (line[end] == ' ') {
        break;
      }
      if (line[end] != ',') {
        return false;
      }
    }
    int end = number(line, at, to);
    // A time is an integer, which has no suffix.
    if (end != to || at == to || kind != Kind.DOUBLE || !isInteger(line, at, to)) {
      return false;
    }
    return add(key, count, line, at, to);
  }

  private static boolean isOfName(byte b) {
    return b != '=' && b != ',' && b != ' ' && b != '\\' && b != '"';
  }

  private static boolean isInteger(byte[] line, int from, int to) {
    for (int at = line[from] == '-' ? from + 1 : from; at < to; at++) {
      if (line[at] < '0' || line[at] > '9') {
        return false;
      }
    }
    return true;
  }

  private @Nullable SeriesHandle handle(Known key, int place, byte[] line, int from, int to) {
    Door door = intake.door();
    SeriesHandle handle = key.handle(door, place, line, from, to, kind);
    if (handle == null) {
      byte[] name = Arrays.copyOfRange(line, from, to);
      GroupKey sent = key.key();
      GroupKey decoded = sent == null ? format.key(line, keyFrom, keyTo) : sent;
      String field = new String(name, StandardCharsets.UTF_8);
      handle = intake.handle(decoded, field, kind);
      if (handle != null && known.add(key, door, name, handle)) {
        intake.handleKept(decoded, field, kind);
      }
    }
    return handle;
  }

  /**
   * Reads a number into {@link #number} and {@link #kind}.
   *
   * @return the index after it; -1 if it is none of the simple forms
   */
  private int number(byte[] line, int from, int to) {
    int at = from;
    boolean negative = at < to && line[at] == '-';
    at += negative ? 1 : 0;
    long value = 0;
    int digits = 0;
    int fraction = -1;
    for (; at < to; at++) {
      int digit = line[at] - '0';
      if (digit >= 0 && digit <= 9) {
        value = 10 * value + digit;
        digits++;
        fraction += fraction >= 0 ? 1 : 0;
      } else if (line[at] == '.' && fraction < 0) {
        fraction = 0;
      } else {
        break;
      }
    }
    if (digits == 0 || digits > INTEGER_DIGITS + 1) {
      return -1;
    }
    if (at < to && line[at] == 'i') {
      kind = Kind.INT64;
      number = negative ? -value : value;
      return fraction < 0 && digits <= INTEGER_DIGITS ? at + 1 : -1;
    }
    // An integer with this many digits and a power of ten are exact, so one division rounds right.
    kind = Kind.DOUBLE;
    boolean last = at == to;
    if (digits > DECIMAL_DIGITS && !last) {
      return -1;
    }
    double real = fraction > 0 && fraction < POWERS.length ? value / POWERS[fraction] : value;
    number = Double.doubleToRawLongBits(negative ? -real : real);
    return at;
  }

  private boolean add(Known key, int count, byte[] line, int from, int to) {
    long time;
    try {
      time = format.time(integer(line, from, to));
    } catch (ArithmeticException e) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      if (!samples.takes(handles[i], time)) {
        // The catalog has to be written first; afterwards there are other handles.
        key.forget();
        return false;
      }
    }
    int before = samples.sampleCount();
    for (int i = 0; i < count; i++) {
      samples.begin(handles[i]);
      samples.add(time, bits[i]);
      if (!samples.end()) {
        // A delete has just removed the series: the line is written under its key, as a whole.
        samples.undo(before);
        key.forget();
        return false;
      }
    }
    return true;
  }

  /** Returns an integer of at most 19 digits, of which the caller knows that it is one. */
  private static long integer(byte[] line, int from, int to) {
    boolean negative = line[from] == '-';
    long value = 0;
    for (int at = negative ? from + 1 : from; at < to; at++) {
      value = Math.addExact(Math.multiplyExact(value, 10), line[at] - '0');
    }
    return negative ? -value : value;
  }

  /** Returns whether there are enough samples to be written. */
  boolean isFull() {
    return samples.sampleCount() >= Intake.BATCH;
  }

  /**
   * Writes what was read since the last write, in this and other ways. Once a line of a series was
   * read in this way, none that was read in another way follows before the next write: this order
   * is the order of acceptance.
   */
  void write() {
    added.clear();
    ofAdded.letGo();
    if (!others.isEmpty()) {
      intake.writeOwn(others, false);
    }
    if (!samples.isEmpty()) {
      intake.write(samples);
    }
  }

  /** Returns the memory to its pool. The reader must not be used any more. */
  void release() {
    samples.release();
  }
}
