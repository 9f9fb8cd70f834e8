package dev.varve.store;

/** Follows a store that reads all its files to find what is damaged. Called by one thread. */
public interface FileCheck {
  /**
   * So many bytes are about to be read. May wait, to hold the check up.
   *
   * @throws ReadCancelledException if the check is to stop
   */
  void reading(String file, long bytes);

  /** A place is damaged. */
  void damaged(StoreDamage damage);
}
