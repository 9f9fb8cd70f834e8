package dev.varve.store;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The classes of a plug-in: those of its jars, of the JDK, and of Varve what is {@linkplain #SHARED
 * shared}. Two plug-ins never see each other's libraries, nor those of Varve.
 */
final class PluginClasses extends URLClassLoader {
  /** What a plug-in and Varve must mean the same by. */
  private static final List<String> SHARED =
      List.of("dev.varve.store.", "dev.varve.model.", "org.slf4j.", "org.jspecify.");

  private PluginClasses(String kind, URL[] jars) {
    super("plug-in " + kind, jars, new Shared());
  }

  /**
   * Loads the jars of a folder.
   *
   * @throws StoreException if it cannot be read
   */
  static PluginClasses of(String kind, Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      URL[] jars =
          files
              .filter(file -> file.toString().endsWith(".jar"))
              .sorted()
              .map(PluginClasses::url)
              .toArray(URL[]::new);
      return new PluginClasses(kind, jars);
    } catch (IOException e) {
      throw new StoreException(
          "the plug-in of store '%s' in '%s' cannot be read: %s"
              .formatted(kind, folder, e.getMessage()),
          e);
    }
  }

  private static URL url(Path jar) {
    try {
      return jar.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(jar.toString(), e);
    }
  }

  /** Runs something while libraries that ask the thread for classes are given these. */
  <T> T during(Supplier<T> action) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(this);
    try {
      return action.get();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /**
   * The JDK and what is shared; resources of Varve's libraries, services among them, are hidden.
   */
  private static final class Shared extends ClassLoader {
    private Shared() {
      super("shared", ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (SHARED.stream().anyMatch(name::startsWith)) {
        return Class.forName(name, false, PluginClasses.class.getClassLoader());
      }
      throw new ClassNotFoundException(name);
    }
  }
}
