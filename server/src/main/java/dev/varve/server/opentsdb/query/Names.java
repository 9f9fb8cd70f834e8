package dev.varve.server.opentsdb.query;

import dev.varve.engine.Catalog;
import dev.varve.engine.Dataset;
import dev.varve.engine.NameTable;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.server.opentsdb.query.Tsuid.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The names that a dataset knows. OpenTSDB refuses queries of names that it has never met. */
public final class Names {
  private static final Selector ALL = new Selector(List.of());

  private final Catalog catalog;
  private final @Nullable NameTable table;
  private final ReadGuard guard;

  public Names(Dataset dataset, ReadGuard guard) {
    this.catalog = dataset.catalog();
    this.table = dataset.originals().names();
    this.guard = guard;
  }

  /** Returns whether a name of a kind is known, with or without a series. */
  public boolean knows(Kind kind, String name) {
    if (table != null) {
      return table.number(UidNames.part(kind), name).isPresent();
    }
    return switch (kind) {
      case METRIC -> catalog.firstValues(Series.NAME_LABEL, name, 1, guard).contains(name);
      case TAGK -> catalog.labelNames(ALL, null, guard).contains(name);
      case TAGV -> catalog.firstValues(null, name, 1, guard).contains(name);
    };
  }

  /**
   * Checks that a name is known.
   *
   * @throws OpenTsdbError 400 if it is not
   */
  public void require(Kind kind, String name) {
    if (!knows(kind, name)) {
      throw OpenTsdbError.amid("No such name for '%s': '%s'".formatted(kind.table(), name));
    }
  }
}
