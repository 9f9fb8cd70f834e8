package dev.varve.layout.declared;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One part of a qualifier, as declared. */
public sealed interface QualifierElement {
  /**
   * Returns the canonical text, excluding what only the bucket determines, such as the bytes of an
   * offset.
   */
  String text();

  /** The name of the field. */
  record Field() implements QualifierElement {
    @Override
    public String text() {
      return "field";
    }
  }

  /**
   * Time since the start of the row's bucket.
   *
   * @param bytes 1 to 8; 0 for as few as the bucket needs
   * @param unit the unit to count; null for the resolution of the layout
   */
  record Offset(int bytes, @Nullable Duration unit) implements QualifierElement {
    @Override
    public String text() {
      return "offset"
          + (bytes == 0 ? "" : " " + bytes)
          + (unit == null ? "" : " of " + TimeText.of(unit));
    }
  }

  /** The acceptance stamp, so that every sample of an instant has its own column. */
  record Sequence() implements QualifierElement {
    @Override
    public String text() {
      return "sequence";
    }
  }

  /** The same text in every cell. */
  record Fixed(String bytes) implements QualifierElement {
    @Override
    public String text() {
      return "fixed '" + bytes + "'";
    }
  }

  /** The value itself. */
  record Value() implements QualifierElement {
    @Override
    public String text() {
      return "value";
    }
  }
}
