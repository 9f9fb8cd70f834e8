package dev.varve.engine.check;

import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.store.FileCheck;
import dev.varve.store.RowSpan;
import dev.varve.store.Store;
import dev.varve.store.StoreDamage;
import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Checks all files of a store and identifies the series affected by damage. */
public final class StoreCheck implements FileCheck {
  private final String name;
  private final Store store;
  private final List<OpenDataset> datasets;
  private final CheckRun run;

  /**
   * @param name the folder of the store
   * @param datasets the datasets that may be in the store
   */
  public StoreCheck(String name, Store store, List<OpenDataset> datasets, CheckRun run) {
    this.name = name;
    this.store = store;
    this.datasets = List.copyOf(datasets);
    this.run = run;
  }

  /** Checks all files. */
  public void run() {
    try {
      store.checkFiles(this);
    } catch (StoreException e) {
      run.found(
          new CheckFinding(
              Severity.DAMAGE, place(), "its files cannot be checked: " + e.getMessage()));
    }
  }

  private String place() {
    return "store " + name;
  }

  @Override
  public void reading(String file, long bytes) {
    run.doing("store %s, file %s".formatted(name, file));
    run.spend(bytes);
  }

  @Override
  public void damaged(StoreDamage damage) {
    run.found(finding(place(), damage, datasets, Set.of()));
  }

  /**
   * Returns the finding for a damaged file, with the affected series of the given datasets.
   *
   * @param rebuilt names of datasets whose catalog was rebuilt from the remaining rows
   */
  public static CheckFinding finding(
      String place, StoreDamage damage, List<OpenDataset> datasets, Set<String> rebuilt) {
    List<AffectedSeries> affected = new ArrayList<>();
    long count = 0;
    for (OpenDataset dataset : datasets) {
      SpanSeries series = new SpanSeries(dataset, rebuilt.contains(dataset.name()));
      for (RowSpan span : damage.rows()) {
        series.add(span);
      }
      affected.addAll(series.listed());
      count += series.count();
    }
    return new CheckFinding(Severity.DAMAGE, place, damage.description(), affected, count);
  }
}
