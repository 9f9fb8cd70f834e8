package dev.varve.store.bigtable;

import static com.google.cloud.bigtable.admin.v2.models.GCRules.GCRULES;
import static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.admin.v2.models.GCRules;
import com.google.cloud.bigtable.admin.v2.models.ModifyColumnFamiliesRequest;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
import dev.varve.devstores.BigtableEmulator;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Differences between the emulator and the service. If one of these tests fails, the emulator has
 * improved: remove the test and its line in docs/stores/bigtable.md.
 */
class EmulatorGapsIT {
  private static final TableId TABLE = TableId.of("gaps");
  private static final ByteString VALUE = ByteString.copyFromUtf8("v");

  @TempDir private static Path directory;
  private static BigtableEmulator emulator;
  private static Clients clients;

  @BeforeAll
  static void start() {
    emulator = BigtableEmulator.start(directory);
    clients = Clients.open(BigtableOptions.parse(emulator.options()));
    clients.admin().createTable(CreateTableRequest.of("gaps").addFamily("a").addFamily("z"));
  }

  @AfterAll
  static void stop() {
    clients.close();
    emulator.close();
  }

  private static BigtableDataClient data() {
    return clients.data();
  }

  @Test
  void takesKeysAndQualifiersBeyondTheLimits() {
    ByteString key = ByteString.copyFrom(new byte[4097]);
    ByteString qualifier = ByteString.copyFrom(new byte[16_385]);
    data().mutateRow(RowMutation.create(TABLE, key).setCell("a", qualifier, 0, VALUE));
    assertThat(data().readRow(TABLE, key).getCells()).hasSize(1);
  }

  @Test
  void appliesTheGoodEditsOfAMutationWithABadFamily() {
    RowMutation mutation =
        RowMutation.create(TABLE, "half")
            .setCell("a", VALUE, 0, VALUE)
            .setCell("absent", VALUE, 0, VALUE);
    ApiException refusal =
        catchThrowableOfType(ApiException.class, () -> data().mutateRow(mutation));
    assertThat(refusal.getStatusCode().getCode())
        .isNotIn(Code.NOT_FOUND, Code.INVALID_ARGUMENT, Code.FAILED_PRECONDITION);
    assertThat(data().readRow(TABLE, "half").getCells("a")).hasSize(1);
  }

  @Test
  void ignoresTheSink() {
    data().mutateRow(RowMutation.create(TABLE, "sink").setCell("a", VALUE, 0, VALUE));
    Row row =
        data()
            .readRow(TABLE, "sink", FILTERS.chain().filter(FILTERS.sink()).filter(FILTERS.block()));
    assertThat(row).as("what the service would return past the block").isNull();
  }

  @Test
  void returnsFamiliesInAnyOrder() {
    Set<String> first = new TreeSet<>();
    for (int i = 0; i < 200; i++) {
      data()
          .mutateRow(
              RowMutation.create(TABLE, "order" + i)
                  .setCell("a", VALUE, 0, VALUE)
                  .setCell("z", VALUE, 0, VALUE));
    }
    Query firstCells = Query.create(TABLE).prefix("order").filter(FILTERS.limit().cellsPerRow(1));
    for (Row row : data().readRows(firstCells)) {
      first.add(row.getCells().getFirst().getFamily());
    }
    assertThat(first).containsExactly("a", "z");
  }

  /**
   * Both families have cells of the year 1970, so both rules apply to all but the newest. The
   * emulator starts to collect when families are altered.
   */
  @Test
  void collectsNothingByAnIntersectionOfRules() {
    GCRules.GCRule oneVersion = GCRULES.maxVersions(1);
    GCRules.GCRule both =
        GCRULES.intersection().rule(oneVersion).rule(GCRULES.maxAge(1, TimeUnit.MINUTES));
    clients
        .admin()
        .modifyFamilies(
            ModifyColumnFamiliesRequest.of("gaps")
                .addFamily("one", oneVersion)
                .addFamily("old", both));
    RowMutation mutation = RowMutation.create(TABLE, "collected");
    for (long micros = 1000; micros <= 3000; micros += 1000) {
      mutation.setCell("one", VALUE, micros, VALUE).setCell("old", VALUE, micros, VALUE);
    }
    data().mutateRow(mutation);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> data().readRow(TABLE, "collected").getCells("one").size() == 1);
    assertThat(data().readRow(TABLE, "collected").getCells("old")).hasSize(3);
  }

  /** Needs an emulator of its own, because it crashes. */
  @Test
  void endsWhenChangesAreReadAndForgetsEverything(@TempDir Path own) {
    try (BigtableEmulator other = BigtableEmulator.start(own)) {
      Map<String, String> hasty = new HashMap<>(other.options());
      hasty.putAll(Map.of("timeout", "5s", "retries", "0"));
      try (Clients reader = Clients.open(BigtableOptions.parse(hasty))) {
        reader.admin().createTable(CreateTableRequest.of("changes").addFamily("a"));
        assertThatThrownBy(() ->
                reader
                    .data()
                    .generateInitialChangeStreamPartitions("changes")
                    .forEach(partition -> {}))
            .isInstanceOf(ApiException.class);
        await().atMost(Duration.ofSeconds(30)).until(() -> !other.isAlive());
      }
      other.restart();
      try (Clients reader = Clients.open(BigtableOptions.parse(other.options()))) {
        assertThat(reader.admin().listTables()).isEmpty();
      }
    }
  }
}
