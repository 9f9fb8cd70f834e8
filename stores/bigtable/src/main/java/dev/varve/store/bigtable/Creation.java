package dev.varve.store.bigtable;

import static com.google.cloud.bigtable.admin.v2.models.GCRules.GCRULES;

import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.admin.v2.models.GCRules.GCRule;
import dev.varve.model.Bytes;
import dev.varve.store.FamilySpec;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How a new table is made: its families with what Bigtable may collect of them, and its splits. */
final class Creation {
  /** Clocks of those who write and of Bigtable may differ; nothing goes before its time. */
  private static final Duration CLOCK_MARGIN = Duration.ofDays(1);

  private Creation() {}

  static CreateTableRequest request(TableSpec spec, String id) {
    CreateTableRequest request = CreateTableRequest.of(id);
    for (FamilySpec family : spec.families()) {
      request.addFamily(family.name(), rule(family, spec.upkeep().retention()));
    }
    for (Bytes split : spec.upkeep().splits()) {
      request.addSplit(SegmentRequests.bytes(split));
    }
    return request;
  }

  /**
   * What Bigtable may collect. Age counts only where cell times are those of the writing: where
   * they are data, a cell may be written long after its time.
   */
  static GCRule rule(FamilySpec family, @Nullable Duration retention) {
    GCRule versions =
        family.maxVersions() == FamilySpec.ALL_VERSIONS
            ? null
            : GCRULES.maxVersions(family.maxVersions());
    GCRule age =
        retention == null || family.time() != TimeUse.CLOCK
            ? null
            : GCRULES.maxAge(retention.plus(CLOCK_MARGIN).toSeconds(), TimeUnit.SECONDS);
    if (versions == null || age == null) {
      return versions != null ? versions : age != null ? age : GCRULES.defaultRule();
    }
    return GCRULES.union().rule(versions).rule(age);
  }
}
