package dev.varve.bench.originals;

import dev.varve.bench.compare.ProcessFigures;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An original and servers of Varve, filled with the same data. */
interface Stage extends AutoCloseable {
  /** Returns the title of the stage in the table. */
  String title();

  Contestant original();

  /** Returns the servers that are compared with the original. */
  List<Contestant> others();

  /** Returns all servers, the original first. */
  default List<Contestant> all() {
    List<Contestant> all = new ArrayList<>(List.of(original()));
    all.addAll(others());
    return all;
  }

  /**
   * Returns the figures of the process of the store that all servers share; null if each server's
   * store is in its own process.
   */
  @Nullable ProcessFigures store();

  /** Returns the requests that write all points, under the name of a metric. */
  List<Question> writes(String metric);

  List<Question> questions();

  @Override
  void close();
}
