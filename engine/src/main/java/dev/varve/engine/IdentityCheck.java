package dev.varve.engine;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.engine.home.IdentityTable.Made;
import dev.varve.engine.home.IdentityTable.MadePeriod;
import dev.varve.engine.periods.Periods;
import dev.varve.engine.periods.Periods.Declared;
import dev.varve.engine.periods.Placement;
import dev.varve.layout.LayoutIdentity;
import dev.varve.layout.StorageLayout;
import dev.varve.model.Resolution;
import dev.varve.store.Store;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the declaration of a dataset with the one with which it was created. Existing periods
 * never change; later periods may be added until they begin.
 */
final class IdentityCheck {
  private final String dataset;
  private final Made declared;
  private final List<String> problems = new ArrayList<>();
  private final List<MadePeriod> added = new ArrayList<>();

  private IdentityCheck(String dataset, Made declared) {
    this.dataset = dataset;
    this.declared = declared;
  }

  /**
   * Compares a declaration with the home.
   *
   * @param made the dataset as recorded in the home
   * @param earliest the earliest start of an added period, in the resolution of the dataset
   * @return the periods to add
   * @throws InvalidConfigException listing all differences
   */
  static List<MadePeriod> compare(String dataset, Made made, Made declared, long earliest) {
    IdentityCheck check = new IdentityCheck(dataset, declared);
    check.compare(made, earliest);
    if (!check.problems.isEmpty()) {
      throw new InvalidConfigException(check.problems);
    }
    return check.added;
  }

  /** Returns the dataset as its declaration would create it. */
  static Made declared(
      DatasetConfig config, Resolution resolution, List<Declared> periods, Store store) {
    Attached attached = config.attached();
    return new Made(
        resolution,
        config.store().kind(),
        periods.stream()
            .map(period ->
                new MadePeriod(
                    period.from(), period.layouts().stream().map(StorageLayout::identity).toList()))
            .toList(),
        attached == null
            ? List.of()
            : Placement.foreignNames(periods.getFirst().cells().getFirst(), attached),
        attached == null || config.home().equals(config.store())
            ? ""
            : Periods.place(config, periods, store));
  }

  private void compare(Made made, long earliest) {
    if (made.resolution() != declared.resolution()) {
      differs("resolution", made.resolution().symbol(), declared.resolution().symbol());
    }
    if (!made.store().equals(declared.store())) {
      differs("store", made.store(), declared.store());
    }
    if (!made.attached().equals(declared.attached())) {
      differs("tables", tables(made), tables(declared));
    }
    if (!made.place().isEmpty()
        && !declared.place().isEmpty()
        && !made.place().equals(declared.place())) {
      problems.add(
          "dataset '%s' was attached to tables in %s, but the configuration leads to %s, which its catalog does not cover: restore the previous options of the store, or give the dataset another name, under which a catalog of the other tables is built"
              .formatted(dataset, made.place(), declared.place()));
    }
    int common = Math.min(made.periods().size(), declared.periods().size());
    for (int i = 0; i < common; i++) {
      compare(i, made.periods().get(i), declared.periods().get(i));
    }
    for (MadePeriod missing : made.periods().subList(common, made.periods().size())) {
      problems.add(
          "dataset '%s' has a period from %d on with %s, which the configuration lacks"
              .formatted(dataset, missing.from(), missing.layouts()));
    }
    for (MadePeriod later : declared.periods().subList(common, declared.periods().size())) {
      if (later.from() < earliest) {
        problems.add(
            "dataset '%s': an added period has to begin in the future, two minutes ahead if other servers share the store, because they look for it once a minute: at %d %s at the earliest, not at %d"
                .formatted(dataset, earliest, declared.resolution().symbol(), later.from()));
      }
      added.add(later);
    }
  }

  private void compare(int index, MadePeriod made, MadePeriod declaredPeriod) {
    if (made.from() != declaredPeriod.from()) {
      differs(
          "start of period " + index,
          String.valueOf(made.from()),
          String.valueOf(declaredPeriod.from()));
    }
    int layouts = Math.max(made.layouts().size(), declaredPeriod.layouts().size());
    for (int i = 0; i < layouts; i++) {
      LayoutIdentity stands = at(made.layouts(), i);
      LayoutIdentity asked = at(declaredPeriod.layouts(), i);
      if (stands == null || !stands.equals(asked)) {
        differs(
            (i == 0 ? "layout" : "companion " + i) + " of period " + index,
            String.valueOf(stands),
            String.valueOf(asked));
      }
    }
  }

  private static String tables(Made made) {
    return made.attached().isEmpty() ? "of its own" : String.join(", ", made.attached());
  }

  private static @Nullable LayoutIdentity at(List<LayoutIdentity> layouts, int index) {
    return index < layouts.size() ? layouts.get(index) : null;
  }

  private void differs(String what, String made, String asked) {
    problems.add(
        "dataset '%s' was made with %s %s, the configuration says %s; existing data can only be read as it was written: restore the previous value, or %s"
            .formatted(dataset, what, made, asked, remedy()));
  }

  /**
   * Returns the remedy for the message. For attached tables a new dataset is an option, because the
   * home holds only their catalog.
   */
  private String remedy() {
    return declared.attached().isEmpty() || declared.periods().size() > 1
        ? "begin a new period in the future"
        : "give the dataset another name, under which a catalog of these tables is built again";
  }
}
