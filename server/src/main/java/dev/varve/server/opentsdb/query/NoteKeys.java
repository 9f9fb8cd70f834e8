package dev.varve.server.opentsdb.query;

import dev.varve.engine.Dataset;
import dev.varve.model.Series;
import dev.varve.query.running.QueryUse;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The identifiers under which notes about series and names are kept, for those that a user knows. A
 * user of some series sees made-up ones, also where a table has others. For one request.
 */
public final class NoteKeys {
  private final UidNames seen;

  /** Null if the user may use all series. */
  private final @Nullable UidNames kept;

  /**
   * @param seen the dataset as the user may use it
   * @param whole the same dataset with all its series
   */
  public NoteKeys(Dataset seen, Dataset whole, QueryUse use) {
    this.seen = new UidNames(seen, use);
    this.kept = seen.isBound() ? new UidNames(whole, use) : null;
  }

  /**
   * Returns the TSUID under which notes about a series are kept.
   *
   * @param tsuid as the user knows it
   * @throws OpenTsdbError 404 if the user may use some series alone, and it is of none of them
   */
  public String tsuid(String tsuid) {
    String digits = tsuid.strip().toUpperCase(Locale.ROOT);
    if (kept == null) {
      return digits;
    }
    Series series;
    try {
      series = seen.series(digits);
    } catch (OpenTsdbError e) {
      // Which part of it is unknown is a matter of the dataset's other series, too.
      throw new OpenTsdbError(404, "No series that you may use has the TSUID " + digits);
    }
    return tsuid(series);
  }

  /** Returns the TSUID under which notes about a series of the user are kept. */
  public String tsuid(Series series) {
    return (kept == null ? seen : kept).tsuid(series.metric(), series.labels());
  }

  /**
   * Returns the UID under which notes about a name are kept.
   *
   * @param uid as the user knows it
   * @param name the name that has it, which the user may know
   */
  public String uid(Tsuid.Kind kind, String uid, String name) {
    String other = kept == null ? uid : kept.uid(kind, name);
    if (other == null) {
      throw new OpenTsdbError(404, "No such name for '%s': '%s'".formatted(kind.table(), name));
    }
    return other;
  }
}
