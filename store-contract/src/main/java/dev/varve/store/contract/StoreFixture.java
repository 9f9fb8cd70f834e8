package dev.varve.store.contract;

import dev.varve.store.Store;
import java.nio.file.Path;
import java.util.List;

/** What a store supplies to be tested. */
public interface StoreFixture {
  /** The name of the store, and of the way in which it is set up where there are several. */
  String name();

  /**
   * Opens the store of a directory: a new and empty one at first, the same again after it was
   * closed. A store that keeps its cells elsewhere takes the directory as a name.
   */
  Store open(Path directory);

  /**
   * Of what tests do thousands of times, they do one in so many: 1 for a store inside the process,
   * more for one that takes a millisecond a call and a tenth of a second a table. The system
   * property {@code varve.contract.oneIn} lowers it.
   */
  default int oneIn() {
    return 1;
  }

  /** The promises that this store is known not to keep. */
  List<Gap> gaps();
}
