package dev.varve.layout.opentsdb;

import dev.varve.layout.Refusal;
import dev.varve.layout.opentsdb.OpenTsdbParameters.FloatForm;
import dev.varve.model.Column;
import org.jspecify.annotations.Nullable;

/**
 * The form of numbers in cells of samples and of roll-ups: integers of 1, 2, 4 or 8 bytes, and
 * floats of 4 or 8 bytes.
 */
record NumberForm(FloatForm floats) {
  private static final Refusal KIND =
      new Refusal("opentsdb.kind", "OpenTSDB cannot hold text samples, only int64 and double");

  /** Returns why the value of a sample is refused; null if it is not. */
  static @Nullable Refusal refusal(Column column, int place) {
    return switch (column) {
      case Column.Longs _ -> null;
      case Column.Doubles doubles ->
          Double.isFinite(doubles.values()[place])
              ? null
              : new Refusal(
                  "opentsdb.number",
                  doubles.values()[place] + " is not finite; OpenTSDB cannot store it");
      case Column.Texts _ -> KIND;
    };
  }

  /**
   * Writes the value of a sample that is not refused.
   *
   * @param target has {@link PointCodec#VALUE_MAX} bytes from {@code at}
   * @return the flags of the value, which say its type and length
   */
  int put(Column column, int place, byte[] target, int at) {
    long bits;
    int flags;
    switch (column) {
      case Column.Longs longs -> {
        bits = longs.values()[place];
        flags = PointCodec.flags(bits);
      }
      case Column.Doubles doubles -> {
        double value = doubles.values()[place];
        boolean four = floats == FloatForm.FOUR && PointCodec.fitsFloat(value);
        bits = four ? Float.floatToRawIntBits((float) value) : Double.doubleToRawLongBits(value);
        flags = PointCodec.FLOAT | (four ? 3 : 7);
      }
      case Column.Texts _ -> throw new IllegalStateException("refused before");
    }
    PointCodec.putNumber(target, at, bits, flags);
    return flags;
  }
}
