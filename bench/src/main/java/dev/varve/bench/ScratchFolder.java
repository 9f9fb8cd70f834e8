package dev.varve.bench;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * A folder of the machine's for temporary files, which goes with what is in it.
 *
 * @param path where it is
 */
record ScratchFolder(Path path) implements AutoCloseable {
  static ScratchFolder make() throws IOException {
    return new ScratchFolder(Files.createTempDirectory("varve-bench"));
  }

  @Override
  public void close() throws IOException {
    delete(path);
  }

  /** Deletes a folder and all that is in it; nothing where there is none. */
  static void delete(Path folder) throws IOException {
    if (Files.notExists(folder)) {
      return;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failed)
              throws IOException {
            if (failed != null) {
              throw failed;
            }
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
