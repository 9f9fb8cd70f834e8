package dev.varve.engine;

import dev.varve.engine.backup.SnapshotSource;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.home.HomeExport;
import dev.varve.engine.home.ServerId;
import dev.varve.engine.home.ServerIdFile;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.store.DirectoryTree;
import dev.varve.store.PrivateDirectory;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.SyncedTo;
import dev.varve.store.WriteHold;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots of a data directory, in its folder {@value #FOLDER}. A snapshot holds all stores
 * with files here, as of one moment: all writers are stopped together. The snapshot therefore
 * equals the state after a crash at that moment, even where a dataset and its home depend on each
 * other. Homes in other stores are exported. Safe for use by several threads.
 */
public final class Snapshots {
  static final String FOLDER = "snapshots";
  private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);
  private static final Duration RETRY = Duration.ofSeconds(10);

  /** Maximum time that a call waits until another call has made or deleted a snapshot. */
  private static final Duration WAIT_MAX = Duration.ofMinutes(1);

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss").withZone(ZoneOffset.UTC);
  private static final String NAME = "\\d{14}-[0-9A-F]{16}";

  /** Suffix of a snapshot that is being made or deleted. */
  private static final String PARTIAL = ".partial";

  private final Path directory;
  private final Map<Path, Store> stores;
  private final List<Dataset> datasets;
  private final ReentrantLock changing = new ReentrantLock();

  /**
   * Creates the access to the snapshots of an engine.
   *
   * @param data the data directory
   * @param stores the open stores by their folders
   */
  Snapshots(Path data, Map<Path, Store> stores, List<Dataset> datasets) {
    this.directory = data.resolve(FOLDER);
    this.stores = Map.copyOf(stores);
    this.datasets = List.copyOf(datasets);
  }

  /** Returns the snapshots as the source of a backup. */
  public SnapshotSource source() {
    return new SnapshotSource() {
      @Override
      public Taken create() {
        Snapshot made = Snapshots.this.create();
        return new Taken(made.name(), made.directory());
      }

      @Override
      public void delete(String name) {
        Snapshots.this.delete(name);
      }
    };
  }

  /**
   * Makes a snapshot of everything acknowledged before. Writes wait meanwhile, reads do not.
   *
   * @throws OverloadedException if another snapshot is being made or deleted for long
   * @throws StoreException if a store fails, or if no store keeps files here
   */
  public Snapshot create() {
    begin();
    try {
      sealBlocks();
      String name = "%s-%016X".formatted(TIME.format(Instant.now()), new SecureRandom().nextLong());
      Path draft = directory.resolve(name + PARTIAL);
      PrivateDirectory.make(directory);
      removeAll(PARTIAL);
      PrivateDirectory.make(draft);
      try {
        copyTo(draft);
        Path done = directory.resolve(name);
        Files.move(draft, done, StandardCopyOption.ATOMIC_MOVE);
        sync(directory);
        return snapshot(done);
      } catch (IOException | RuntimeException e) {
        remove(draft);
        throw e;
      }
    } catch (IOException e) {
      throw failed("make a snapshot in", e);
    } finally {
      changing.unlock();
    }
  }

  /**
   * Waits for another snapshot to be made or deleted.
   *
   * @throws OverloadedException if that takes long
   */
  private void begin() {
    try {
      if (changing.tryLock(WAIT_MAX.toSeconds(), TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new OverloadedException("another snapshot is being made or deleted", RETRY);
  }

  /**
   * Moves journals into blocks first, so that a snapshot repeats as little as possible of the data
   * of earlier ones. The snapshot is complete without that, so the wait for a seal that fails is
   * limited.
   */
  private void sealBlocks() {
    long end = System.nanoTime() + WAIT_MAX.toNanos();
    for (Dataset dataset : datasets) {
      if (dataset.writeObstacle() == null
          && !dataset.parts().seal(Duration.ofNanos(end - System.nanoTime()))) {
        LOG.warn(
            "dataset '{}': not everything could be sealed in time; the snapshot takes the journal",
            dataset.name());
      }
    }
  }

  private void copyTo(Path draft) throws IOException {
    List<WriteHold> holds = new ArrayList<>();
    List<Path> folders = new ArrayList<>();
    try {
      for (Map.Entry<Path, Store> store : stores.entrySet()) {
        WriteHold hold = store.getValue().holdWrites();
        if (hold != null) {
          holds.add(hold);
          folders.add(store.getKey());
        }
      }
      if (holds.isEmpty() && exported().isEmpty()) {
        throw new StoreException(
            "no dataset keeps files in the data directory, or has its home in a store outside of this process");
      }
      for (int i = 0; i < holds.size(); i++) {
        holds.get(i).copyTo(draft.resolve(folders.get(i).getFileName()));
      }
    } finally {
      holds.forEach(WriteHold::close);
    }
    exportHomes(draft.resolve(HomeExport.FOLDER));
    Path id = directory.resolveSibling(ServerIdFile.NAME);
    if (Files.exists(id)) {
      Files.copy(id, draft.resolve(ServerIdFile.NAME));
      sync(draft.resolve(ServerIdFile.NAME));
    }
    sync(draft);
  }

  /** Returns the datasets whose home is in a store without files here. */
  private List<Dataset> exported() {
    return datasets.stream()
        .filter(
            dataset -> dataset.parts().open().homeStore().syncedTo() == SyncedTo.ANOTHER_PROCESS)
        .toList();
  }

  /** Exports the homes in other stores: rows as they are now, later than the linked files. */
  private void exportHomes(Path folder) throws IOException {
    List<Dataset> exported = exported();
    if (exported.isEmpty()) {
      return;
    }
    PrivateDirectory.make(folder);
    for (Dataset dataset : exported) {
      OpenDataset open = dataset.parts().open();
      HomeExport.write(
          open.home(),
          open.marks(),
          dataset.name(),
          folder.resolve(HomeExport.fileName(dataset.name())));
    }
    sync(folder);
  }

  /** A home that was restored. */
  public record RestoredHome(String dataset, long cells) {}

  /**
   * Writes the homes that a snapshot or a restored backup has in its folder {@value
   * HomeExport#FOLDER} into the stores of their datasets. Such a store must have no home of the
   * dataset, or the same one. A home that cannot be restored does not prevent the others from being
   * restored. No engine may be open.
   *
   * @param config whose directory is the snapshot or restored backup
   * @param restored receives each home that was restored
   * @return the number of homes restored
   * @throws StoreException if a home was not restored: a store has another home of the dataset or
   *     fails, a file is damaged, or no dataset is of its name. The message names all of them
   */
  public static int restoreHomes(EngineConfig config, Consumer<RestoredHome> restored)
      throws IOException {
    return restore(
        config,
        homeFiles(config.directory().resolve(HomeExport.FOLDER)),
        HomeExport::restore,
        restored);
  }

  /**
   * Restores the home of one dataset like {@link #restoreHomes}, in place of the home in its store.
   * Drops the tables of that home once the file has been read. No server may run on the store.
   *
   * @return 1; 0 if the snapshot or restored backup has no home of the dataset
   */
  public static int replaceHome(
      EngineConfig config, String dataset, Consumer<RestoredHome> restored) throws IOException {
    Map<String, Path> files = homeFiles(config.directory().resolve(HomeExport.FOLDER));
    files.keySet().retainAll(Set.of(dataset));
    return restore(config, files, HomeExport::replace, restored);
  }

  /** Writes a home from a file into a store and returns the number of its cells. */
  @FunctionalInterface
  private interface HomeWriting {
    long write(Store store, String dataset, ServerId server, Path file) throws IOException;
  }

  private static int restore(
      EngineConfig config,
      Map<String, Path> files,
      HomeWriting writing,
      Consumer<RestoredHome> restored) {
    int found = files.size();
    List<String> failures = new ArrayList<>();
    try (Stores stores = new Stores(config, Stores.Opener.OF_SERVICES)) {
      for (DatasetConfig dataset : config.datasets()) {
        Stores.OfDataset of = stores.of(dataset);
        ServerId server = of.server();
        Path file = server == null ? null : files.remove(dataset.name());
        if (server != null && file != null) {
          try {
            long cells = writing.write(of.home(), dataset.name(), server, file);
            restored.accept(new RestoredHome(dataset.name(), cells));
          } catch (IOException | StoreException e) {
            failures.add("dataset '%s': %s".formatted(dataset.name(), e.getMessage()));
          }
        }
      }
    }
    files.forEach((dataset, file) ->
        failures.add(
            "'%s': the configuration has no dataset '%s' in a store outside of the server"
                .formatted(file, dataset)));
    if (!failures.isEmpty()) {
      throw new StoreException(String.join("; ", failures));
    }
    return found;
  }

  /** Returns the files of homes in a folder, by dataset. */
  private static Map<String, Path> homeFiles(Path folder) throws IOException {
    Map<String, Path> files = new TreeMap<>();
    if (Files.isDirectory(folder)) {
      try (Stream<Path> all = Files.list(folder)) {
        for (Path file : all.toList()) {
          String dataset = HomeExport.datasetOf(String.valueOf(file.getFileName()));
          if (dataset != null) {
            files.put(dataset, file);
          }
        }
      }
    }
    return files;
  }

  /** Returns all snapshots, oldest first. */
  public List<Snapshot> list() {
    try {
      List<Snapshot> all = new ArrayList<>();
      for (Path one : named(NAME)) {
        Snapshot found = snapshotIfThere(one);
        if (found != null) {
          all.add(found);
        }
      }
      return all;
    } catch (IOException e) {
      throw failed("list", e);
    }
  }

  /**
   * Deletes a snapshot.
   *
   * @return whether there was one of that name
   * @throws OverloadedException if another snapshot is being made or deleted for long
   */
  public boolean delete(String name) {
    if (!name.matches(NAME) || !Files.isDirectory(directory.resolve(name))) {
      return false;
    }
    begin();
    try {
      // Nobody sees half a snapshot, even if the process ends here.
      Path partial = directory.resolve(name + PARTIAL);
      Files.move(directory.resolve(name), partial, StandardCopyOption.ATOMIC_MOVE);
      remove(partial);
      return true;
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw failed("delete from", e);
    } finally {
      changing.unlock();
    }
  }

  /** Deletes all snapshots and returns their number. */
  public int deleteAll() {
    int deleted = 0;
    for (Snapshot snapshot : list()) {
      deleted += delete(snapshot.name()) ? 1 : 0;
    }
    return deleted;
  }

  private StoreException failed(String what, IOException e) {
    return new StoreException("cannot %s %s: %s".formatted(what, directory, e), e);
  }

  /** Returns a snapshot; null if it has been deleted meanwhile. */
  private static @Nullable Snapshot snapshotIfThere(Path directory) throws IOException {
    try {
      return snapshot(directory);
    } catch (IOException | UncheckedIOException e) {
      if (Files.exists(directory)) {
        throw e;
      }
      return null;
    }
  }

  /** Returns when a snapshot was begun, to the second; null if it is not complete. */
  static @Nullable Instant timeOf(String name) {
    return name.matches(NAME) ? TIME.parse(name.substring(0, 14), Instant::from) : null;
  }

  private static Snapshot snapshot(Path directory) throws IOException {
    String name = String.valueOf(directory.getFileName());
    Instant created = TIME.parse(name.substring(0, 14), Instant::from);
    long bytes = 0;
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
      }
    }
    return new Snapshot(name, directory, created, bytes);
  }

  private List<Path> named(String pattern) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> String.valueOf(file.getFileName()).matches(pattern))
          .sorted()
          .toList();
    }
  }

  private void removeAll(String suffix) throws IOException {
    for (Path rest : named(".*" + suffix.replace(".", "\\."))) {
      remove(rest);
    }
  }

  private static void remove(Path partial) {
    try {
      DirectoryTree.delete(partial);
    } catch (NoSuchFileException e) {
      LOG.debug("{} was removed before", partial);
    } catch (IOException e) {
      LOG.warn("{} is not removed; the next snapshot tries again: {}", partial, e.toString());
    }
  }

  private static void sync(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
