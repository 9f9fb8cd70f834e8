package dev.varve.store.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A copy of a directory that a store has open, as a crash at one instant would leave it.
 *
 * <p>A store merges and deletes files in the background. A copy made meanwhile may lack a file that
 * its list of files names, and no crash leaves such a directory. The copy is therefore repeated
 * until no file came, went or changed while it was made.
 */
public final class CrashImage {
  private static final int ATTEMPTS = 100;

  private CrashImage() {}

  /**
   * Copies the files of a directory and of all folders in it.
   *
   * @param live the directory; nobody may write to its store during the copy
   * @param to the copy's directory; what it holds is removed
   * @throws IllegalStateException if the files still change after a hundred attempts
   */
  public static void copy(Path live, Path to) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Map<Path, String> before = files(live);
      if (copied(live, before, to) && files(live).equals(before)) {
        return;
      }
    }
    throw new IllegalStateException("the files of " + live + " change without an end");
  }

  private static boolean copied(Path live, Map<Path, String> files, Path to) throws IOException {
    if (Files.exists(to)) {
      delete(to);
    }
    Files.createDirectories(to);
    try {
      for (Path file : files.keySet()) {
        Path copy = to.resolve(live.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
      return true;
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  /** Returns every file with its size and the time of its last change. */
  private static Map<Path, String> files(Path directory) throws IOException {
    Map<Path, String> found = new TreeMap<>();
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            found.put(file, attributes.size() + " " + attributes.lastModifiedTime());
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }
        });
    return found;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files
          .sorted((a, b) -> b.compareTo(a))
          .forEach(file -> {
            try {
              Files.delete(file);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }
}
