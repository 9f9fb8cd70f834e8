package dev.varve.engine.progress;

import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import java.time.Duration;

/** A delete that was accepted: reads no longer return its samples. Safe for use by any thread. */
public interface Deletion {
  /** Returns the number of the delete, which is unique within the dataset. */
  long id();

  Selector selector();

  /** Returns the deleted sample times, in the resolution of the dataset. */
  TimeRange times();

  /** Returns the progress of the removal from the tables. */
  DeletionProgress progress();

  /**
   * Cancels the delete. Samples that have not been removed yet are read again. Does nothing if the
   * delete has finished.
   *
   * @throws dev.varve.store.StoreException if the store fails; the delete then continues
   */
  void cancel();

  /**
   * Waits for the end.
   *
   * @param most maximum time to wait
   * @return false if the delete has not ended in time
   */
  boolean await(Duration most) throws InterruptedException;
}
