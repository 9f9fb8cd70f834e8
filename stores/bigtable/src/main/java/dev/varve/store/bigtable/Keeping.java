package dev.varve.store.bigtable;

import com.google.api.gax.rpc.ApiException;
import com.google.cloud.bigtable.admin.v2.models.ColumnFamily;
import com.google.cloud.bigtable.admin.v2.models.ModifyColumnFamiliesRequest;
import dev.varve.store.FamilySpec;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adapts the garbage collection rules of an existing table to a changed retention. A longer
 * retention is applied. A shorter one would delete cells, for other servers of the table too, and
 * is left to the operator.
 */
final class Keeping {
  private static final Logger LOG = LoggerFactory.getLogger(Keeping.class);

  private final Clients clients;
  private final BigtableOptions options;

  Keeping(Clients clients, BigtableOptions options) {
    this.clients = clients;
    this.options = options;
  }

  /**
   * Alters the rules of a table that Varve created, if they would collect cells that are still
   * needed.
   *
   * @throws StoreException if that is not possible
   */
  void keepAsLongAsNeeded(TableSpec spec, String id) {
    ModifyColumnFamiliesRequest longer = ModifyColumnFamiliesRequest.of(id);
    boolean anyLonger = false;
    for (ColumnFamily found : families(spec, id)) {
      int index = spec.familyIndex(found.getId());
      if (index >= 0 && isLonger(spec, id, spec.families().get(index), found)) {
        FamilySpec family = spec.families().get(index);
        longer.updateFamily(family.name(), Creation.rule(family, spec.upkeep().retention()));
        anyLonger = true;
      }
    }
    if (anyLonger) {
      alter(spec, longer);
      LOG.info("table '{}' now keeps cells longer, as its retention requires", spec.name());
    }
  }

  private List<ColumnFamily> families(TableSpec spec, String id) {
    try {
      return clients.admin().getTable(id).getColumnFamilies();
    } catch (ApiException e) {
      FailedCall failed = clients.failed(e);
      if (!failed.isForbidden()) {
        throw failed.toStoreException("looking at table '%s'".formatted(spec.name()));
      }
      LOG.warn(
          "without permission bigtable.tables.get the garbage collection rules of table '{}' cannot be read; they are assumed to match its retention",
          spec.name());
      return List.of();
    }
  }

  private boolean isLonger(TableSpec spec, String id, FamilySpec family, ColumnFamily found) {
    long wanted = Creation.age(family, spec.upkeep().retention());
    @Nullable Long kept = Creation.age(family, found.getGCRule().toProto());
    if (kept == null || kept > wanted) {
      LOG.warn(
          "table '{}' has for family '{}' {} than its retention requires. It is left unchanged. To change it, and delete older cells, run: cbt -project {} -instance {} setgcpolicy {} {} '{}'",
          spec.name(),
          family.name(),
          kept == null ? "a different garbage collection rule" : "a rule that keeps cells longer",
          options.project(),
          options.instance(),
          id,
          family.name(),
          Creation.inWords(family, wanted));
    }
    return kept != null && kept < wanted;
  }

  private void alter(TableSpec spec, ModifyColumnFamiliesRequest longer) {
    try {
      clients.admin().modifyFamilies(longer);
    } catch (ApiException e) {
      throw clients
          .failed(e)
          .toStoreException(
              "table '%s' would lose cells that its retention keeps; altering how long it keeps them"
                  .formatted(spec.name()));
    }
  }
}
