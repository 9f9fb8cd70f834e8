package dev.varve.devstores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A program of a Debian package that {@code parts/debian/fetch} has unpacked, not installed, in the
 * source tree.
 *
 * @param debianVersion version of the package, such as {@code 3.5.3+ds1-6}
 */
public record DebianProgram(Path executable, String debianVersion) {
  /**
   * Finds a program.
   *
   * @param name name of the program in {@code usr/bin}
   * @throws DevStoreException with the command that fetches it, if it is missing
   */
  public static DebianProgram find(String debianPackage, String name) {
    Path part = Parts.folder("debian");
    Path unpacked = part.resolve("target").resolve(debianPackage);
    Path executable = unpacked.resolve("usr/bin").resolve(name);
    if (!Files.isExecutable(executable)) {
      throw new DevStoreException(
          "%s is missing: fetch it from Debian with %s %s"
              .formatted(name, part.resolve("fetch"), debianPackage));
    }
    try {
      return new DebianProgram(executable, Files.readString(unpacked.resolve("version")).strip());
    } catch (IOException e) {
      throw new DevStoreException("cannot read the version of " + debianPackage, e);
    }
  }
}
