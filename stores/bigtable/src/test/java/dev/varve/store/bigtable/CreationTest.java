package dev.varve.store.bigtable;

import static com.google.cloud.bigtable.admin.v2.models.GCRules.GCRULES;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import dev.varve.store.Upkeep;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CreationTest {
  @Test
  void readsTheAgeOfItsOwnRulesOnly() {
    FamilySpec latest = FamilySpec.latest("clock");
    FamilySpec all = new FamilySpec("all", TimeUse.CLOCK, FamilySpec.ALL_VERSIONS);
    for (FamilySpec family : List.of(latest, all)) {
      assertThat(Creation.age(family, Creation.rule(family, Duration.ofDays(30)).toProto()))
          .isEqualTo(31 * 86_400L);
      assertThat(Creation.age(family, Creation.rule(family, null).toProto()))
          .isEqualTo(Creation.FOREVER);
    }
    assertThat(Creation.age(latest, GCRULES.maxVersions(2).toProto())).isNull();
    assertThat(Creation.age(all, GCRULES.maxVersions(1).toProto())).isNull();
    assertThat(Creation.inWords(latest, 60)).isEqualTo("maxversions=1 or maxage=60s");
    assertThat(Creation.inWords(all, 60)).isEqualTo("maxage=60s");
    assertThat(Creation.inWords(latest, Creation.FOREVER)).isEqualTo("maxversions=1");
  }

  @Test
  void ageCountsOnlyWhereCellTimesAreThoseOfTheWriting() {
    TableSpec spec =
        new TableSpec(
                "t",
                List.of(
                    FamilySpec.latest("clock"),
                    new FamilySpec("all", TimeUse.CLOCK, FamilySpec.ALL_VERSIONS),
                    new FamilySpec("data", TimeUse.DATA, 3),
                    new FamilySpec("ever", TimeUse.DATA, FamilySpec.ALL_VERSIONS)),
                Resolution.MILLISECONDS,
                Partitioning.NONE)
            .with(new Upkeep(Duration.ofDays(30), null, List.of(Bytes.utf8("m"))));
    CreateTableRequest expected =
        CreateTableRequest.of("varve-t")
            .addFamily(
                "clock",
                GCRULES
                    .union()
                    .rule(GCRULES.maxVersions(1))
                    .rule(GCRULES.maxAge(31, TimeUnit.DAYS)))
            .addFamily("all", GCRULES.maxAge(31, TimeUnit.DAYS))
            .addFamily("data", GCRULES.maxVersions(3))
            .addFamily("ever", GCRULES.defaultRule())
            .addSplit(SegmentRequests.bytes(Bytes.utf8("m")));
    assertThat(Creation.request(spec, "varve-t").toProto("p", "i"))
        .isEqualTo(expected.toProto("p", "i"));
  }
}
