package dev.varve.bench.originals;

import dev.varve.bench.compare.ProcessFigures;
import java.util.List;

/** An original and one or two builds of Varve on the tables of one store, filled with data. */
interface Stage extends AutoCloseable {
  /** Returns what runs, for the table. */
  String title();

  Contestant original();

  /** Returns the servers that are compared with the original. */
  List<Contestant> others();

  /** Returns the figures of the store's process. */
  ProcessFigures store();

  List<Question> questions();

  @Override
  void close();
}
