package dev.varve.engine;

import dev.varve.engine.backup.BackupSearch;
import dev.varve.engine.progress.Remnant;
import dev.varve.engine.progress.Remnant.Kind;
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
 * configured directory, and files that were set aside because they were damaged.
 *
 * @param data the data directory
 * @param backups the configured directory of backups; null if there is none
 */
record LocalCopies(Path data, @Nullable Path backups) {
  private static final String SET_ASIDE = "damaged-.*";
  private static final String KEEP =
      "A later backup into this directory with --keep deletes it, if it is not among those to keep.";

  /**
   * Returns the copies that may be older than an instant, by kind and name, and the directories
   * that cannot be read.
   */
  List<Remnant> before(Instant instant) {
    List<Remnant> copies = new ArrayList<>();
    addSnapshots(copies);
    addBackups(copies);
    for (Path folder : folders(data, Kind.SET_ASIDE, copies)) {
      addIfAside(folder, copies);
      // Snapshots were looked for above.
      if (!folder.equals(data.resolve(Snapshots.FOLDER))) {
        folders(folder, Kind.SET_ASIDE, copies).forEach(inner -> addIfAside(inner, copies));
      }
    }
    copies.removeIf(copy -> copy.made() != null && copy.made().isAfter(instant));
    return copies;
  }

  private void addSnapshots(List<Remnant> into) {
    for (Path folder : folders(data.resolve(Snapshots.FOLDER), Kind.SNAPSHOT, into)) {
      String name = String.valueOf(folder.getFileName());
      Instant made = Snapshots.timeOf(name);
      String advice =
          made == null
              ? "It is not complete. The next snapshot removes it."
              : "'POST /snapshot/delete?snapshot=%s' deletes it.".formatted(name);
      into.add(Remnant.copy(Kind.SNAPSHOT, name, made, advice));
    }
  }

  private void addBackups(List<Remnant> into) {
    if (backups == null) {
      return;
    }
    for (BackupSearch.Found found : BackupSearch.below(backups)) {
      into.add(Remnant.copy(Kind.BACKUP, found.name(), found.made(), advice(found)));
    }
  }

  private static String advice(BackupSearch.Found found) {
    if (found.problem() != null) {
      return unread(found.problem());
    }
    if (found.ended() && found.made() == null) {
      return "When it was begun is not known: an earlier build made it, or its list of files is damaged. "
          + KEEP;
    }
    return found.ended()
        ? KEEP
        : "A backup is being made, or was broken off. The next one with --keep removes what it does not use.";
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

  /** Returns the folders of a directory, sorted; adds the directory if it cannot be read. */
  private List<Path> folders(Path directory, Kind kind, List<Remnant> into) {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(file -> Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
          .sorted()
          .toList();
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (IOException | UncheckedIOException e) {
      return unread(directory, kind, e, into);
    }
  }

  private List<Path> unread(Path directory, Kind kind, Exception problem, List<Remnant> into) {
    String name = directory.equals(data) ? "." : data.relativize(directory).toString();
    into.add(Remnant.copy(kind, name, null, unread(problem)));
    return List.of();
  }

  private static String unread(Exception problem) {
    return "Varve cannot look into it: %s. Let the user of the server read it, or look there by hand."
        .formatted(problem);
  }
}
