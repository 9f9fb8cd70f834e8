package dev.varve.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Creates directories for customer data that only their owner may enter. */
public final class PrivateDirectory {
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rwx------");

  private PrivateDirectory() {}

  /**
   * Creates a directory with mode 0700, and its parents with default modes. An existing directory
   * keeps its mode.
   *
   * @throws IOException if that fails, or if the name exists and is not a directory
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
    // Unlike createDirectory, this tolerates a directory created meanwhile and rejects any other
    // file.
    Files.createDirectories(
        directory,
        posix
            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER)}
            : new FileAttribute<?>[0]);
  }

  /**
   * Returns whether anyone but the owner may read, write or enter a directory; false on file
   * systems without POSIX permissions.
   */
  public static boolean isOpenToOthers(Path directory) throws IOException {
    if (!directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return false;
    }
    Set<PosixFilePermission> others = EnumSet.copyOf(Files.getPosixFilePermissions(directory));
    others.removeAll(OWNER);
    return !others.isEmpty();
  }
}
