package dev.varve.server.prometheus;

import dev.varve.query.promql.eval.ValueText;
import tools.jackson.core.JsonGenerator;

/**
 * Writes points of an answer: {@code [1435781430.781,"1.5"]}. An answer may have millions of them,
 * so they are put together in one buffer. For one thread.
 */
final class PointText {
  /** Characters of a time and of all that is not the value. */
  private static final int WITHOUT_VALUE = 40;

  private static final int VALUE_MAX = 40;

  private static final int POINT_MAX = WITHOUT_VALUE + VALUE_MAX;

  /** Characters of points that are written together. */
  private static final int BUFFERED = 4096;

  /** Integers below are written without a string of their own. */
  private static final double INTEGER_MAX = 1e15;

  /** The last digits of a time in seconds, which differ between neighbouring points. */
  private static final int LAST_DIGITS = 4;

  private static final long LAST = 10_000;

  private final char[] text = new char[BUFFERED + POINT_MAX];
  private int length;

  /** The time in seconds without its last digits, whose characters are in {@code leading}. */
  private long lead;

  private final char[] leading = new char[WITHOUT_VALUE];
  private int leadingLength;

  /**
   * Writes a point with a number.
   *
   * @param time in milliseconds
   */
  void number(long time, double value, JsonGenerator json) {
    length = 0;
    point(time, value);
    json.writeRawValue(text, 0, length);
  }

  /**
   * Writes the elements of an array of points with numbers, the first of the array among them. The
   * generator does not learn of them.
   *
   * @param times in milliseconds
   * @param from index of the first point
   * @param to index after the last point
   */
  void numbers(long[] times, double[] values, int from, int to, JsonGenerator json) {
    length = 0;
    for (int i = from; i < to; i++) {
      if (i > 0) {
        text[length++] = ',';
      }
      point(times[i], values[i]);
      if (length >= BUFFERED) {
        json.writeRaw(text, 0, length);
        length = 0;
      }
    }
    json.writeRaw(text, 0, length);
  }

  /**
   * Writes a point with any text.
   *
   * @param time in milliseconds
   */
  void text(long time, String value, JsonGenerator json) {
    length = 0;
    time(time);
    json.writeStartArray();
    json.writeRawValue(text, 0, length);
    json.writeString(value);
    json.writeEndArray();
  }

  private void point(long time, double value) {
    text[length++] = '[';
    time(time);
    text[length++] = ',';
    text[length++] = '"';
    long integer = (long) value;
    boolean isInteger = integer == value && Math.abs(value) < INTEGER_MAX;
    if (isInteger && (integer != 0 || Double.doubleToRawLongBits(value) == 0)) {
      integer(integer);
    } else {
      String number = ValueText.of(value);
      number.getChars(0, number.length(), text, length);
      length += number.length();
    }
    text[length++] = '"';
    text[length++] = ']';
  }

  /** Adds a time in seconds, with three decimal places or none. */
  private void time(long time) {
    if (time < 0) {
      text[length++] = '-';
    }
    long size = Math.abs(time);
    seconds(size / 1000);
    int rest = (int) (size % 1000);
    if (rest > 0) {
      text[length++] = '.';
      text[length++] = (char) ('0' + rest / 100);
      text[length++] = (char) ('0' + rest / 10 % 10);
      text[length++] = (char) ('0' + rest % 10);
    }
  }

  private void seconds(long seconds) {
    if (seconds < LAST) {
      integer(seconds);
      return;
    }
    if (seconds / LAST != lead) {
      lead = seconds / LAST;
      int start = length;
      integer(lead);
      leadingLength = length - start;
      System.arraycopy(text, start, leading, 0, leadingLength);
      length = start;
    }
    for (int i = 0; i < leadingLength; i++) {
      text[length++] = leading[i];
    }
    int last = (int) (seconds % LAST);
    for (int at = length + LAST_DIGITS - 1; at >= length; at--) {
      text[at] = (char) ('0' + last % 10);
      last /= 10;
    }
    length += LAST_DIGITS;
  }

  /** Adds an integer of at most 18 digits. */
  private void integer(long number) {
    if (number < 0) {
      text[length++] = '-';
    }
    long size = Math.abs(number);
    int end = length + 1;
    for (long power = 10; power <= size; power *= 10) {
      end++;
    }
    long rest = size;
    for (int at = end - 1; at >= length; at--) {
      text[at] = (char) ('0' + rest % 10);
      rest /= 10;
    }
    length = end;
  }
}
