package dev.varve.engine;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.periods.Placement;
import dev.varve.layout.Layout;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.TextTable;
import dev.varve.model.Resolution;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Validates a configuration before anything is opened. */
final class ConfigCheck {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  private final List<String> problems = new ArrayList<>();

  private ConfigCheck() {}

  /** Returns one sentence per problem; empty if the configuration is valid. */
  static List<String> problems(EngineConfig config) {
    ConfigCheck check = new ConfigCheck();
    check.engine(config);
    return check.problems;
  }

  private void engine(EngineConfig config) {
    Set<String> names = new HashSet<>();
    for (DatasetConfig dataset : config.datasets()) {
      if (!names.add(dataset.name())) {
        problems.add("dataset '" + dataset.name() + "' is declared twice");
      }
      dataset(dataset);
    }
    if (!names.contains(config.defaultDataset())) {
      problems.add(
          "the default dataset '%s' is not declared; declared are: %s"
              .formatted(
                  config.defaultDataset(),
                  String.join(", ", config.datasets().stream().map(DatasetConfig::name).toList())));
    }
  }

  private void dataset(DatasetConfig dataset) {
    String name = dataset.name();
    if (!NAME.matcher(name).matches()) {
      problems.add("dataset name '" + name + "' is not 1 to 64 characters of a-z A-Z 0-9 _ -");
    }
    if (dataset.retention() != null
        && (dataset.retention().isNegative() || dataset.retention().isZero())) {
      problems.add(
          "dataset '%s': retention %s is not positive".formatted(name, dataset.retention()));
    }
    if (dataset.periods().isEmpty()) {
      problems.add("dataset '" + name + "' has no layout");
      return;
    }
    if (!dataset.periods().getFirst().from().equals(Instant.MIN)) {
      problems.add(
          "dataset '%s': the first layout starts at %s, but the first period must not have a start"
              .formatted(name, dataset.periods().getFirst().from()));
    }
    for (int i = 0; i < dataset.periods().size(); i++) {
      period(dataset, i);
    }
    positive(name, "refresh", dataset.refresh().within());
    positive(name, "rescan", dataset.refresh().rescan());
    if (dataset.attached() != null) {
      attached(dataset, dataset.attached());
    }
  }

  private void positive(String dataset, String what, Duration duration) {
    if (duration.isNegative() || duration.isZero()) {
      problems.add("dataset '%s': %s %s is not positive".formatted(dataset, what, duration));
    }
  }

  private void attached(DatasetConfig dataset, Attached attached) {
    String name = dataset.name();
    if (dataset.periods().stream().anyMatch(period -> period.layouts().size() > 1)) {
      problems.add(
          "dataset '%s' is attached to tables of another server, which does not write companions: leave them out"
              .formatted(name));
    }
    if (dataset.isReadOnly() && dataset.periods().size() > 1) {
      problems.add(
          "dataset '%s' is attached read-only, and a later period would never be written: leave it out, or attach with co-write"
              .formatted(name));
    }
    if (dataset.isReadOnly() && dataset.home().equals(dataset.store())) {
      problems.add(
          "dataset '%s' is attached read-only, so nothing is written to its store, but its home is in that store: configure another store for the home"
              .formatted(name));
    }
    if (!dataset.periods().getFirst().cells().isEmpty()) {
      tables(name, dataset.periods().getFirst().cells().getFirst(), attached);
    }
  }

  private void tables(String dataset, Layout layout, Attached attached) {
    List<String> known =
        Stream.concat(
                layout.tables().stream(),
                Stream.of(layout.texts(), layout.seriesTexts())
                    .flatMap(Optional::stream)
                    .map(TextTable::spec))
            .map(TableSpec::name)
            .toList();
    attached
        .tables()
        .forEach((table, foreign) -> {
          if (!known.contains(table)) {
            problems.add(
                "dataset '%s': layout '%s' has no table '%s'; it has: %s"
                    .formatted(dataset, layout.identity().name(), table, String.join(", ", known)));
          }
          if (!foreign.matches(TableSpec.NAME)) {
            problems.add(
                "dataset '%s': table '%s' cannot be called '%s': a name is 1 to 100 characters of a-z A-Z 0-9 _ . -"
                    .formatted(dataset, table, foreign));
          }
        });
    List<String> names = Placement.foreignNames(layout, attached);
    if (Set.copyOf(names).size() < names.size()) {
      problems.add(
          "dataset '%s': two tables of layout '%s' have one name: %s"
              .formatted(dataset, layout.identity().name(), String.join(", ", names)));
    }
  }

  private void period(DatasetConfig dataset, int index) {
    PeriodConfig period = dataset.periods().get(index);
    String name = dataset.name();
    if (index > 0 && !period.from().isAfter(dataset.periods().get(index - 1).from())) {
      problems.add(
          "dataset '%s': the period from %s does not start after the one before it"
              .formatted(name, period.from()));
    }
    if (period.layouts().isEmpty()) {
      problems.add("dataset '%s': the period from %s has no layout".formatted(name, period.from()));
      return;
    }
    Resolution resolution = period.layouts().getFirst().resolution();
    if (!dataset.periods().getFirst().layouts().isEmpty()) {
      resolution = dataset.periods().getFirst().layouts().getFirst().resolution();
    }
    try {
      time(period.from(), resolution);
    } catch (ArithmeticException e) {
      problems.add(
          "dataset '%s': the period cannot start at %s in %s: %s"
              .formatted(name, period.from(), resolution.symbol(), e.getMessage()));
    }
    blocks(dataset, period);
    for (StorageLayout layout : period.layouts()) {
      if (layout.resolution() != resolution) {
        problems.add(
            "dataset '%s': layout '%s' counts in %s, the dataset in %s"
                .formatted(
                    name,
                    layout.identity().name(),
                    layout.resolution().symbol(),
                    resolution.symbol()));
      }
      if (needsVersions(dataset) && !layout.domain().versions()) {
        problems.add(
            "dataset '%s': duplicates '%s' needs a layout that keeps all versions, '%s' keeps the last"
                .formatted(name, dataset.duplicates(), layout.identity().name()));
      }
    }
  }

  private void blocks(DatasetConfig dataset, PeriodConfig period) {
    if (period.blocks() == null) {
      return;
    }
    String name = dataset.name();
    if (period.layouts().size() > 1) {
      problems.add(
          "dataset '%s': layout 'blocks' has no companions: leave them out".formatted(name));
    }
    if (dataset.attached() != null) {
      problems.add(
          "dataset '%s': layout 'blocks' cannot be attached: no other server writes it"
              .formatted(name));
    }
  }

  /**
   * Converts an instant to the resolution of a dataset; {@link Instant#MIN} becomes {@link
   * Long#MIN_VALUE}.
   *
   * @throws ArithmeticException if the instant is not representable in the resolution or exceeds 64
   *     bits
   */
  static long time(Instant instant, Resolution resolution) {
    if (instant.equals(Instant.MIN)) {
      return Long.MIN_VALUE;
    }
    long seconds = Math.multiplyExact(instant.getEpochSecond(), resolution.perSecond());
    long nanosEach = 1_000_000_000 / resolution.perSecond();
    if (instant.getNano() % nanosEach != 0) {
      throw new ArithmeticException("not a whole number of " + resolution.symbol());
    }
    return Math.addExact(seconds, instant.getNano() / nanosEach);
  }

  private static boolean needsVersions(DatasetConfig dataset) {
    return dataset.duplicates() != DatasetConfig.Duplicates.LAST;
  }
}
