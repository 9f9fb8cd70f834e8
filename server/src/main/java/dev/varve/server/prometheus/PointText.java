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

  private final char[] text = new char[WITHOUT_VALUE + VALUE_MAX];
  private int length;

  /**
   * Writes a point with a number.
   *
   * @param time in milliseconds
   */
  void number(long time, double value, JsonGenerator json) {
    begin(time);
    String number = ValueText.of(value);
    text[length++] = '"';
    number.getChars(0, number.length(), text, length);
    length += number.length();
    text[length++] = '"';
    text[length++] = ']';
    json.writeRawValue(text, 0, length);
  }

  /**
   * Writes a point with any text.
   *
   * @param time in milliseconds
   */
  void text(long time, String value, JsonGenerator json) {
    begin(time);
    json.writeStartArray();
    json.writeRawValue(text, 1, length - 2);
    json.writeString(value);
    json.writeEndArray();
  }

  /** Begins with the time in seconds, with three decimal places or none. */
  private void begin(long time) {
    text[0] = '[';
    length = 1;
    if (time < 0) {
      text[length++] = '-';
    }
    long size = Math.abs(time);
    digits(size / 1000);
    int rest = (int) (size % 1000);
    if (rest > 0) {
      text[length++] = '.';
      text[length++] = (char) ('0' + rest / 100);
      text[length++] = (char) ('0' + rest / 10 % 10);
      text[length++] = (char) ('0' + rest % 10);
    }
    text[length++] = ',';
  }

  private void digits(long number) {
    int end = length + 1;
    for (long rest = number; rest >= 10; rest /= 10) {
      end++;
    }
    long rest = number;
    for (int at = end - 1; at >= length; at--) {
      text[at] = (char) ('0' + rest % 10);
      rest /= 10;
    }
    length = end;
  }
}
