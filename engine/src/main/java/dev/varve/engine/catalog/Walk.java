package dev.varve.engine.catalog;

/**
 * A long way through the catalog: asks now and then whether its end is still waited for. For one
 * thread.
 */
public final class Walk {
  /** Short beside 100 ms even where each step tries a regular expression on a long text. */
  private static final int STEPS = 1 << 10;

  private final Runnable wanted;
  private int steps;

  /**
   * @param wanted throws where the end is not waited for any more
   */
  public Walk(Runnable wanted) {
    this.wanted = wanted;
  }

  /** One that is never broken off. */
  public static Walk toTheEnd() {
    return new Walk(() -> {});
  }

  void step() {
    if (++steps % STEPS == 0) {
      wanted.run();
    }
  }
}
