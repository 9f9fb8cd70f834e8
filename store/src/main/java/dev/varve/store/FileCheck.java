package dev.varve.store;

/** Observes a store while it reads all its files to look for damage. Called by one thread. */
public interface FileCheck {
  /**
   * Called before {@code bytes} bytes of a file are read. May block, to throttle the check.
   *
   * @throws ReadCancelledException to stop the check
   */
  void reading(String file, long bytes);

  /** Reports a damaged place. */
  void damaged(StoreDamage damage);
}
