package dev.varve.engine.request;

import dev.varve.model.Attribute;

/**
 * Observes the engine as it finds and reads series, and may abort by throwing. Called by the
 * working threads, possibly several at once.
 */
public interface ReadGuard {
  /** Never aborts. */
  ReadGuard NONE =
      new ReadGuard() {
        @Override
        public void ensureWanted() {}

        @Override
        public void matched(long keys) {}

        @Override
        public void held(long bytes, String what) {}

        @Override
        public boolean tryHold(long bytes) {
          return true;
        }

        @Override
        public void released(long bytes) {}

        @Override
        public void begun(Runnable cancel) {}

        @Override
        public void ended(Runnable cancel) {}
      };

  /**
   * Called every few milliseconds during long operations.
   *
   * @throws dev.varve.store.ReadCancelledException if the work was cancelled
   */
  void ensureWanted();

  /**
   * Reports the number of label values about to be compared with patterns. No lock is held, so the
   * call may block.
   */
  default void compares(long values) {}

  /**
   * Reports the number of keys that a selector matches, before memory is allocated for them. No
   * lock is held, so the call may block.
   */
  void matched(long keys);

  /**
   * Reports additional bytes held until they are released or the read ends.
   *
   * @param what describes the data in the message of a refusal
   */
  void held(long bytes, String what);

  /**
   * Reports an attribute that a read of samples finds beside them. It need not be within the limits
   * of the read in samples.
   */
  default void passed(Attribute attribute) {}

  /**
   * Requests additional bytes that the caller can do without.
   *
   * @return whether the bytes are granted; they then count as held
   */
  boolean tryHold(long bytes);

  /** Reports bytes that are no longer held. */
  void released(long bytes);

  /**
   * Called when a read begins.
   *
   * @param cancel ends the read from any thread, even during a call to a store
   */
  void begun(Runnable cancel);

  /** Called when a read ends, with the same argument as {@link #begun}. */
  void ended(Runnable cancel);
}
