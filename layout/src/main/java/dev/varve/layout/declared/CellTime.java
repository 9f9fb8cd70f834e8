package dev.varve.layout.declared;

/** The meaning of a cell's time. */
public sealed interface CellTime {
  /**
   * 50,000 years (125 Gregorian cycles of 400 years) in milliseconds: the shift of tables that keep
   * metadata beyond every window of samples.
   */
  long FIFTY_THOUSAND_YEARS_MILLIS = 1_577_847_600_000_000L;

  String text();

  /** The time of acceptance, by the server's clock. */
  record Server() implements CellTime {
    @Override
    public String text() {
      return "server";
    }
  }

  /** The instant of the sample. Not possible for attributes. */
  record Event() implements CellTime {
    @Override
    public String text() {
      return "event";
    }
  }

  /**
   * The instant of a sample, or the acceptance time of an attribute, moved into the future.
   *
   * @param millis the shift in milliseconds, independent of the resolution
   */
  record Shifted(long millis) implements CellTime {
    @Override
    public String text() {
      return "shifted " + millis;
    }
  }
}
