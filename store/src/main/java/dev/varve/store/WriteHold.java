package dev.varve.store;

import java.nio.file.Path;

/**
 * Keeps every write to a store waiting until it is closed, so that the files of several stores can
 * be copied as of one moment. Everything acknowledged before it was taken is in the copy, and
 * nothing written later. Reads continue. Hold writes only briefly: they time out after some
 * seconds.
 */
public interface WriteHold extends AutoCloseable {
  /**
   * Copies the store, with hard links where the file system has them. The copy opens like the store
   * itself.
   *
   * @param directory where the copy goes; must not exist, unlike its parent
   * @throws StoreException if copying fails, or if it took so long that writes have gone on
   */
  void copyTo(Path directory);

  /** Lets writes go on. Closing twice is allowed. */
  @Override
  void close();
}
