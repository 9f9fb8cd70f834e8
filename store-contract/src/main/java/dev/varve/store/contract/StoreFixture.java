package dev.varve.store.contract;

import dev.varve.store.Store;
import java.nio.file.Path;
import java.util.List;

/**
 * A store under test: its name, a way to open it, a factor that thins its tests, and its known
 * gaps.
 */
public interface StoreFixture {
  /** Returns the name of the store, including its configuration if several are tested. */
  String name();

  /**
   * Opens the store of a directory: new and empty at first, the same store again after it was
   * closed. A store that keeps its cells elsewhere uses the directory as a name.
   */
  Store open(Path directory);

  /**
   * Returns the thinning factor for tests that repeat a step thousands of times. It is 1 for an
   * embedded store, and more where a call takes a millisecond and creating a table a tenth of a
   * second. The system property {@code varve.contract.oneIn} lowers it.
   */
  default int oneIn() {
    return 1;
  }

  /** Returns the promises that this store is known to break. */
  List<Gap> gaps();
}
