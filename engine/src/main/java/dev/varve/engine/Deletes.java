package dev.varve.engine;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.periods.DeleteSupport;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.progress.DeleteCount;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.progress.Remnant;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.usage.UsageKeeper;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Kind;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import dev.varve.store.Collected;
import dev.varve.store.Store;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Deletes of samples. Safe for use by several threads. */
public final class Deletes {
  private final DatasetView view;
  private final DatasetParts parts;

  Deletes(DatasetView view) {
    this.view = view;
    this.parts = view.parts();
  }

  /**
   * Deletes samples. When this returns, the delete is durable, and reads that begin no longer
   * return samples that matched when it was accepted; samples that are written later remain. A job
   * then removes the samples from all layouts of all periods, whatever the retention. The job
   * continues after a restart.
   *
   * @param selector with at least one filter, so that no one deletes everything by mistake
   * @param times sample times, in the resolution of the dataset
   * @throws QueryRefusedException if the selector is malformed, if the dataset is read-only, or if
   *     a layout on its store cannot delete
   * @throws OverloadedException if too many deletes are not finished, or if samples accepted
   *     earlier cannot be moved into blocks
   * @throws dev.varve.engine.error.WriteFailedException if writes have been stopped
   * @throws dev.varve.store.StoreException if the store fails
   */
  public Deletion begin(Selector selector, TimeRange times) {
    view.refuseWithoutCatalog();
    DeleteSupport.ensure(parts.open(), selector, times);
    Selector wanted = view.bound(selector);
    DeleteSupport.ensure(parts.open(), wanted, times);
    parts.reader().match(wanted, times, Kind.ALL, ReadGuard.NONE);
    return parts.deletes().accept(wanted, times);
  }

  /**
   * Counts the samples that a delete would hide from reads. Deletes nothing. The count is exact:
   * each instant of a series counts once, however many kinds, versions or layouts have a cell for
   * it.
   *
   * @param guard observes the read of the samples
   * @throws QueryRefusedException as {@link #begin}
   */
  public DeleteCount count(Selector selector, TimeRange times, ReadGuard guard) {
    view.refuseWithoutCatalog();
    DeleteSupport.ensure(parts.open(), selector, times);
    ReadRequest request =
        new ReadRequest(
            view.bound(selector),
            times,
            null,
            Versions.LATEST,
            Kinds.ONE,
            Order.SERIES_BY_SERIES,
            0,
            true,
            Budget.UNLIMITED);
    long series = 0;
    long samples = 0;
    Series last = null;
    try (RunCursor runs = parts.reader().read(request, guard)) {
      for (Run run = runs.next(); run != null; run = runs.next()) {
        series += run.series().equals(last) ? 0 : 1;
        samples += run.samples().size();
        last = run.series();
      }
    }
    return new DeleteCount(series, samples);
  }

  /**
   * Returns the deletes of this server whose job has not ended, oldest first. Bound users see the
   * deletes whose selector has all filters of their bounds, as their own deletes have.
   */
  public List<Deletion> pending() {
    return view.bounds() == null
        ? parts.deletes().pending()
        : parts.deletes().pending().stream()
            .filter(one -> view.bounds().contain(one.selector()))
            .toList();
  }

  /**
   * Returns the places known to this server that may still hold data that deletes have removed from
   * the tables or will remove: copies that are older than the end of the last delete, the files of
   * stores that have not collected it, and the home of a dataset in an embedded store. Empty if
   * nothing was deleted, or if all deletes ended under earlier builds, which did not record that.
   *
   * @throws dev.varve.store.StoreException if a store cannot be read
   */
  public List<Remnant> remnants() {
    Instant deleted = lastDeleted();
    if (deleted == null) {
      return List.of();
    }
    Store store = parts.open().store();
    if (!store.isEmbedded()) {
      return inTables(store, deleted);
    }
    List<Remnant> remnants = new ArrayList<>(parts.copies().before(deleted));
    remnants.add(inHome(deleted));
    return remnants;
  }

  /**
   * Returns the home of the dataset, which may still hold labels. Deletes of earlier builds left
   * them in the records beside the series, and no record tells whether there were such deletes.
   */
  private Remnant inHome(Instant deleted) {
    boolean keepsNames =
        parts.open().layouts().anyMatch(layout -> layout.layout().numbers().isPresent());
    int days = UsageKeeper.DAYS_KEPT;
    return new Remnant(
        Remnant.Kind.HOME,
        parts.open().name(),
        null,
        keepsNames ? null : deleted.plus(Duration.ofDays(days)),
        false,
        "No samples, but labels: RocksDB's MANIFEST keeps keys until the next start. Deletes take labels out of key counters, query log and cardinality, but earlier builds left them there, for up to %d days, and later queries for the labels are logged.%s"
            .formatted(days, keepsNames ? " Names in the table of UIDs stay." : ""));
  }

  /** Returns when the last delete ended, or now, if one has not; null if there was none. */
  private @Nullable Instant lastDeleted() {
    OpenDataset open = parts.open();
    Long micros =
        open.deletes().isEmpty()
            ? open.home().identity().deleted()
            : Long.valueOf(open.clock().systemMicros());
    return micros == null ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private List<Remnant> inTables(Store store, Instant deleted) {
    List<Remnant> remnants = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (PlacedLayout layout : parts.open().layouts().toList()) {
      TableSpec table = layout.dataTable().spec();
      // Periods share tables, and a store may have to ask many servers.
      if (!seen.add(table.name())) {
        continue;
      }
      Collected collected = store.collected(table, deleted);
      if (!collected.gone()) {
        remnants.add(
            new Remnant(
                Remnant.Kind.STORE,
                "%s: table %s".formatted(store.kind(), table.name()),
                null,
                collected.from(),
                collected.certain(),
                collected.text()));
      }
    }
    return remnants;
  }
}
