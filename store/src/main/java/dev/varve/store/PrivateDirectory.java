package dev.varve.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Directories of customers' data, which nobody but their owner may enter. */
public final class PrivateDirectory {
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rwx------");

  private PrivateDirectory() {}

  /**
   * Makes a directory, with mode 0700, and those above it, as usual. One that is there keeps its
   * mode.
   *
   * @throws IOException if that cannot be done, or something else has the name
   */
  public static void make(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    boolean posix = directory.getFileSystem().supportedFileAttributeViews().contains("posix");
    // Also checks that what is there by now is a directory.
    Files.createDirectories(
        directory,
        posix
            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER)}
            : new FileAttribute<?>[0]);
  }

  /** Whether others than the owner may read or enter a directory. */
  public static boolean isOpenToOthers(Path directory) throws IOException {
    if (!directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return false;
    }
    Set<PosixFilePermission> others = EnumSet.copyOf(Files.getPosixFilePermissions(directory));
    others.removeAll(OWNER);
    return !others.isEmpty();
  }
}
