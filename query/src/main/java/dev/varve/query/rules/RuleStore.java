package dev.varve.query.rules;

import dev.varve.engine.WriteResult;
import dev.varve.model.Batch;
import dev.varve.query.Runs;

/** Where rules read and write. Called by many threads. */
public interface RuleStore {
  Runs runs();

  /**
   * Whether the value is held that says that a series has ended; else series end by growing old.
   */
  boolean holdsMarkers();

  /**
   * Writes samples whose times are in ms, and returns once those that were accepted can be read.
   *
   * @throws RuntimeException if nothing is known to be written
   */
  WriteResult write(Batch batch);
}
