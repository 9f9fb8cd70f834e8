package dev.varve.engine.backup;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the backups in a directory and in all below it. It reads no list of files as a whole, and
 * needs no lock. Symbolic links below the directory are not followed. Backups that vanish meanwhile
 * are left out; whatever cannot be read is returned with its problem.
 */
public final class BackupSearch extends SimpleFileVisitor<Path> {
  private final Path root;
  private final List<Found> found = new ArrayList<>();

  BackupSearch(Path root) {
    this.root = root;
  }

  /**
   * A backup, or a place that cannot be read.
   *
   * @param name relative to where the search began: the directory and the id of a backup; {@value
   *     BackupFolder#UNFINISHED} in place of the id for the stored part of a backup that has not
   *     ended; or the path of the place that cannot be read
   * @param made when it was begun; null if its list of files does not say so, or it has not ended
   * @param ended whether it is a complete backup
   * @param problem why it cannot be read, so that there may be backups; null if it can
   */
  public record Found(
      String name, @Nullable Instant made, boolean ended, @Nullable IOException problem) {}

  /** Searches a directory; returns nothing if there is none. */
  public static List<Found> below(Path directory) {
    BackupSearch search = new BackupSearch(directory);
    try {
      search = new BackupSearch(directory.toRealPath());
      Files.walkFileTree(search.root, search);
    } catch (IOException e) {
      search.addUnread(search.root, e);
    }
    return search.found;
  }

  @Override
  public FileVisitResult preVisitDirectory(Path at, BasicFileAttributes attributes) {
    if (!Files.exists(at.resolve(BackupFolder.MARK))) {
      return FileVisitResult.CONTINUE;
    }
    try {
      for (Path manifest : BackupFolder.manifests(at)) {
        addBackup(manifest, at.resolve(String.valueOf(manifest.getFileName())));
      }
    } catch (IOException e) {
      addUnread(at.resolve("backups"), e);
    }
    Path unfinished = at.resolve(BackupFolder.UNFINISHED);
    if (Files.exists(unfinished)) {
      found.add(new Found(name(unfinished), null, false, null));
    }
    return FileVisitResult.SKIP_SUBTREE;
  }

  private void addBackup(Path manifest, Path named) {
    try {
      found.add(new Found(name(named), Manifest.created(manifest), true, null));
    } catch (NoSuchFileException e) {
      // Purged meanwhile.
    } catch (IOException e) {
      found.add(new Found(name(named), null, true, null));
    }
  }

  @Override
  public FileVisitResult visitFileFailed(Path file, IOException problem) {
    addUnread(file, problem);
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult postVisitDirectory(Path at, @Nullable IOException problem) {
    if (problem != null) {
      addUnread(at, problem);
    }
    return FileVisitResult.CONTINUE;
  }

  private void addUnread(Path at, IOException problem) {
    if (!(problem instanceof NoSuchFileException)) {
      found.add(new Found(name(at), null, false, problem));
    }
  }

  private String name(Path at) {
    return at.equals(root) ? "." : root.relativize(at).toString();
  }

  /** Returns the findings so far. */
  List<Found> found() {
    return found;
  }
}
