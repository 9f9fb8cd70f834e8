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

/**
 * Builds requests for new tables: their families with garbage collection rules, and their splits.
 */
final class Creation {
  /** Allowance for clock skew between writers and Bigtable, so that no cell expires early. */
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
   * Returns the garbage collection rule of a family. Age applies only if cell times are write
   * times: with data times, a cell may be written long after its time.
   */
  static GCRule rule(FamilySpec family, @Nullable Duration retention) {
    return ofAge(family, age(family, retention));
  }

  /**
   * Returns the minimum age, in seconds, at which cells may be collected; {@link #FOREVER} if age
   * does not apply.
   */
  static long age(FamilySpec family, @Nullable Duration retention) {
    return retention == null || family.time() != TimeUse.CLOCK
        ? FOREVER
        : retention.plus(CLOCK_MARGIN).toSeconds();
  }

  /**
   * Returns the age in a rule of an existing table, in seconds; null if the rule is not one that is
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

  /** Returns the rule of a family for an age in seconds. */
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

  /** Formats a rule in the syntax of the {@code cbt} command. */
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
