package dev.varve.cli.config;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Access;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.DatasetConfig.Refresh;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.JournalConfig;
import dev.varve.layout.RefusedException;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.opentsdb.RollupConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigReader;
import dev.varve.server.opentsdb.rollup.RollupFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The section of one dataset.
 *
 * @param folder of the configuration, against which relative paths are resolved
 */
record DatasetSection(ConfigReader reader, String name, Path folder) {
  /** Reads the section and reports its problems to the reader; null if no layout can be read. */
  @Nullable DatasetConfig read() {
    List<DatasetConfig.PeriodConfig> periods = periods();
    // Everything is read even after an error, so that no known key is reported as unknown.
    ConfigReader store = reader.below("store");
    StoreConfig stored =
        new StoreConfig(store.text("kind", "rocksdb"), store.texts("options", "store options"));
    Duration retention = reader.duration("retention");
    String duplicates = reader.choice("duplicates", List.of("last", "first", "max", "min"), "last");
    Set<String> resources = Set.copyOf(reader.texts("resources"));
    String scans = reader.choice("scans", List.of("refuse", "allow"), "refuse");
    Refresh refresh = refresh();
    JournalConfig journal = journal();
    Attached attached = attached();
    RollupConfig rollups = rollups();
    int histograms = reader.integer("histograms", 0, 255, -1);
    store.refuseUnknown();
    reader.refuseUnknown();
    return periods.isEmpty()
        ? null
        : new DatasetConfig(
            name,
            stored,
            periods,
            retention,
            DatasetConfig.Duplicates.valueOf(duplicates.toUpperCase(Locale.ROOT)),
            resources,
            scans.equals("allow"),
            refresh,
            journal,
            attached,
            rollups,
            histograms < 0 ? null : histograms);
  }

  /** Reads the file of OpenTSDB's roll-ups; null if there is none. */
  private @Nullable RollupConfig rollups() {
    Path file = reader.path("rollups", folder);
    if (file == null) {
      return null;
    }
    try {
      return RollupFile.read(Files.readString(file), file.getFileName().toString());
    } catch (ConfigException e) {
      e.problems().forEach(problem -> reader.problem("rollups", problem));
    } catch (IOException e) {
      reader.problem("rollups", "cannot read '" + file + "'");
    }
    return null;
  }

  private JournalConfig journal() {
    JournalConfig usual = JournalConfig.DEFAULTS;
    String sync = reader.choice("journal", List.of("fsync", "os", "async"), "fsync");
    long bytes = reader.size("journal-size", usual.maxBytes());
    if (bytes < JournalConfig.BYTES_MIN) {
      reader.problem("journal-size", "is less than 1MB");
    }
    return new JournalConfig(JournalConfig.Sync.valueOf(sync.toUpperCase(Locale.ROOT)), bytes);
  }

  private Refresh refresh() {
    Duration within = reader.duration("refresh");
    Duration rescan = reader.duration("rescan");
    Duration believed = reader.duration("believed");
    return new Refresh(
        within == null ? Refresh.DEFAULTS.within() : within,
        rescan == null ? Refresh.DEFAULTS.rescan() : rescan,
        believed == null ? Refresh.DEFAULTS.believed() : believed,
        reader.integer("rescan-rows", 0, Integer.MAX_VALUE, Refresh.DEFAULTS.rowsPerSecond()));
  }

  /** Reads the keys for tables of another server; null if there are none. */
  private @Nullable Attached attached() {
    String access = reader.choice("attach", List.of("no", "read-only", "co-write"), "no");
    Map<String, String> tables = reader.texts("tables", "foreign tables");
    ConfigReader home = reader.below("home");
    StoreConfig store =
        new StoreConfig(home.text("kind", "rocksdb"), home.texts("options", "store options"));
    home.refuseUnknown();
    boolean runsTasks =
        reader.choice("rollup-tasks", List.of("leave", "run"), "leave").equals("run");
    if (runsTasks && access.equals("read-only")) {
      reader.problem(
          "rollup-tasks", "is 'run', but tasks write what they compute, and need attach: co-write");
    }
    if (!access.equals("no")) {
      return new Attached(
          access.equals("co-write") ? Access.CO_WRITE : Access.READ_ONLY,
          tables,
          reader.has("home") ? store : null,
          runsTasks);
    }
    for (String key : List.of("tables", "home", "rollup-tasks")) {
      if (reader.has(key)) {
        reader.problem(
            key,
            "is said of tables that another server has made, and needs attach: read-only or co-write");
      }
    }
    return null;
  }

  private List<DatasetConfig.PeriodConfig> periods() {
    List<DatasetConfig.PeriodConfig> periods = new ArrayList<>();
    List<StorageLayout> first = layouts(reader);
    if (!first.isEmpty()) {
      periods.add(new DatasetConfig.PeriodConfig(Instant.MIN, first, !reader.has("layout")));
    }
    for (ConfigReader item : reader.list("periods")) {
      List<StorageLayout> layouts = layouts(item);
      Instant from = from(item);
      if (!layouts.isEmpty() && from != null) {
        periods.add(new DatasetConfig.PeriodConfig(from, layouts, !item.has("layout")));
      }
      item.refuseUnknown();
    }
    return periods;
  }

  private static @Nullable Instant from(ConfigReader item) {
    String text = item.text("from");
    if (text == null) {
      item.problem("from", "is missing (an instant such as 2027-01-01T00:00:00Z)");
      return null;
    }
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      item.problem("from", "'" + text + "' is not an instant such as 2027-01-01T00:00:00Z");
      return null;
    }
  }

  /** Reads the primary layout and its companions; without a layout, the default applies. */
  private List<StorageLayout> layouts(ConfigReader item) {
    List<StorageLayout> layouts = new ArrayList<>();
    add(
        item,
        "layout",
        item.text("layout", defaultLayout(item)),
        item.texts("parameters", "layout parameters"),
        layouts);
    for (String companion : item.texts("companions")) {
      add(item, "companions", companion, Map.of(), layouts);
    }
    return layouts;
  }

  /**
   * Returns the layout of a period that names none: blocks, unless the store or what else is
   * declared needs cells.
   */
  private String defaultLayout(ConfigReader item) {
    String kind = reader.below("store").text("kind", "rocksdb");
    boolean needsCells =
        !Set.of("rocksdb", "memory").contains(kind)
            || reader.has("attach")
            || !item.texts("companions").isEmpty()
            || !BlockLayout.knows(item.texts("parameters", "layout parameters").keySet());
    return needsCells ? Layouts.OF_CELLS : Layouts.DEFAULT;
  }

  private void add(
      ConfigReader item,
      String key,
      String layout,
      Map<String, String> parameters,
      List<StorageLayout> into) {
    try {
      boolean isFile = layout.endsWith(".yaml") || layout.endsWith(".yml");
      into.addAll(
          Layouts.stored(isFile ? Files.readString(folder.resolve(layout)) : layout, parameters));
    } catch (RefusedException | IllegalArgumentException e) {
      item.problem(key, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      item.problem(key, "cannot read '" + folder.resolve(layout) + "'");
    }
  }
}
