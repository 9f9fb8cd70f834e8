package dev.varve.layout.declared;

/** What the time of a cell says. */
public sealed interface CellTime {
  /**
   * 50,000 years, being 125 Gregorian cycles of 400 years, in milliseconds: the shift of tables
   * that keep metadata beyond every window of samples.
   */
  long FIFTY_THOUSAND_YEARS_MILLIS = 1_577_847_600_000_000L;

  String text();

  /** When it was accepted, by the clock of the server. */
  record Server() implements CellTime {
    @Override
    public String text() {
      return "server";
    }
  }

  /** The instant of the sample; no time for attributes. */
  record Event() implements CellTime {
    @Override
    public String text() {
      return "event";
    }
  }

  /**
   * Of samples their instant, of attributes the time of acceptance, moved into the future.
   *
   * @param millis by how much, in milliseconds whatever the resolution
   */
  record Shifted(long millis) implements CellTime {
    @Override
    public String text() {
      return "shifted " + millis;
    }
  }
}
