package dev.varve.store.rocksdb.wal;

import dev.varve.store.LaterFormatException;
import dev.varve.store.rocksdb.wal.LogReader.Bad;
import dev.varve.store.rocksdb.wal.LogReader.Entry;
import dev.varve.store.rocksdb.wal.LogReader.Whole;
import dev.varve.store.rocksdb.wal.StateFile.Running;
import dev.varve.store.rocksdb.wal.StateFile.State;
import dev.varve.store.rocksdb.wal.StateFile.Stopped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads all logs that RocksDB would read, finds the holes in them, and looks for proof that the
 * missing records had been synced.
 */
final class LogScan {
  /*
   * Edits are numbered without gaps across all logs, so each record shows whether edits before it
   * are missing. Nothing is missing if the record after a bad place has the expected number: a
   * failed append left the bad bytes, and RocksDB continued in a new log.
   *
   * Any of these proves that the missing records had been synced:
   *   - a later record whose mark says so,
   *   - a later record without a mark, if an older version wrote and synced every batch,
   *   - a flush recorded in the MANIFEST after the log, since RocksDB syncs closed logs first,
   *   - a clean stop, after which every file has its recorded length,
   *   - for a log that is entirely missing: the state file, which names a log only once it exists,
   *   - the state file, which records what had been synced when the newest log was first synced.
   * Proof for a hole is also proof for every hole before it.
   */
  private final Path directory;
  private final Manifest manifest;
  private final @Nullable State state;
  private final boolean synced;
  private final List<Hole> holes = new ArrayList<>();

  /** Offsets of records that are not the expected batches, by log. */
  private final Map<Long, Set<Long>> dropped = new HashMap<>();

  /** The hole whose end has not been found yet. */
  private @Nullable Hole open;

  private long expected = -1;
  private @Nullable Instant last;

  /** Whether the last run stopped cleanly, and the database has not been opened since. */
  private final boolean clean;

  /**
   * Reads the logs of a database.
   *
   * @param synced whether an older version, whose batches have no mark, synced each batch before
   *     the next
   * @throws IOException if the directory cannot be read
   */
  LogScan(Path directory, boolean synced) throws IOException {
    this.directory = directory;
    this.synced = synced;
    this.manifest = Manifest.of(directory);
    this.state = StateFile.read(directory);
    this.clean = state instanceof Stopped stopped && stopped.manifest().equals(manifest.name());
    for (var log : live().entrySet()) {
      read(log.getKey(), log.getValue());
    }
    holes.forEach(this::prove);
    for (int i = holes.size() - 1; i > 0; i--) {
      if (holes.get(i).proof != null && holes.get(i - 1).proof == null) {
        holes.get(i - 1).proof = holes.get(i).proof;
      }
    }
  }

  /** Returns the sequence number after the last edit; -1 if there is none. */
  long end() {
    return expected;
  }

  /** Returns whether, as far as known, nothing is missing after the last edit. */
  boolean endsWhole() {
    return open == null;
  }

  /** Returns whether the record at an offset is valid. */
  boolean isKept(long log, long offset) {
    return !dropped.getOrDefault(log, Set.of()).contains(offset);
  }

  /** Returns all holes in log order. */
  List<Hole> holes() {
    return holes;
  }

  /** Returns the logs to read, by number, including those that are missing. */
  SortedMap<Long, Path> live() throws IOException {
    SortedMap<Long, Path> live = new TreeMap<>(LogFiles.of(directory).tailMap(manifest.firstLog()));
    if (clean) {
      for (String name : ((Stopped) state()).lengths().keySet()) {
        if (name.endsWith(".log")) {
          need(Long.parseLong(name.substring(0, name.length() - 4)), live);
        }
      }
    } else if (state instanceof Running running) {
      need(running.log(), live);
    }
    return live;
  }

  private State state() {
    return Objects.requireNonNull(state);
  }

  private void need(long log, SortedMap<Long, Path> live) {
    if (log >= manifest.firstLog()) {
      live.putIfAbsent(log, LogFiles.file(directory, log));
    }
  }

  /**
   * Returns the first flaw of the database other than damage to its logs; null if there is none.
   */
  @Nullable FileFlaw flaw() throws IOException {
    long length =
        switch (state) {
          case Running running -> running.lengths().getOrDefault(manifest.name(), 0L);
          case Stopped stopped when clean -> stopped.lengths().getOrDefault(manifest.name(), 0L);
          case Stopped _ -> 0;
          case null -> 0;
        };
    return FileFlaw.find(
        directory, manifest, length, clean, clean ? ((Stopped) state()).manifestChecksum() : "");
  }

  private void read(long number, Path file) throws IOException {
    if (!Files.exists(file)) {
      begin(new Hole(number, file, -1, 0, "the file is missing", expected, last));
      return;
    }
    boolean first = open == null && expected < 0;
    if (first
        && state instanceof Running running
        && running.log() == number
        && running.sequence() >= 0) {
      expected = running.sequence() + 1;
    }
    try (LogReader reader = new LogReader(file, number, BatchHead.LENGTH)) {
      long end = 0;
      for (Entry entry = reader.next(); entry != null; entry = reader.next()) {
        switch (entry) {
          case Bad bad -> bad(number, file, bad.offset(), bad.cut(), bad.reason());
          case Whole whole -> {
            if (open != null && open.log == number && open.nextSequence < 0) {
              open.bytes = whole.offset() - Math.max(0, open.cut);
            }
            whole(number, file, whole, end);
            end = whole.end();
          }
        }
      }
      if (open != null && open.log == number) {
        open.bytes = reader.size() - open.cut;
      }
      lengthAfterStop(number, file, reader.size());
    }
  }

  private void lengthAfterStop(long number, Path file, long length) {
    if (!clean) {
      return;
    }
    Long noted = ((Stopped) state()).lengths().get(String.valueOf(file.getFileName()));
    boolean known = open != null && open.log == number;
    if (noted != null && length < noted && !known) {
      bad(
          number,
          file,
          length,
          length,
          "the file had %,d bytes when the database was closed".formatted(noted));
    }
  }

  private void bad(long number, Path file, long offset, long cut, String reason) {
    if (open == null || open.log != number) {
      begin(new Hole(number, file, offset, cut, reason, expected, last));
    }
  }

  private void begin(Hole hole) {
    if (open == null) {
      open = hole;
    }
    holes.add(hole);
  }

  private void whole(long number, Path file, Whole record, long end) {
    BatchHead head = head(file, record);
    String wrong = wrong(number, head, record);
    if (head == null || wrong != null) {
      dropped.computeIfAbsent(number, log -> new HashSet<>()).add(record.offset());
      bad(number, file, record.offset(), record.offset(), String.valueOf(wrong));
      return;
    }
    long first = expected >= 0 ? expected : manifest.lastSequence() + 1;
    boolean gap = (expected >= 0 || manifest.lastSequence() >= 0) && head.sequence() > first;
    if (open == null && gap) {
      begin(new Hole(number, file, record.offset(), end, "records are missing", first, last));
    }
    Instant time = head.mark() == null ? null : Instant.ofEpochMilli(head.mark().millis());
    close(head, time);
    for (Hole hole : holes) {
      hole.recordsBehind++;
      hole.editsBehind += head.count();
      hole.bytesBehind += record.end() - record.offset();
      prove(hole, head);
    }
    expected = head.end();
    last = time == null ? last : time;
  }

  private static @Nullable BatchHead head(Path file, Whole record) {
    try {
      return BatchHead.of(record.payload());
    } catch (LaterFormatException e) {
      throw e.in("%s, offset %d".formatted(file, record.offset()));
    }
  }

  /** Returns why a record is not the expected batch; null if it is. */
  private @Nullable String wrong(long log, @Nullable BatchHead head, Whole record) {
    if (head == null) {
      return "a record too short for a batch";
    }
    GroupMark mark = head.mark();
    if (mark != null && mark.checksum() != record.checksum()) {
      return "a record made of fragments of others";
    }
    if (mark == null && isOurs(log)) {
      return "a record that is not a batch of Varve";
    }
    return expected >= 0 && head.sequence() < expected
        ? "a record that repeats earlier edits"
        : null;
  }

  /** Returns whether a log was written by a version that marks every batch. */
  private boolean isOurs(long log) {
    return clean || (state instanceof Running running && running.log() == log);
  }

  /** Ends the open hole at the record after it. */
  private void close(BatchHead next, @Nullable Instant time) {
    if (open == null) {
      return;
    }
    for (Hole hole : holes) {
      if (hole.nextSequence < 0) {
        hole.nextSequence = next.sequence();
        hole.before = time;
      }
    }
    open = null;
  }

  private void prove(Hole hole, BatchHead later) {
    if (hole.proof != null) {
      return;
    }
    GroupMark mark = later.mark();
    if (mark == null) {
      if (synced) {
        hole.proof = "a record of an older version follows, which synced each before the next";
      }
      return;
    }
    if (mark.syncedThrough() >= firstMissing(hole)) {
      hole.proof = "records follow that were written after it had been synced";
    }
  }

  /** Returns the number of the first missing edit or, if unknown, an upper bound of it. */
  private long firstMissing(Hole hole) {
    if (hole.expected >= 0) {
      return hole.expected;
    }
    long first = manifest.lastSequence() + 1;
    return hole.nextSequence < 0 ? first : Math.min(first, hole.nextSequence - 1);
  }

  private void prove(Hole hole) {
    if (hole.proof != null) {
      return;
    }
    if (clean) {
      hole.proof = "the database was closed cleanly afterwards";
    } else if (hole.offset < 0) {
      hole.proof = "the log existed when the database was open";
    } else if (state instanceof Running running && firstMissing(hole) <= running.synced()) {
      hole.proof = "it was recorded as synced when the log was new";
    } else if (hole.log < manifest.flushedLog()) {
      hole.proof = "the log had been synced before tables were written";
    }
  }
}
