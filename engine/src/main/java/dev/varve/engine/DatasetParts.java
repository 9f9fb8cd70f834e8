package dev.varve.engine;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.catalog.CatalogBudget;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.check.DatasetCheck;
import dev.varve.engine.delete.DeleteJobs;
import dev.varve.engine.fill.Fill;
import dev.varve.engine.heat.HeatHistory;
import dev.varve.engine.heat.HeatKeeper;
import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.Period.Storage.Blocks;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.repair.CatalogRefresh;
import dev.varve.engine.repair.MarkerReplay;
import dev.varve.engine.repair.OtherServers;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.usage.CardinalityDay;
import dev.varve.engine.usage.QueryLog;
import dev.varve.engine.usage.UsageKeeper;
import dev.varve.engine.write.Companions;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.engine.write.MetadataWriter;
import dev.varve.layout.Layout;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all views of an open dataset share, and the threads that work for it.
 *
 * @param catalogs the budget of memory of all catalogs
 * @param markers replays writes into companions; null if there are no companions
 * @param clientTexts the texts of clients in the original's table; null if they are among those of
 *     services
 * @param seriesTexts the texts about series in the original's table; null if there is none
 * @param converting held while cells are converted into blocks
 * @param copies finds copies of the stores
 */
record DatasetParts(
    OpenDataset open,
    DatasetWriter writer,
    DatasetReader reader,
    CatalogBudget catalogs,
    CatalogRefresh refresh,
    OtherServers others,
    @Nullable MarkerReplay markers,
    MetadataWriter metadata,
    ServiceTexts services,
    @Nullable OriginalTexts clientTexts,
    @Nullable OriginalTexts seriesTexts,
    DeleteJobs deletes,
    Fill fill,
    HeatKeeper heat,
    UsageKeeper usage,
    ReentrantLock converting,
    LocalCopies copies)
    implements AutoCloseable {
  /**
   * Creates the parts of a dataset. Nothing runs yet.
   *
   * @param loadedAt minute of the clock from which on changes of other servers are read
   */
  static DatasetParts of(OpenDataset open, DatasetShare share, HeatKeeper heat, long loadedAt) {
    DatasetWriter writer =
        new DatasetWriter(
            open, share.admission(), share.fields(), share.catalogs(), share.seriesCache());
    share.catalogs().add(open.index());
    Companions companions = writer.companions();
    DatasetReader reader = new DatasetReader(open, companions);
    CatalogRefresh refresh = new CatalogRefresh(open, writer);
    UsageKeeper usage = usage(open, share);
    return new DatasetParts(
        open,
        writer,
        reader,
        share.catalogs(),
        refresh,
        new OtherServers(open, writer, loadedAt),
        companions == null
            ? null
            : new MarkerReplay(open, companions, reader, writer.companionWriter()),
        new MetadataWriter(open),
        new ServiceTexts(open),
        OriginalTexts.open(open, Layout::texts),
        OriginalTexts.open(open, Layout::seriesTexts),
        new DeleteJobs(
            open,
            reader,
            writer,
            refresh::isComplete,
            refresh.searching(),
            new LabelRecords(open, heat, usage),
            DeleteJobs.SEAL_WAIT_MAX),
        new Fill(reader, writer, open.resolution()),
        heat,
        usage,
        new ReentrantLock(),
        share.copies());
  }

  private static UsageKeeper usage(OpenDataset open, DatasetShare share) {
    LongSupplier millis = () -> open.clock().systemMicros() / 1000;
    return new UsageKeeper(
        open.name(),
        new QueryLog(open.resolution(), share.queryLog(), millis),
        open.home().usage(),
        millis,
        open.clock()::next,
        () -> open.index().cardinality(null, CardinalityDay.NAMES_MAX, ReadGuard.NONE));
  }

  /** Starts the background threads. Called last, so that a failed open leaves no thread behind. */
  void start() {
    if (markers != null) {
      markers.start();
    }
    deletes.hold();
    refresh.start();
    others.start();
    for (Period period : open.periods().all()) {
      if (period.storage() instanceof Blocks(BlockTiers blocks)) {
        blocks.start();
      }
    }
    heat.start(new HeatHistory(open.home().heat(), open.clock()::next));
    usage.start();
    // Last, because deletes take labels out of the key counters and the query log.
    deletes.start();
  }

  /** Rebuilds the catalog even if it is marked as complete. */
  void rebuildCatalogAnew() {
    open.home().identity().catalogState(CatalogState.LOST, open.stamps(1));
    refresh.rebuild(now -> {});
  }

  /**
   * Reads all tables and reports damage.
   *
   * @param removes whether damaged blocks are removed; nobody else may use the dataset then
   */
  DatasetCheck check(CheckRun run, boolean removes) {
    DatasetCheck check = new DatasetCheck(open, run, removes);
    check.run();
    return check;
  }

  /**
   * Moves all samples accepted before from the journals into blocks, and waits for it.
   *
   * @param most maximum time to wait; the work continues after it
   * @return whether all of them are in blocks
   */
  boolean seal(Duration most) {
    long end = System.nanoTime() + most.toNanos();
    boolean isSealed = true;
    for (Period period : open.periods().all()) {
      if (period.storage() instanceof Blocks(BlockTiers blocks)) {
        isSealed &= blocks.seal(Duration.ofNanos(end - System.nanoTime()));
      }
    }
    return isSealed;
  }

  /** Returns metrics of the dataset for operators, by name. */
  Map<String, Double> figures() {
    Map<String, Double> figures = writer.figures();
    for (Period period : open.periods().all()) {
      if (period.storage() instanceof Blocks(BlockTiers blocks)) {
        blocks.figures().forEach((name, value) -> figures.merge(name, value, Double::sum));
      }
    }
    figures.put("catalog_series", (double) open.index().size());
    figures.put("catalog_memory_bytes", (double) open.index().bytes());
    figures.put("catalog_memory_max_bytes", (double) catalogs.max());
    figures.putAll(refresh.figures());
    figures.put("deletes_standing", (double) open.deletes().all().size());
    figures.put("catalog_changes_of_others_total", others.changesRead());
    figures.putAll(heat.figures());
    return figures;
  }

  @Override
  public void close() {
    refresh.stop();
    others.close();
    if (markers != null) {
      markers.close();
    }
    refresh.close();
    deletes.close();
    writer.close();
    if (clientTexts != null) {
      clientTexts.close();
    }
    if (seriesTexts != null) {
      seriesTexts.close();
    }
    open.periods().close();
    heat.close();
    usage.close();
    open.home().close();
  }
}
