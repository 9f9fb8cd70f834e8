package dev.varve.store.bigtable;

import static com.google.cloud.bigtable.admin.v2.models.GCRules.GCRULES;

import com.google.bigtable.admin.v2.GcRule;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.admin.v2.models.GCRules.GCRule;
import dev.varve.model.Bytes;
import dev.varve.store.FamilySpec;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How a new table is made: its families with what Bigtable may collect of them, and its splits. */
final class Creation {
  /** Clocks of those who write and of Bigtable may differ; nothing goes before its time. */
  private static final Duration CLOCK_MARGIN = Duration.ofDays(1);

  /** An age that no cell reaches. */
  static final long FOREVER = Long.MAX_VALUE;

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
    return ofAge(family, age(family, retention));
  }

  /** How old cells become at least; {@link #FOREVER} where age does not count. */
  static long age(FamilySpec family, @Nullable Duration retention) {
    return retention == null || family.time() != TimeUse.CLOCK
        ? FOREVER
        : retention.plus(CLOCK_MARGIN).toSeconds();
  }

  /**
   * The age in a rule that Bigtable has, in seconds; null where the rule is none of those that are
   * made here.
   */
  static @Nullable Long age(FamilySpec family, GcRule found) {
    LongStream ages =
        Stream.concat(Stream.of(found), found.getUnion().getRulesList().stream())
            .filter(GcRule::hasMaxAge)
            .mapToLong(rule -> rule.getMaxAge().getSeconds());
    long age = ages.findFirst().orElse(FOREVER);
    return ofAge(family, age).toProto().equals(found) ? (Long) age : null;
  }

  /** The rule of a family, by an age in seconds. */
  static GCRule ofAge(FamilySpec family, long seconds) {
    GCRule versions =
        family.maxVersions() == FamilySpec.ALL_VERSIONS
            ? null
            : GCRULES.maxVersions(family.maxVersions());
    GCRule age = seconds == FOREVER ? null : GCRULES.maxAge(seconds, TimeUnit.SECONDS);
    if (versions == null || age == null) {
      return versions != null ? versions : age != null ? age : GCRULES.defaultRule();
    }
    return GCRULES.union().rule(versions).rule(age);
  }

  /** A rule in the words of the program {@code cbt}. */
  static String inWords(FamilySpec family, long seconds) {
    String versions =
        family.maxVersions() == FamilySpec.ALL_VERSIONS
            ? ""
            : "maxversions=" + family.maxVersions();
    String age = seconds == FOREVER ? "" : "maxage=" + seconds + "s";
    return versions.isEmpty() && age.isEmpty()
        ? "never"
        : versions + (versions.isEmpty() || age.isEmpty() ? "" : " or ") + age;
  }
}
