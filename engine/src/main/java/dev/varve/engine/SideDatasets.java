package dev.varve.engine;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.layout.Layout;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.opentsdb.OpenTsdbLayout;
import dev.varve.layout.opentsdb.RollupConfig;
import dev.varve.layout.opentsdb.RollupInterval;
import dev.varve.layout.opentsdb.RollupLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The side datasets of a dataset: one for each table of roll-ups and pre-aggregates in the
 * original's configuration, with a field for each aggregator, and one for histograms. Because they
 * are separate, a query of the dataset itself never returns their samples.
 */
public final class SideDatasets {
  private static final String UIDS = "tsdb-uid";

  private SideDatasets() {}

  /** Returns the name of the dataset of roll-ups of an interval, which is not the default. */
  public static String rollups(String dataset, RollupInterval interval) {
    return dataset + "_rollup_" + interval.text();
  }

  /** Returns the name of the dataset of pre-aggregates of an interval. */
  public static String preAggregates(String dataset, RollupInterval interval) {
    return dataset + "_preagg" + (interval.raw() ? "" : "_" + interval.text());
  }

  /** Returns the name of the dataset of histograms, where they are not attributes of series. */
  public static String histograms(String dataset) {
    return dataset + "_histogram";
  }

  /** Returns whether histograms have a dataset of their own, being no attributes of series. */
  public static boolean keepsHistogramsApart(DatasetConfig dataset) {
    return !(dataset.periods().getLast().layouts().getFirst() instanceof OpenTsdbLayout);
  }

  /** Returns the declarations of these datasets. */
  public static List<DatasetConfig> of(DatasetConfig dataset) {
    List<DatasetConfig> all = new ArrayList<>();
    StorageLayout layout = dataset.periods().getLast().layouts().getFirst();
    if (dataset.rollups() != null) {
      addRollups(dataset, dataset.rollups(), layout, all);
    }
    if (dataset.histograms() != null && keepsHistogramsApart(dataset)) {
      all.add(declaration(dataset, histograms(dataset.name()), withTexts(layout), "", ""));
    }
    return all;
  }

  private static void addRollups(
      DatasetConfig dataset, RollupConfig rollups, StorageLayout layout, List<DatasetConfig> all) {
    for (RollupInterval interval : rollups.intervals()) {
      String name = preAggregates(dataset.name(), interval);
      if (layout instanceof OpenTsdbLayout original) {
        Layout rolledUp = new RollupLayout(original.parameters(), interval, rollups.aggregations());
        if (interval.raw()) {
          all.add(declaration(dataset, name, original, "tsdb", interval.preAggregates()));
        } else {
          String table = RollupLayout.TABLE;
          all.add(declaration(dataset, name, rolledUp, table, interval.preAggregates()));
          name = rollups(dataset.name(), interval);
          all.add(declaration(dataset, name, rolledUp, table, interval.table()));
        }
      } else {
        StorageLayout fields = withFields(layout);
        all.add(declaration(dataset, name, fields, "", ""));
        if (!interval.raw()) {
          all.add(declaration(dataset, rollups(dataset.name(), interval), fields, "", ""));
        }
      }
    }
  }

  /** Returns a layout that holds texts: the given one, or that of cells by default. */
  private static StorageLayout withTexts(StorageLayout layout) {
    return layout.domain().kinds().contains(Kind.STRING)
        ? layout
        : Layouts.stored(Layouts.OF_CELLS, Map.of()).getFirst();
  }

  /** Returns a layout that holds fields: the given one, or that of cells by default. */
  private static StorageLayout withFields(StorageLayout layout) {
    return layout.domain().fields()
        ? layout
        : Layouts.stored(Layouts.OF_CELLS, Map.of()).getFirst();
  }

  /**
   * Returns the declaration of one of these datasets. They are kept forever: roll-ups outlive the
   * points that they are made of.
   *
   * @param table the name of the data table in the layout
   * @param original the name of the data table in the original's store, if the dataset is attached
   */
  private static DatasetConfig declaration(
      DatasetConfig of, String name, StorageLayout layout, String table, String original) {
    Attached attached = of.attached();
    if (attached != null) {
      Map<String, String> tables = new TreeMap<>();
      tables.put(table, original);
      tables.put(UIDS, attached.tables().getOrDefault(UIDS, UIDS));
      attached = new Attached(attached.access(), tables, attached.home());
    }
    return new DatasetConfig(
        name,
        of.store(),
        List.of(new PeriodConfig(Instant.MIN, List.of(layout))),
        null,
        of.duplicates(),
        Set.of(),
        of.wholeTableScans(),
        of.refresh(),
        of.journal(),
        attached,
        null,
        null);
  }
}
