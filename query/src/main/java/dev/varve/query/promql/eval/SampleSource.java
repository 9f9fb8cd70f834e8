package dev.varve.query.promql.eval;

import dev.varve.query.promql.plan.Scan;

/** Gives samples to queries. */
interface SampleSource {
  /** Takes the samples of a series, which it may use during the call only, and change. */
  interface Sink {
    void series(Labels labels, SampleVector samples);
  }

  /** Reads all series of a scan, one after the other. */
  void read(Scan scan, Sink sink);
}
