package dev.varve.engine;

import dev.varve.engine.backup.BackupFolder;
import dev.varve.engine.progress.Remnant;
import dev.varve.engine.progress.Remnant.Kind;
import dev.varve.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the copies of embedded stores that a server knows of: snapshots, backups below the
 * configured directory, and what was set aside because it was damaged.
 *
 * @param data the data directory
 * @param backups the configured directory of backups; null if there is none
 */
record LocalCopies(Path data, @Nullable Path backups) {
  private static final String SET_ASIDE = "damaged-.*";

  /**
   * Returns the copies that may be older than an instant, by kind and name.
   *
   * @throws StoreException if a directory cannot be read
   */
  List<Remnant> before(Instant instant) {
    List<Remnant> copies = new ArrayList<>();
    try {
      addSnapshots(copies);
      addBackups(copies);
      for (Path folder : folders(data)) {
        addIfAside(folder, copies);
        for (Path inner : folders(folder)) {
          addIfAside(inner, copies);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      throw new StoreException("cannot look for copies of deleted data: " + e, e);
    }
    copies.removeIf(copy -> copy.made() != null && copy.made().isAfter(instant));
    return copies;
  }

  private void addSnapshots(List<Remnant> into) throws IOException {
    for (Path folder : folders(data.resolve(Snapshots.FOLDER))) {
      String name = String.valueOf(folder.getFileName());
      Instant made = Snapshots.timeOf(name);
      String advice =
          made == null
              ? "It is not complete. The next snapshot removes it."
              : "'POST /snapshot/delete?snapshot=%s' deletes it.".formatted(name);
      into.add(Remnant.copy(Kind.SNAPSHOT, name, made, advice));
    }
  }

  private void addBackups(List<Remnant> into) throws IOException {
    if (backups == null) {
      return;
    }
    for (BackupFolder.Found found : BackupFolder.below(backups)) {
      String advice =
          found.ended()
              ? "A later backup into this directory with --keep deletes it, if it is not among those to keep."
              : "A backup is being made, or was broken off. The next one with --keep removes what it does not use.";
      into.add(Remnant.copy(Kind.BACKUP, found.name(), found.made(), advice));
    }
  }

  private void addIfAside(Path folder, List<Remnant> into) {
    if (String.valueOf(folder.getFileName()).matches(SET_ASIDE)) {
      into.add(
          Remnant.copy(
              Kind.SET_ASIDE,
              data.relativize(folder).toString(),
              null,
              "Delete it, once nobody needs it to recover lost samples."));
    }
  }

  private static List<Path> folders(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(file -> Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
          .sorted()
          .toList();
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    }
  }
}
