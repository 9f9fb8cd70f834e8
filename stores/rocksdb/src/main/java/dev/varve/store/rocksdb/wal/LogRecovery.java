package dev.varve.store.rocksdb.wal;

import dev.varve.store.DamagedStoreException;
import dev.varve.store.PrivateDirectory;
import dev.varve.store.StoreDamage;
import dev.varve.store.StoreDamage.Kind;
import dev.varve.store.StoreDamage.Outcome;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProvider.Salvage;
import dev.varve.store.rocksdb.wal.LogReader.Entry;
import dev.varve.store.rocksdb.wal.LogReader.Whole;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the logs of a database before RocksDB opens it, so that RocksDB sees whole records only.
 * It cuts off a torn tail. Damage makes the opening fail, unless this is a recovery: then damaged
 * files are set aside and everything readable is kept.
 */
public final class LogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);
  public static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

  private final Path directory;
  private final @Nullable Salvage salvage;
  private final LogScan scan;
  private final List<Hole> holes = new ArrayList<>();

  /** Nothing after this hole is kept; null if there is no such hole. */
  private final @Nullable Hole cut;

  private final List<StoreDamage> damage = new ArrayList<>();
  private final Instant now = Instant.now();
  private @Nullable Path aside;

  private LogRecovery(Path directory, boolean synced, @Nullable Salvage salvage)
      throws IOException {
    this.directory = directory;
    this.salvage = salvage;
    this.scan = new LogScan(directory, synced);
    Hole first = null;
    for (Hole hole : scan.holes()) {
      if (!hole.isHarmless()) {
        holes.add(hole);
        boolean ends = hole.proof == null || salvage == Salvage.BEFORE_DAMAGE;
        first = first == null && ends ? hole : first;
      }
    }
    this.cut = first;
  }

  /**
   * Checks the logs and prepares them for opening. The database must not be open in this process.
   *
   * @param synced whether an older version, whose batches have no mark, synced each batch
   * @param salvage what a recovery keeps; null if damage must fail the opening
   * @return what was found and done; it is also logged
   * @throws DamagedStoreException if synced data is missing and this is not a recovery
   * @throws StoreException if another process has the database open, or a file cannot be read or
   *     written
   */
  public static List<StoreDamage> prepare(
      Path directory, boolean synced, @Nullable Salvage salvage) {
    try {
      if (!Files.exists(directory.resolve("CURRENT"))) {
        ensureEmpty(directory);
        return List.of();
      }
      try (FileChannel channel =
              FileChannel.open(
                  directory.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = channel.tryLock()) {
        if (lock == null) {
          throw inUse(directory);
        }
        return new LogRecovery(directory, synced, salvage).run();
      }
    } catch (OverlappingFileLockException e) {
      throw inUse(directory);
    } catch (IOException e) {
      throw new StoreException(
          "cannot check the logs of the rocksdb store in %s: %s".formatted(directory, e), e);
    }
  }

  /**
   * Makes the logs of a database readable, whatever else is damaged. The caller must hold the
   * database's lock.
   *
   * @param salvage what to keep of the data written after damage
   * @return what was found and done; it is also logged
   * @throws IOException if a file cannot be read or written
   */
  public static List<StoreDamage> mend(Path directory, boolean synced, Salvage salvage)
      throws IOException {
    return new LogRecovery(directory, synced, salvage).mend();
  }

  /** Returns the exception for a database that is open elsewhere. */
  public static StoreException inUse(Path directory) {
    return new StoreException(
        "%s is in use: a running store, of this process or another, holds its lock"
            .formatted(directory));
  }

  /** Without CURRENT, RocksDB would create a new database and delete the files of the old one. */
  private static void ensureEmpty(Path directory) throws IOException {
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(directory, "{*.sst,*.log,MANIFEST-*,varve-state}")) {
      for (Path file : files) {
        Path missing = directory.resolve("CURRENT");
        String message =
            "%s is missing, and %s is there: the store in %s has lost files. Nothing was changed. Restore a backup, or run 'varve check --repair', which keeps what can be read"
                .formatted(missing, file.getFileName(), directory);
        throw new DamagedStoreException(
            message,
            List.of(
                new StoreDamage(
                    Kind.OTHER,
                    Outcome.IN_PLACE,
                    missing.toString(),
                    -1,
                    0,
                    -1,
                    null,
                    null,
                    null,
                    Instant.now(),
                    message)),
            null);
      }
    }
  }

  private List<StoreDamage> run() throws IOException {
    refuse();
    return mend();
  }

  private List<StoreDamage> mend() throws IOException {
    for (Hole hole : holes) {
      if (hole == cut || cut == null || holes.indexOf(hole) < holes.indexOf(cut)) {
        Outcome outcome =
            hole.offset < 0
                ? Outcome.IN_PLACE
                : hole.proof == null && hole.recordsBehind == 0 ? Outcome.CUT : Outcome.SET_ASIDE;
        damage.add(damage(hole, outcome));
      }
    }
    for (Map.Entry<Long, Path> log : scan.live().entrySet()) {
      if (Files.exists(log.getValue())) {
        clear(log.getKey(), log.getValue());
      }
    }
    LogFiles.sync(directory);
    report();
    return damage;
  }

  /** Throws if opening would silently lose data. */
  private void refuse() throws IOException {
    FileFlaw flaw = scan.flaw();
    if (flaw != null) {
      throw new DamagedStoreException(
          "the store in %s is damaged: %s. Nothing was changed. Restore a backup, or run 'varve check --repair', which keeps what can be read"
              .formatted(directory, flaw.text()),
          List.of(flaw.damage(now)),
          null);
    }
    List<StoreDamage> proven = new ArrayList<>();
    for (Hole hole : holes) {
      if (hole.proof != null) {
        proven.add(damage(hole, Outcome.IN_PLACE));
      }
    }
    if (salvage != null || proven.isEmpty()) {
      return;
    }
    StringBuilder message = new StringBuilder(proven.getFirst().description());
    if (proven.size() > 1) {
      message.append(" (and %d more places are damaged)".formatted(proven.size() - 1));
    }
    message.append(
        ". Nothing was changed. Restore a backup, or run 'varve serve --recover', which keeps the damaged file aside and opens with what can be read");
    throw new DamagedStoreException(message.toString(), proven, null);
  }

  /** Removes the parts of a log that RocksDB must not read. */
  private void clear(long number, Path file) throws IOException {
    Hole end = cut;
    boolean whole = scan.holes().stream().noneMatch(hole -> hole.log == number && hole.offset >= 0);
    boolean isAfterEnd = end != null && number > end.log;
    if ((whole && !isAfterEnd) || Files.size(file) == 0) {
      return;
    }
    if (end != null && isPlainTail(end, number)) {
      truncate(file, end.cut);
      return;
    }
    Path draft = directory.resolve(file.getFileName() + ".kept");
    try (LogReader reader = new LogReader(file, number, Integer.MAX_VALUE);
        LogWriter writer = new LogWriter(draft)) {
      for (Entry entry = reader.next(); entry != null && !isAfterEnd; entry = reader.next()) {
        if (entry instanceof Whole record) {
          if (end != null && end.log == number && record.offset() >= end.cut) {
            break;
          }
          if (scan.isKept(number, record.offset())) {
            writer.add(record.payload());
          }
        }
      }
    }
    keepAside(file);
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Returns whether truncating the log is enough. */
  private boolean isPlainTail(Hole end, long number) {
    return end.log == number
        && end.recordsBehind == 0
        && end.proof == null
        && scan.holes().stream().allMatch(hole -> hole.equals(end) || hole.log != number);
  }

  private static void truncate(Path file, long length) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(length);
      channel.force(true);
    }
  }

  /** Links a file into the folder of damaged files, durably. */
  private void keepAside(Path file) throws IOException {
    Path folder = aside();
    PrivateDirectory.make(folder);
    Path kept = folder.resolve(file.getFileName());
    try {
      Files.createLink(kept, file);
    } catch (UnsupportedOperationException e) {
      Files.copy(file, kept);
    }
    LogFiles.sync(folder);
  }

  private Path aside() {
    Path folder = aside;
    if (folder == null) {
      folder = directory.resolve("damaged-" + STAMP.format(now));
      aside = folder;
    }
    return folder;
  }

  private void report() throws IOException {
    for (StoreDamage found : damage) {
      LOG.warn("{}", found.description());
    }
    Path folder = aside;
    if (folder != null && Files.isDirectory(folder)) {
      List<String> lines = new ArrayList<>();
      damage.forEach(found -> lines.add(found.description()));
      Files.write(folder.resolve("REPORT"), lines);
    }
  }

  private StoreDamage damage(Hole hole, Outcome outcome) throws IOException {
    boolean last = hole == cut;
    long bytes = last ? hole.bytes + hole.bytesBehind : hole.bytes;
    long known = hole.expected < 0 ? 0 : (last ? scan.end() : hole.nextSequence) - hole.expected;
    boolean exact = hole.expected >= 0 && (last ? scan.endsWhole() : hole.nextSequence >= 0);
    // File times prove nothing: a file may have been copied or replaced.
    Instant before = last ? null : hole.before;
    String keptIn = outcome == Outcome.SET_ASIDE ? aside().toString() : null;
    return new StoreDamage(
        hole.proof == null ? Kind.TORN_TAIL : Kind.LOG,
        outcome,
        hole.file.toString(),
        hole.offset,
        bytes,
        exact ? known : -1,
        hole.after,
        before,
        keptIn,
        now,
        describe(hole, outcome, bytes, exact ? known : Math.min(-1, -known), before));
  }

  /**
   * Describes the damage in one sentence.
   *
   * @param lost the number of missing edits; if negative, its absolute value is a lower bound
   */
  private String describe(
      Hole hole, Outcome outcome, long bytes, long lost, @Nullable Instant before) {
    StringBuilder text = new StringBuilder();
    String place =
        hole.offset < 0
            ? "the log %s is missing".formatted(hole.file)
            : "the log %s is %s at byte %,d (%s)"
                .formatted(
                    hole.file, hole.proof == null ? "torn" : "damaged", hole.offset, hole.reason);
    text.append(place).append(": ");
    if (hole.proof == null) {
      text.append("%,d bytes are cut off".formatted(bytes));
      if (hole.recordsBehind > 0) {
        text.append(
            ", among them %,d readable records that nothing proves to have been synced"
                .formatted(hole.recordsBehind));
      }
      text.append("; nothing that had been synced is known to be missing");
    } else {
      text.append(
          "%s%,d edits are missing, written %s; "
              .formatted(lost < 0 ? "at least " : "", Math.abs(lost), between(hole.after, before)));
      text.append(
          hole.recordsBehind == 0
              ? "nothing readable follows"
              : "%,d readable records with %,d edits follow%s"
                  .formatted(
                      hole.recordsBehind,
                      hole.editsBehind,
                      hole == cut && salvage != null
                          ? ", and are left out, because tables of the store have counters"
                          : ""));
      text.append("; it is not a torn tail, because ").append(hole.proof);
    }
    if (outcome == Outcome.SET_ASIDE) {
      text.append("; the file is kept in ").append(aside());
    }
    return text.toString();
  }

  private static String between(@Nullable Instant after, @Nullable Instant before) {
    return after == null
        ? before == null ? "at an unknown time" : "before " + before
        : before == null ? "after " + after : "between %s and %s".formatted(after, before);
  }
}
