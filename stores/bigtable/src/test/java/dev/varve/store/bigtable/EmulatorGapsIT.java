package dev.varve.store.bigtable;

import static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
import dev.varve.devstores.BigtableEmulator;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the emulator does otherwise than the service. When one of these fails, the emulator has
 * become better: the test goes, and with it its line in docs/stores/bigtable.md.
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
  void takesKeysQualifiersAndValuesOfAnySize() {
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
}
