package dev.varve.store.cassandra;

import dev.varve.store.Admission;
import dev.varve.store.Capabilities;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.Upkeep;
import dev.varve.store.adapter.ReadOnly;
import dev.varve.store.adapter.RowOrder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An open table. Several may share one entry. */
final class CassandraTable implements Table {
  private final Requests requests;
  private final TableEntry entry;
  private final TableSpec spec;
  private final List<? extends FamilyTable> families;
  private final Capabilities capabilities;
  private final Admission admission;
  private final Set<CassandraCursor> cursors;
  private final boolean readOnly;
  private volatile boolean closed;

  /**
   * Opens a table.
   *
   * @param cursors the open cursors of the store
   */
  CassandraTable(
      Requests requests,
      TableEntry entry,
      TableSpec spec,
      List<? extends FamilyTable> families,
      Capabilities capabilities,
      Set<CassandraCursor> cursors,
      boolean readOnly) {
    this.requests = requests;
    this.entry = entry;
    this.spec = spec;
    this.families = List.copyOf(families);
    this.capabilities = capabilities;
    this.admission = new Admission(spec, capabilities);
    this.cursors = cursors;
    this.readOnly = readOnly;
  }

  @Override
  public TableSpec spec() {
    return spec;
  }

  TableEntry entry() {
    return entry;
  }

  FamilyTable family(int family) {
    return families.get(family);
  }

  Admission admission() {
    return admission;
  }

  @Override
  public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
    ensureOpen();
    // Cassandra has only one durability: that of the write consistency level.
    return readOnly ? ReadOnly.refuse(spec, batch) : apply(batch, families);
  }

  private List<RowOutcome> apply(MutationBatch batch, List<? extends FamilyTable> into) {
    return RowOrder.apply(
        batch,
        capabilities.limits().editsPerRow(),
        admission::refusal,
        ordered -> new Application(requests, entry, into, ordered).run(admission));
  }

  @Override
  public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
    ensureOpen();
    entry.ensureThere();
    CassandraCursor cursor = new CassandraCursor(this, requests, plan, resume);
    cursors.add(cursor);
    return cursor;
  }

  void forget(CassandraCursor cursor) {
    cursors.remove(cursor);
  }

  @Override
  public <P extends Power> Optional<P> power(Class<P> power) {
    if (readOnly || !capabilities.has(power)) {
      return Optional.empty();
    }
    if (power == Power.Expiry.class) {
      return Optional.of(power.cast((Power.Expiry) this::applyEnding));
    }
    return Optional.of(power.cast(new TablePowers(requests, this)));
  }

  /** Only foreign tables have this power; they have one family. */
  private List<RowOutcome> applyEnding(
      MutationBatch batch, Durability durability, Duration lifetime) {
    ensureOpen();
    Duration kept = spec.upkeep().retention();
    Duration shorter = kept == null || lifetime.compareTo(kept) < 0 ? lifetime : kept;
    TableSpec ending = spec.with(new Upkeep(shorter, null, List.of()));
    return apply(batch, List.of(new ForeignTable(requests, ending)));
  }

  @Override
  public void close() {
    closed = true;
  }

  void ensureOpen() {
    requests.ensureOpen();
    if (closed) {
      throw new StoreException("table '%s' is closed".formatted(spec.name()));
    }
  }
}
