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
