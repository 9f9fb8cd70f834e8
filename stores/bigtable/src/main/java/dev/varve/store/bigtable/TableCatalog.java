package dev.varve.store.bigtable;

import static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;

import com.google.api.gax.rpc.ApiException;
import com.google.cloud.bigtable.admin.v2.BigtableTableAdminClient;
import com.google.cloud.bigtable.admin.v2.models.ColumnFamily;
import com.google.cloud.bigtable.admin.v2.models.CreateTableRequest;
import com.google.cloud.bigtable.admin.v2.models.GCRules;
import com.google.cloud.bigtable.data.v2.BigtableDataClient;
import com.google.cloud.bigtable.data.v2.models.ConditionalRowMutation;
import com.google.cloud.bigtable.data.v2.models.Filters.Filter;
import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.RowCell;
import com.google.cloud.bigtable.data.v2.models.RowMutation;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
import dev.varve.store.FamilySpec;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The catalog of the store's own tables. It has one row per table, in a table of Bigtable whose
 * name is the store's prefix followed by {@value #NAME}. Bigtable itself keeps only the name and
 * the garbage collection rule of a family. A table exists once its row does.
 */
final class TableCatalog {
  static final String NAME = ".varve";

  private static final String FAMILY = "t";
  private static final ByteString SPEC = ByteString.copyFromUtf8("spec");

  /**
   * The column that marks a row while its table is being dropped, so that an interrupted drop can
   * be completed. Its value identifies the drop: before each step, a process checks that the drop
   * is still its own.
   */
  private static final ByteString DROPPING = ByteString.copyFromUtf8("dropping");

  private static final long ONLY_VERSION = 0;
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** The maximum clock skew between two processes. */
  private static final Duration CLOCK_MARGIN = Duration.ofMinutes(1);

  private final Duration timeout;

  private final Clients clients;
  private final BigtableDataClient data;
  private final BigtableTableAdminClient admin;
  private final BigtableOptions options;
  private final TableId catalog;

  TableCatalog(Clients clients, BigtableOptions options) {
    this(clients, options, options.timeout().plusSeconds(5));
  }

  /**
   * Creates a catalog.
   *
   * @param timeout how long a drop may make no progress before another process takes it over;
   *     longer than a call may take
   */
  TableCatalog(Clients clients, BigtableOptions options, Duration timeout) {
    this.timeout = timeout;
    this.clients = clients;
    this.data = clients.data();
    this.admin = clients.admin();
    this.options = options;
    this.catalog = TableId.of(options.prefix() + NAME);
  }

  /** Returns the definition of a table; null if there is none. */
  @Nullable TableSpec find(String name) {
    Row row = read(name);
    return row == null || isDropping(row) ? null : TableEntry.parse(name, text(row));
  }

  List<String> names() {
    List<String> names = new ArrayList<>();
    try {
      for (Row row : data.readRows(Query.create(catalog))) {
        if (!isDropping(row)) {
          names.add(row.getKey().toStringUtf8());
        }
      }
    } catch (ApiException e) {
      FailedCall failed = clients.failed(e);
      if (!failed.isNotFound()) {
        throw failed.toStoreException("listing the tables");
      }
    }
    return names;
  }

  private @Nullable Row read(String name) {
    try {
      return data.readRow(catalog, name);
    } catch (ApiException e) {
      FailedCall failed = clients.failed(e);
      if (failed.isNotFound()) {
        return null;
      }
      throw failed.toStoreException("looking up table '%s'".formatted(name));
    }
  }

  private static boolean isDropping(Row row) {
    return !row.getCells(FAMILY, DROPPING).isEmpty();
  }

  private static String text(Row row) {
    List<RowCell> cells = row.getCells(FAMILY, SPEC);
    return cells.isEmpty() ? "" : cells.getFirst().getValue().toStringUtf8();
  }

  /** Creates a table, unless another process is faster; returns the definition that prevailed. */
  TableSpec create(TableSpec spec) {
    String name = spec.name();
    awaitDrop(name);
    orAlreadyThere(
        "making the catalog of tables",
        () -> {
          CreateTableRequest request =
              CreateTableRequest.of(options.prefix() + NAME)
                  .addFamily(FAMILY, GCRules.GCRULES.maxVersions(1));
          admin.createTable(request);
        });
    orAlreadyThere(
        "making table '%s'".formatted(name),
        () -> admin.createTable(Creation.request(spec, id(name))));
    ensureFamilies(spec);
    Mutation entry =
        Mutation.create()
            .setCell(FAMILY, SPEC, ONLY_VERSION, ByteString.copyFromUtf8(TableEntry.toText(spec)));
    call(
        "making table '%s'".formatted(name),
        () -> {
          if (options.transactions()) {
            return data.checkAndMutateRow(
                ConditionalRowMutation.create(catalog, name)
                    .condition(column(SPEC))
                    .otherwise(entry));
          }
          data.mutateRow(RowMutation.create(catalog, name, entry));
          return true;
        });
    TableSpec made = find(name);
    if (made == null) {
      throw new StoreException("table '%s' was dropped while it was created".formatted(name));
    }
    return made;
  }

  private String id(String name) {
    return TableMapping.id(name, options.prefix());
  }

  private static Filter column(ByteString qualifier) {
    return FILTERS
        .chain()
        .filter(FILTERS.family().exactMatch(FAMILY))
        .filter(FILTERS.qualifier().exactMatch(qualifier));
  }

  /** If its creation was interrupted, a table may exist without its row; it is then used. */
  private void ensureFamilies(TableSpec spec) {
    Set<String> wanted =
        spec.families().stream()
            .map(FamilySpec::name)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> found = new TreeSet<>(families(id(spec.name()), spec.name()));
    if (!found.equals(wanted)) {
      throw new StoreException(
          "Bigtable has a table '%s' that this store did not make: it has the families %s instead of %s"
              .formatted(id(spec.name()), found, wanted));
    }
  }

  /**
   * Returns the families of a table of Bigtable.
   *
   * @throws StoreException if there is no such table
   */
  Set<String> families(String id, String name) {
    try {
      return admin.getTable(id).getColumnFamilies().stream()
          .map(ColumnFamily::getId)
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (ApiException e) {
      FailedCall failed = clients.failed(e);
      throw failed.isNotFound()
          ? new StoreException(
              "the bigtable store %s has no table '%s'".formatted(options.place(), name), e)
          : failed.toStoreException("looking at table '%s'".formatted(name));
    }
  }

  /** Returns whether Bigtable has a table, whichever program created it. */
  boolean isThere(String id) {
    return call("looking for table '%s'".formatted(id), () -> admin.exists(id));
  }

  /** Deletes a table and its row; does nothing if there is none. */
  void drop(String name) {
    ByteString token = claimDrop(name);
    if (token != null) {
      finishDrop(name, token);
    }
    awaitDrop(name);
  }

  /** Begins a drop; null if there is no table, or another process is dropping it. */
  @Nullable ByteString claimDrop(String name) {
    Row row = read(name);
    if (row == null || isDropping(row)) {
      return null;
    }
    ByteString token = newToken();
    // If there is a drop, its cell is the first of the row.
    Filter noDrop =
        FILTERS
            .chain()
            .filter(FILTERS.limit().cellsPerRow(1))
            .filter(FILTERS.qualifier().exactMatch(SPEC));
    return changeIf(name, noDrop, dropping(token)) ? token : null;
  }

  /** Returns a random token, unique to a drop, with its creation time. */
  private static ByteString newToken() {
    return ByteString.copyFromUtf8(UUID.randomUUID() + " " + System.currentTimeMillis());
  }

  private static Mutation dropping(ByteString token) {
    return Mutation.create().setCell(FAMILY, DROPPING, ONLY_VERSION, token);
  }

  private static Filter isOf(ByteString token) {
    return FILTERS
        .chain()
        .filter(column(DROPPING))
        .filter(
            FILTERS
                .value()
                .range()
                .startClosed(token)
                .endOpen(token.concat(ByteString.copyFrom(new byte[1]))));
  }

  /** Changes the row of a table conditionally; returns whether the condition held. */
  private boolean changeIf(String name, Filter condition, Mutation change) {
    return call(
        "dropping table '%s'".formatted(name),
        () -> {
          if (options.transactions()) {
            return data.checkAndMutateRow(
                ConditionalRowMutation.create(catalog, name).condition(condition).then(change));
          }
          if (data.readRow(catalog, name, condition) == null) {
            return false;
          }
          data.mutateRow(RowMutation.create(catalog, name, change));
          return true;
        });
  }

  /**
   * Completes a drop, unless another process has taken it over. That process may have completed it,
   * and a new table of the same name may exist.
   */
  void finishDrop(String name, ByteString token) {
    ByteString fresh = newToken();
    if (!changeIf(name, isOf(token), dropping(fresh))) {
      return;
    }
    call(
        "dropping table '%s'".formatted(name),
        () -> {
          try {
            admin.deleteTable(id(name));
          } catch (ApiException e) {
            if (!clients.failed(e).isNotFound()) {
              throw e;
            }
          }
          return name;
        });
    changeIf(name, isOf(fresh), Mutation.create().deleteRow());
  }

  /**
   * Waits for a drop in progress, and completes it if its process seems to have died: it made no
   * progress for longer than a call may take.
   */
  private void awaitDrop(String name) {
    ByteString last = null;
    long seen = 0;
    Row row;
    while ((row = read(name)) != null && isDropping(row)) {
      ByteString token = row.getCells(FAMILY, DROPPING).getFirst().getValue();
      if (!token.equals(last)) {
        last = token;
        seen = System.nanoTime();
      }
      if (isOld(token) || System.nanoTime() - seen > timeout.toNanos()) {
        ByteString mine = newToken();
        if (changeIf(name, isOf(token), dropping(mine))) {
          finishDrop(name, mine);
        }
      } else {
        pause(name);
      }
    }
  }

  /** Returns whether a drop began so long ago that clock skew cannot explain it. */
  private boolean isOld(ByteString token) {
    String text = token.toStringUtf8();
    String millis = text.substring(text.indexOf(' ') + 1);
    return !millis.matches("[0-9]{1,18}")
        || System.currentTimeMillis() - Long.parseLong(millis)
            > timeout.plus(CLOCK_MARGIN).toMillis();
  }

  private static void pause(String name) {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(
          "waiting for the drop of table '%s' was interrupted".formatted(name), e);
    }
  }

  private void orAlreadyThere(String what, Runnable creation) {
    try {
      creation.run();
    } catch (ApiException e) {
      FailedCall failed = clients.failed(e);
      if (!failed.isAlreadyThere()) {
        throw failed.toStoreException(what);
      }
    }
  }

  private <T> T call(String what, Supplier<T> call) {
    try {
      return call.get();
    } catch (ApiException e) {
      throw clients.failed(e).toStoreException(what);
    }
  }
}
