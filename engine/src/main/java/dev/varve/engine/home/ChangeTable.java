package dev.varve.engine.home;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.Upkeep;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.LongSupplier;

/**
 * Announcements of catalog changes between servers that share a store: the series whose records in
 * the home have changed or are about to change.
 *
 * <pre>
 * row        minute i64, since 1970 by the writer's clock | server i64   // the minute is the partition
 * family     c
 * qualifier  stamp i64
 * value      identities, 16 bytes each
 * </pre>
 *
 * <p>A server announces a change before it makes it. If it crashes in between, it has announced a
 * change that does not happen, which is harmless; in the opposite order a change could remain
 * unannounced. Readers of an announcement therefore read the series repeatedly for a while. A
 * change that takes longer than {@link #MADE_WITHIN} is announced again.
 */
public final class ChangeTable implements AutoCloseable {
  /**
   * The time for which announcements are kept. A server that has not read them for longer reads the
   * whole catalog.
   */
  public static final Duration KEPT = Duration.ofHours(1);

  /** A server that takes longer than this to make a change announces it again. */
  public static final Duration MADE_WITHIN = Duration.ofSeconds(10);

  private static final long MINUTE_MICROS = 60_000_000;

  /** Longer than any server looks back. */
  private static final long OWN_KEPT_MICROS = 30 * MINUTE_MICROS;

  /** Maximum number of identities in a cell, 256 KiB. Stores handle cells of a megabyte poorly. */
  private static final int IDENTITIES_MAX = 16_384;

  private final Table table;
  private final ServerId server;

  /** The stamps of this server's recent announcements. */
  private final ConcurrentSkipListSet<Long> own = new ConcurrentSkipListSet<>();

  /** An announcement of changes by a server. */
  public record Announcement(
      ServerId server, long minute, long stamp, List<SeriesIdentity> identities) {}

  ChangeTable(Store store, String name, ServerId server) {
    this.server = server;
    TableSpec spec =
        new TableSpec(
                name,
                List.of(FamilySpec.latest("c")),
                Resolution.MICROSECONDS,
                (bytes, offset, length) -> Math.min(8, length))
            .with(new Upkeep(KEPT.multipliedBy(2), null, List.of()));
    this.table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
  }

  Table table() {
    return table;
  }

  /** Returns the minute that contains a time. */
  public static long minute(long micros) {
    return Math.floorDiv(micros, MINUTE_MICROS);
  }

  /**
   * Announces series that are about to change, durably.
   *
   * @param micros the system clock
   * @param stamps source of stamps
   * @throws StoreException if the write fails
   */
  public void announce(
      Collection<SeriesIdentity> identities, LongSupplier micros, LongSupplier stamps) {
    List<SeriesIdentity> all = List.copyOf(identities);
    for (int from = 0; from < all.size(); from += IDENTITIES_MAX) {
      List<SeriesIdentity> some = all.subList(from, Math.min(all.size(), from + IDENTITIES_MAX));
      long started;
      do {
        // Others look back only a few minutes, so an announcement that took over a minute is
        // repeated.
        started = micros.getAsLong();
        put(some, minute(started), stamps.getAsLong());
      } while (micros.getAsLong() - started > MINUTE_MICROS);
    }
  }

  private void put(List<SeriesIdentity> identities, long minute, long stamp) {
    own.add(stamp);
    own.headSet(stamp - OWN_KEPT_MICROS).clear();
    ByteBuffer value = ByteBuffer.allocate(16 * identities.size());
    identities.forEach(identity -> value.putLong(identity.high()).putLong(identity.low()));
    MutationBatch edit = new MutationBatch();
    edit.put(row(minute, server), 0, i64(stamp), stamp, Bytes.of(value.array()));
    HomeWrite.apply(table, edit);
  }

  /** Returns the announcements of other servers between two minutes, inclusive. */
  public List<Announcement> announcementsOfOthers(long from, long to) {
    return announcements(from, to).stream().filter(one -> !isOwn(one)).toList();
  }

  /**
   * Returns whether another process made announcements under this server's ID, which happens if the
   * data directory, including the server ID file, was copied.
   *
   * @param since a stamp of this process, before its first announcement
   */
  public boolean isDoubled(List<Announcement> all, long since) {
    return all.stream()
        .anyMatch(one -> isOwn(one) && one.stamp() >= since && !own.contains(one.stamp()));
  }

  /** Returns the announcements of all servers between two minutes, inclusive. */
  public List<Announcement> announcements(long from, long to) {
    List<Slice> minutes = new ArrayList<>();
    for (long minute = from; minute <= to; minute++) {
      minutes.add(Slice.partition(i64(minute)));
    }
    List<Announcement> announcements = new ArrayList<>();
    CellBatch page = new CellBatch();
    try (CellCursor cursor =
        table.read(ReadPlan.of(minutes, List.of(FamilySelect.latest(0))), null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          announcements.add(announcement(page, cell));
        }
      }
    }
    return announcements;
  }

  private Announcement announcement(CellBatch page, int cell) {
    int length = page.valueLength(cell);
    if (page.rowLength(cell) != 16 || page.qualifierLength(cell) != 8 || length % 16 != 0) {
      throw new StoreException(
          "table '%s' is damaged: row %s, qualifier %s, a value of %d bytes"
              .formatted(table.spec().name(), page.row(cell), page.qualifier(cell), length));
    }
    ByteBuffer buffer = ByteBuffer.wrap(page.bytes());
    int row = page.rowOffset(cell);
    int value = page.valueOffset(cell);
    List<SeriesIdentity> identities = new ArrayList<>(length / 16);
    for (int at = value; at < value + length; at += 16) {
      identities.add(new SeriesIdentity(buffer.getLong(at), buffer.getLong(at + 8)));
    }
    return new Announcement(
        new ServerId(buffer.getLong(row + 8)),
        buffer.getLong(row),
        buffer.getLong(page.qualifierOffset(cell)),
        identities);
  }

  /** Returns whether an announcement is from this server. */
  public boolean isOwn(Announcement one) {
    return one.server().equals(server);
  }

  /** Deletes the announcements of all servers between two minutes, inclusive. */
  public void delete(long from, long to) {
    MutationBatch edits = new MutationBatch();
    for (Announcement old : announcementsOfOthers(from, to)) {
      edits.deleteRow(row(old.minute(), old.server()));
    }
    for (long minute = from; minute <= to; minute++) {
      edits.deleteRow(row(minute, server));
    }
    HomeWrite.apply(table, edits);
  }

  private static Bytes row(long minute, ServerId server) {
    return Bytes.of(ByteBuffer.allocate(16).putLong(minute).putLong(server.id()).array());
  }

  private static Bytes i64(long number) {
    return Bytes.of(ByteBuffer.allocate(8).putLong(number).array());
  }

  @Override
  public void close() {
    table.close();
  }
}
