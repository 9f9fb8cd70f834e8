package dev.varve.devstores;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The jars of the programs: folder {@code parts/NAME/target/lib} of the source tree that contains
 * the working directory, or of the one that system property {@code varve.tree} names.
 */
public final class Parts {
  private Parts() {}

  /**
   * Returns the folder with the jars of a part.
   *
   * @throws DevStoreException with the command that fetches them, if they are missing
   */
  public static Path lib(String name) {
    Path part = folder(name);
    Path lib = part.resolve("target/lib");
    if (!Files.isDirectory(lib)) {
      throw new DevStoreException(
          "the jars of %s are missing: fetch them with %s -q -f %s generate-resources"
              .formatted(name, tree().resolve("mvnw"), part.resolve("pom.xml")));
    }
    return lib;
  }

  /** Returns the folder {@code parts/NAME} of the source tree. */
  static Path folder(String name) {
    return tree().resolve("parts").resolve(name);
  }

  /** Returns all jars of a part as a class path. */
  public static String classPath(String name) {
    Path lib = lib(name);
    try (Stream<Path> jars = Files.list(lib)) {
      return jars.filter(jar -> jar.toString().endsWith(".jar"))
          .sorted()
          .map(Path::toString)
          .collect(Collectors.joining(File.pathSeparator));
    } catch (IOException e) {
      throw new DevStoreException("cannot list " + lib + ": " + e.getMessage(), e);
    }
  }

  private static Path tree() {
    String named = System.getProperty("varve.tree");
    if (named != null) {
      return Path.of(named);
    }
    Path start = Path.of("").toAbsolutePath();
    for (@Nullable Path at = start; at != null; at = at.getParent()) {
      if (Files.isDirectory(at.resolve("parts")) && Files.isRegularFile(at.resolve("mvnw"))) {
        return at;
      }
    }
    throw new DevStoreException(
        "%s is not in a source tree of Varve, which is needed to fetch real stores"
            .formatted(start));
  }
}
