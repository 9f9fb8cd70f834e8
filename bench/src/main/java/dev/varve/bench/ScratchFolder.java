package dev.varve.bench;

import dev.varve.store.DirectoryTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A temporary folder, which is deleted with its content when it is closed.
 *
 * @param path its location
 */
public record ScratchFolder(Path path) implements AutoCloseable {
  public static ScratchFolder make() throws IOException {
    return new ScratchFolder(Files.createTempDirectory("varve-bench"));
  }

  @Override
  public void close() throws IOException {
    delete(path);
  }

  /** Deletes a folder with its content, if it exists. */
  public static void delete(Path folder) throws IOException {
    if (Files.notExists(folder)) {
      return;
    }
    DirectoryTree.delete(folder);
  }
}
