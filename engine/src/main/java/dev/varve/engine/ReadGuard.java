package dev.varve.engine;

/**
 * Looks on while the engine finds series and reads them, and may end that by throwing. Called by
 * the threads that work, of which there may be several.
 */
public interface ReadGuard {
  /** Lets everything go on. */
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
   * Asked every few milliseconds of whatever can take long.
   *
   * @throws dev.varve.store.ReadCancelledException if nobody wants the work any more
   */
  void ensureWanted();

  /**
   * Tells how many values of labels are about to be compared with patterns. No lock is held: the
   * call may take long.
   */
  default void compares(long values) {}

  /**
   * Tells how many keys a selector matches, before anything is built of them. No lock is held: the
   * call may take long.
   */
  void matched(long keys);

  /**
   * Tells how many more bytes are held, until they are released or the read is over.
   *
   * @param what is held, for whoever is told that it is too much
   */
  void held(long bytes, String what);

  /**
   * Asks for so many more bytes to be held, by whoever can do without.
   *
   * @return whether they now are
   */
  boolean tryHold(long bytes);

  /** Tells how many of the bytes held are not held any more. */
  void released(long bytes);

  /**
   * Tells how a read that begins can be ended from another thread, also inside a call of a store.
   */
  void begun(Runnable cancel);

  /** A read that had begun is over. */
  void ended(Runnable cancel);
}
