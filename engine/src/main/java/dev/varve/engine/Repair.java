package dev.varve.engine;

import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.check.StoreCheck;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.store.Power;
import dev.varve.store.RowSpan;
import dev.varve.store.Store;
import dev.varve.store.StoreDamage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Repairs a data directory that no server has open: first the files of its stores, then what the
 * datasets keep of themselves, then the catalogs; at last it reads everything.
 */
final class Repair {
  private final EngineConfig config;
  private final CheckRun run;
  private final List<Path> kept = new ArrayList<>();

  /** Datasets whose catalog was lost in part. */
  private final Set<String> rebuilt = new TreeSet<>();

  private boolean sound = true;

  Repair(EngineConfig config, CheckRun run) {
    this.config = config;
    this.run = run;
  }

  Repaired run() {
    Map<Path, List<StoreDamage>> damage = Stores.repair(config, run);
    damage.forEach((folder, found) -> {
      if (!found.isEmpty()) {
        Stores.mendHomes(config, folder, found);
      }
    });
    try (Engine engine = Engine.open(config)) {
      for (Dataset dataset : engine.datasets()) {
        if (!dataset.isCatalogComplete()) {
          dataset.rebuildCatalog(now -> {});
          rebuilt.add(dataset.name());
        }
      }
      damage.forEach((folder, found) -> tell(engine, folder, found));
      for (String name : rebuilt) {
        run.found(
            new CheckFinding(
                Severity.NOTE,
                "dataset " + name,
                "the catalog has lost rows and was rebuilt from the rows of samples: series of which no row is left are listed nowhere, and times listed above are those that the lost rows can be of"));
      }
      for (Dataset dataset : engine.datasets()) {
        check(dataset);
      }
    }
    return new Repaired(run.damages(), sound, kept);
  }

  private void tell(Engine engine, Path folder, List<StoreDamage> found) {
    Store store = engine.storeIn(folder);
    List<OpenDataset> there =
        engine.datasets().stream()
            .map(Dataset::opened)
            .filter(dataset -> dataset.store().equals(store))
            .toList();
    String place = "store " + folder.getFileName();
    for (StoreDamage damage : found) {
      run.found(StoreCheck.finding(place, damage, there, rebuilt));
      String keptIn = damage.keptIn();
      if (keptIn != null && !kept.contains(Path.of(keptIn))) {
        kept.add(Path.of(keptIn));
      }
      there.forEach(dataset -> warnOfCounters(dataset, damage));
    }
  }

  /** Numbers that were given and are forgotten would be given to other names. */
  private void warnOfCounters(OpenDataset dataset, StoreDamage damage) {
    for (var period : dataset.periods().all()) {
      for (var placed : period.layouts()) {
        if (!placed.layout().needs().contains(Power.Increment.class)) {
          continue;
        }
        for (int table = 0; table < placed.layout().tables().size(); table++) {
          String name = placed.table(table).spec().name();
          boolean touched = damage.rows().stream().map(RowSpan::table).anyMatch(name::equals);
          if (touched && table != placed.layout().dataTable()) {
            sound = false;
            run.found(
                new CheckFinding(
                    Severity.DAMAGE,
                    "dataset " + dataset.name(),
                    "table '%s', which numbers names, has lost rows: a number may be given twice, and rows would then be read as another series. Restore a backup, or write into a new dataset"
                        .formatted(name)));
          }
        }
      }
    }
  }

  private void check(Dataset dataset) {
    long before = run.damages();
    boolean lacks = dataset.check(run);
    if (lacks) {
      dataset.rebuildCatalogAnew();
      run.found(
          new CheckFinding(
              Severity.NOTE, "dataset " + dataset.name(), "the catalog was rebuilt from the rows"));
    }
    // What no layout can read stays where it is.
    sound &= run.damages() - before == (lacks ? 1 : 0);
  }
}
