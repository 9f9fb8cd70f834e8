package dev.varve.engine;

import dev.varve.engine.DatasetConfig.Attached;
import dev.varve.engine.DatasetConfig.PeriodConfig;
import dev.varve.layout.Layout;
import dev.varve.layout.Layouts;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.opentsdb.OpenTsdbLayout;
import dev.varve.layout.opentsdb.RollupConfig;
import dev.varve.layout.opentsdb.RollupInterval;
import dev.varve.layout.opentsdb.RollupLayout;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The datasets in which the roll-ups and pre-aggregates of a dataset are: one for each table of the
 * original's configuration. They hold the series of the dataset with a field for each aggregator,
 * so a query of the dataset itself never meets them.
 */
public final class RollupDatasets {
  private static final String UIDS = "tsdb-uid";

  private RollupDatasets() {}

  /** Returns the name of the dataset of roll-ups of an interval, which is not the default. */
  public static String rollups(String dataset, RollupInterval interval) {
    return dataset + "_rollup_" + interval.text();
  }

  /** Returns the name of the dataset of pre-aggregates of an interval. */
  public static String preAggregates(String dataset, RollupInterval interval) {
    return dataset + "_preagg" + (interval.raw() ? "" : "_" + interval.text());
  }

  /** Returns the declarations of these datasets; none if the dataset has no roll-ups. */
  public static List<DatasetConfig> of(DatasetConfig dataset) {
    RollupConfig rollups = dataset.rollups();
    List<DatasetConfig> all = new ArrayList<>();
    if (rollups == null) {
      return all;
    }
    List<StorageLayout> layouts = dataset.periods().getLast().layouts();
    for (RollupInterval interval : rollups.intervals()) {
      String name = preAggregates(dataset.name(), interval);
      if (layouts.getFirst() instanceof OpenTsdbLayout original) {
        Layout rolledUp =
            new RollupLayout(original.parameters(), interval, rollups.aggregations());
        if (interval.raw()) {
          all.add(declaration(dataset, name, original, "tsdb", interval.preAggregates()));
        } else {
          String table = RollupLayout.TABLE;
          all.add(declaration(dataset, name, rolledUp, table, interval.preAggregates()));
          name = rollups(dataset.name(), interval);
          all.add(declaration(dataset, name, rolledUp, table, interval.table()));
        }
      } else {
        StorageLayout layout = withFields(layouts.getFirst());
        all.add(declaration(dataset, name, layout, "", ""));
        if (!interval.raw()) {
          all.add(declaration(dataset, rollups(dataset.name(), interval), layout, "", ""));
        }
      }
    }
    return all;
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
        null);
  }
}
