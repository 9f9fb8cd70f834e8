package dev.varve.store.rocksdb;

import dev.varve.store.DamagedStoreException;
import dev.varve.store.FileCheck;
import dev.varve.store.PrivateDirectory;
import dev.varve.store.RowSpan;
import dev.varve.store.StoreDamage;
import dev.varve.store.StoreDamage.Kind;
import dev.varve.store.StoreDamage.Outcome;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProvider.Salvage;
import dev.varve.store.rocksdb.wal.Inventory;
import dev.varve.store.rocksdb.wal.LogFiles;
import dev.varve.store.rocksdb.wal.LogRecovery;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Repairs a damaged store as far as it can be read. If only logs or CURRENT are damaged, it repairs
 * them in place. Otherwise it copies all sound cells into a new database, which replaces the old
 * one. All files of the old database are kept aside.
 */
final class StoreRepair {
  private static final long SPACE_BESIDE = 64 << 20;

  private final Path directory;
  private final RocksOptions options;
  private final Salvage salvage;
  private final FileCheck progress;
  private final Instant now = Instant.now();
  private final String aside;
  private final RepairSwap swap;

  private StoreRepair(Path directory, RocksOptions options, Salvage salvage, FileCheck progress) {
    this.directory = directory;
    this.options = options;
    this.salvage = salvage;
    this.progress = progress;
    this.aside = "damaged-" + LogRecovery.STAMP.format(now);
    this.swap = new RepairSwap(directory);
  }

  /**
   * Repairs a store if necessary.
   *
   * @param salvage what to keep of the data written after damage in a log
   * @param progress called with each file before it is read
   * @return what was damaged; empty if nothing was
   * @throws StoreException if the store is in use, the disk has too little space, or the files do
   *     not suffice to make a store
   */
  static List<StoreDamage> run(
      Path directory, RocksOptions options, Salvage salvage, FileCheck progress) {
    return new StoreRepair(directory, options, salvage, progress).run();
  }

  private List<StoreDamage> run() {
    List<StoreDamage> damage = new ArrayList<>();
    Outcomes outcomes;
    try (FileChannel channel =
            FileChannel.open(
                directory.resolve("LOCK"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        throw LogRecovery.inUse(directory);
      }
      Path finished = swap.finish();
      if (finished != null) {
        damage.add(
            other(
                directory,
                "an earlier repair was interrupted and has now been completed; the original files are in %s"
                    .formatted(finished),
                finished));
      }
      swap.clearDraft();
      outcomes = mend();
    } catch (OverlappingFileLockException e) {
      throw LogRecovery.inUse(directory);
    } catch (IOException e) {
      throw new StoreException(
          "the rocksdb store in %s cannot be repaired: %s".formatted(directory, e.getMessage()), e);
    }
    damage.addAll(outcomes.mended);
    try (RocksStore store = new RocksStore(directory, options, salvage)) {
      for (StoreDamage found : store.damage()) {
        // Every crash leaves a torn tail.
        if (found.kind() != Kind.TORN_TAIL) {
          damage.add(found);
        }
      }
      for (LostKeys lost : outcomes.lost) {
        damage.add(damage(lost, store));
      }
    } catch (DamagedStoreException e) {
      if (outcomes.rebuilt) {
        throw e;
      }
      throw new StoreException(
          "the rocksdb store in %s cannot be repaired: %s".formatted(directory, e.getMessage()), e);
    }
    report(damage);
    return damage;
  }

  /**
   * Damage that was found before the store could be opened.
   *
   * @param mended damage without lost cells
   * @param lost ranges of keys that may have lost cells
   * @param rebuilt whether the store was made anew from its files
   */
  private record Outcomes(List<StoreDamage> mended, List<LostKeys> lost, boolean rebuilt) {}

  private Outcomes mend() throws IOException {
    if (isEmpty()) {
      return new Outcomes(List.of(), List.of(), false);
    }
    Inventory inventory = Inventory.of(directory);
    TableSet tables = new TableSet(directory, inventory);
    List<StoreDamage> mended = new ArrayList<>();
    boolean isSound = checkTables(tables, mended) && mended.isEmpty();
    String manifest = inventory.manifestProblem();
    if (isSound && manifest == null) {
      mendCurrent(inventory, mended);
      return new Outcomes(mended, List.of(), false);
    }
    ensureSpace(tables.bytes());
    mended.addAll(
        LogRecovery.mend(directory, options.sync(), salvage).stream()
            .filter(found -> found.kind() != Kind.TORN_TAIL)
            .toList());
    if (manifest != null) {
      boolean counted = !inventory.tablesAtStop().isEmpty();
      mended.add(
          other(
              directory.resolve(inventory.manifest().name()),
              manifest
                  + (counted
                      ? "; the table files of the last clean stop were used instead"
                      : "; all table files in the folder were used instead: recently deleted or overwritten cells may have reappeared, and a missing file cannot be identified"),
              directory.resolve(aside)));
    }
    List<LostKeys> lost =
        new Rebuild(directory, swap.draft(), options).run(tables, inventory.manifest(), progress);
    swap.run(aside);
    return new Outcomes(mended, lost, true);
  }

  /**
   * Reads all table files.
   *
   * @param mended receives the files that are damaged but have lost nothing
   * @return whether no file has lost a cell
   */
  private boolean checkTables(TableSet tables, List<StoreDamage> mended) throws IOException {
    boolean isWhole = tables.lost().isEmpty();
    for (SstFile file : tables.readable()) {
      progress.reading(String.valueOf(file.path().getFileName()), Files.size(file.path()));
      boolean hasLost = !TableSet.damaged(file).isEmpty();
      isWhole &= !hasLost;
      String problem = hasLost ? null : TableFiles.openingProblem(file.path());
      if (problem != null) {
        mended.add(
            other(
                file.path(),
                "file %s is damaged (%s); all of its cells could be read, and nothing of it is lost"
                    .formatted(file.path(), problem),
                directory.resolve(aside)));
      }
    }
    return isWhole;
  }

  /** Makes CURRENT name the MANIFEST again, if only CURRENT is damaged. */
  private void mendCurrent(Inventory inventory, List<StoreDamage> mended) throws IOException {
    if (inventory.currentProblem() == null) {
      return;
    }
    keepCurrent();
    Inventory.writeCurrent(directory, inventory.manifest().name());
    mended.add(
        other(
            directory.resolve("CURRENT"),
            inventory.currentProblem()
                + "; it names %s again, and nothing is lost".formatted(inventory.manifest().name()),
            null));
  }

  private boolean isEmpty() throws IOException {
    try (var files =
        Files.newDirectoryStream(directory, "{CURRENT,*.sst,*.log,MANIFEST-*,varve-state}")) {
      return !files.iterator().hasNext();
    }
  }

  private void keepCurrent() throws IOException {
    Path current = directory.resolve("CURRENT");
    if (Files.exists(current)) {
      Path folder = directory.resolve(aside);
      PrivateDirectory.make(folder);
      Files.copy(current, folder.resolve("CURRENT"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private void ensureSpace(long tables) throws IOException {
    long needed = tables + options.memoryBytes() + SPACE_BESIDE;
    long free = Files.getFileStore(directory).getUsableSpace();
    if (free < needed) {
      throw new IOException(
          "copying the readable cells may need %,d MB, but only %,d MB are free on the disk; nothing was changed"
              .formatted(needed >> 20, free >> 20));
    }
  }

  private StoreDamage other(Path file, String text, @Nullable Path keptIn) {
    return new StoreDamage(
        Kind.OTHER,
        Outcome.SET_ASIDE,
        file.toString(),
        -1,
        0,
        -1,
        null,
        null,
        keptIn == null ? null : keptIn.toString(),
        now,
        text);
  }

  private StoreDamage damage(LostKeys lost, RocksStore store) {
    Path kept = directory.resolve(aside);
    List<RowSpan> rows = lost.family() == 0 ? List.of() : store.rows(lost.from(), lost.to());
    String where =
        lost.offset() < 0
            ? "file %s is lost (%s)".formatted(lost.file(), lost.reason())
            : "the block of %,d bytes at offset %d of file %s is lost (%s)"
                .formatted(lost.bytes(), lost.offset(), lost.file(), lost.reason());
    String what =
        lost.family() == 0
            ? "it held the list of tables, which was restored from its copy"
            : rows.stream().map(RowSpan::toString).collect(Collectors.joining("; "))
                + "; in these rows cells are missing, and overwritten or deleted cells may have reappeared";
    return new StoreDamage(
        Kind.TABLE_FILE,
        Outcome.SET_ASIDE,
        lost.file().toString(),
        lost.offset(),
        lost.bytes(),
        -1,
        null,
        null,
        kept.toString(),
        now,
        rows,
        "%s: %s; the file is kept in %s".formatted(where, what, kept));
  }

  private void report(List<StoreDamage> damage) {
    Path folder = directory.resolve(aside);
    if (!Files.isDirectory(folder)) {
      return;
    }
    try {
      Files.write(folder.resolve("REPORT"), damage.stream().map(StoreDamage::description).toList());
      LogFiles.sync(folder);
    } catch (IOException e) {
      throw new StoreException("the report of the repair cannot be written: " + e, e);
    }
  }
}
