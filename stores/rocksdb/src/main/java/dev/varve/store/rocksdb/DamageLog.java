package dev.varve.store.rocksdb;

import dev.varve.store.RowSpan;
import dev.varve.store.StoreDamage;
import dev.varve.store.StoreDamage.Kind;
import dev.varve.store.StoreDamage.Outcome;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The damage that a store has found, each place once. Safe for use by several threads. */
final class DamageLog {
  private static final Logger LOG = LoggerFactory.getLogger(DamageLog.class);
  private static final int MOST = 1000;

  private final Deque<StoreDamage> met = new ArrayDeque<>();
  private long count;

  /**
   * Records the damage that was found, and already logged, while the store was opened. Torn tails
   * do not count as damage.
   */
  synchronized void begin(List<StoreDamage> found) {
    met.addAll(found);
    count += found.stream().filter(one -> one.kind() != Kind.TORN_TAIL).count();
  }

  /** Records and logs damage. If its place is already known, returns the earlier record. */
  synchronized StoreDamage add(StoreDamage damage) {
    for (StoreDamage known : met) {
      if (known.file().equals(damage.file()) && known.offset() == damage.offset()) {
        return known;
      }
    }
    if (met.size() == MOST) {
      met.removeFirst();
    }
    met.addLast(damage);
    count++;
    LOG.error("damage in a rocksdb store: {}", damage.description());
    return damage;
  }

  synchronized List<StoreDamage> all() {
    return List.copyOf(met);
  }

  /** Returns the number of damaged places, including those dropped from the list. */
  synchronized long count() {
    return count;
  }

  /** Describes damage in a table file that is still in place. */
  static StoreDamage of(DamagedPlaces.Place place) {
    String rows =
        place.rows().isEmpty()
            ? ""
            : ": " + place.rows().stream().map(RowSpan::toString).collect(Collectors.joining("; "));
    String where =
        place.offset() < 0
            ? "file %s (%s) is damaged%s".formatted(place.file(), place.what(), rows)
            : "the block of %,d bytes at offset %d of file %s (%s) is damaged%s"
                .formatted(place.bytes(), place.offset(), place.file(), place.what(), rows);
    return new StoreDamage(
        Kind.TABLE_FILE,
        Outcome.IN_PLACE,
        place.file().toString(),
        place.offset(),
        place.bytes(),
        -1,
        null,
        null,
        null,
        Instant.now(),
        place.rows(),
        where);
  }

  /** Describes damage for which RocksDB names no table file. */
  static StoreDamage unplaced(Path directory, String message) {
    return new StoreDamage(
        Kind.OTHER,
        Outcome.IN_PLACE,
        directory.toString(),
        -1,
        0,
        -1,
        null,
        null,
        null,
        Instant.now(),
        message);
  }
}
