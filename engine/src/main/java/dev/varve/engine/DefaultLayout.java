package dev.varve.engine;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.IdentityTable;
import dev.varve.engine.home.IdentityTable.MadePeriod;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Resolution;
import dev.varve.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keeps the layout of datasets that were created while another layout was the default. */
final class DefaultLayout {
  private DefaultLayout() {}

  /**
   * Returns a declaration in which periods without a named layout have the one that the home holds,
   * if that was a default once.
   *
   * @param home the store of the home, which may not have it yet
   */
  static DatasetConfig resolve(DatasetConfig config, Store home) {
    boolean asked = config.periods().stream().anyMatch(PeriodConfig::byDefault);
    if (!asked || !Home.isIn(home, config.name())) {
      return config;
    }
    IdentityTable.@Nullable Made made = Home.made(home, config.name());
    if (made == null) {
      return config;
    }
    List<PeriodConfig> periods = new ArrayList<>(config.periods());
    for (int i = 0; i < Math.min(periods.size(), made.periods().size()); i++) {
      PeriodConfig period = periods.get(i);
      StorageLayout former =
          period.byDefault() ? former(made.periods().get(i), made.resolution()) : null;
      if (former != null) {
        periods.set(i, new PeriodConfig(period.from(), List.of(former)));
      }
    }
    return config.withPeriods(periods);
  }

  /**
   * Returns the layout of a period if it was the default before blocks were, or null if it was not.
   */
  private static @Nullable StorageLayout former(MadePeriod period, Resolution resolution) {
    StorageLayout former = Layouts.of(Layouts.OF_CELLS, Map.of("resolution", resolution.symbol()));
    return period.layouts().equals(List.of(former.identity())) ? former : null;
  }
}
