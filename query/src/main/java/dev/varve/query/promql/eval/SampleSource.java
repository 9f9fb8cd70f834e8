package dev.varve.query.promql.eval;

import dev.varve.query.promql.LabelMatcher;
import java.util.List;

/** Gives samples to queries. */
interface SampleSource {
  /** Takes the samples of a series, which it may use during the call only, and change. */
  interface Sink {
    void series(Labels labels, SampleVector samples);
  }

  /**
   * Reads all series that fit, one after the other.
   *
   * @param from the first time, in ms since 1970
   * @param to the last time
   */
  void read(List<LabelMatcher> matchers, long from, long to, Sink sink);
}
