package dev.varve.engine;

import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.check.DatasetCheck;
import dev.varve.engine.check.StoreCheck;
import dev.varve.engine.config.EngineConfig;
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
 * Repairs a data directory that no server has open: first the files of its stores, then the homes
 * of its datasets, then their journals and catalogs. Finally checks all data and removes damaged
 * blocks.
 */
final class Repair {
  private final EngineConfig config;
  private final CheckRun run;
  private final List<Path> kept = new ArrayList<>();

  /** Datasets whose catalog was incomplete. */
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
    try (Engine engine = Engine.repairing(config, run::found)) {
      for (Dataset dataset : engine.datasets()) {
        if (!dataset.isCatalogComplete()) {
          dataset.maintenance().rebuildCatalog(now -> {});
          rebuilt.add(dataset.name());
        }
      }
      damage.forEach((folder, found) -> tell(engine, folder, found));
      for (String name : rebuilt) {
        run.found(
            new CheckFinding(
                Severity.NOTE,
                "dataset " + name,
                "the catalog has lost rows and was rebuilt from the rows of samples: series without remaining rows are listed nowhere, and times listed above include all times that lost rows can have"));
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
            .map(dataset -> dataset.parts().open())
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

  /**
   * Warns if damage may have lost assigned numbers, which would then be assigned to other names.
   */
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
                    "table '%s', which assigns numbers to names, has lost rows: a number may be assigned twice, and rows would then be read as another series. Restore a backup, or write to a new dataset"
                        .formatted(name)));
          }
        }
      }
    }
  }

  private void check(Dataset dataset) {
    DatasetCheck check = dataset.parts().check(run, true);
    if (check.catalogLacks()) {
      dataset.parts().rebuildCatalogAnew();
      run.found(
          new CheckFinding(
              Severity.NOTE, "dataset " + dataset.name(), "the catalog was rebuilt from the rows"));
    }
    // Cells that no layout can decode are left in place.
    sound &= !check.leavesDamage();
  }
}
