package dev.varve.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Measures folders. */
final class Folder {
  private Folder() {}

  /** Returns the bytes of all files below a folder. */
  static long bytes(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /** Returns the bytes of all folders of a name below another; -1 if there are none. */
  static long bytesBelow(Path folder, String name) throws IOException {
    if (!Files.isDirectory(folder)) {
      return -1;
    }
    List<Path> found;
    try (Stream<Path> all = Files.walk(folder)) {
      found = all.filter(path -> path.getFileName().toString().equals(name)).toList();
    }
    long bytes = 0;
    for (Path each : found) {
      bytes += bytes(each);
    }
    return found.isEmpty() ? -1 : bytes;
  }
}
