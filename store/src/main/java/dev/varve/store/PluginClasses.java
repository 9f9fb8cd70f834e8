package dev.varve.store;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The classes of a plug-in: those of its jars, of the JDK, and of Varve what is {@linkplain #SHARED
 * shared}. Two plug-ins never see each other's libraries, nor those of Varve.
 */
final class PluginClasses extends URLClassLoader {
  /** What a plug-in and Varve must mean the same by. */
  private static final List<String> SHARED =
      List.of("dev.varve.store.", "dev.varve.model.", "org.slf4j.", "org.jspecify.");

  private static final String SERVICE = "META-INF/services/" + StoreProvider.class.getName();

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

  /** Whether one of the jars names a provider of a store. */
  boolean hasProvider() {
    return findResource(SERVICE) != null;
  }

  /** The version that the jar of the provider says it is of; null where it says none. */
  @Nullable String version() {
    URL service = findResource(SERVICE);
    try {
      if (service != null && service.openConnection() instanceof JarURLConnection jar) {
        jar.setUseCaches(false);
        // Closing the file of a connection that is not cached is the caller's affair.
        try (JarFile file = jar.getJarFile()) {
          Manifest manifest = file.getManifest();
          return manifest == null
              ? null
              : manifest.getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
        }
      }
    } catch (IOException e) {
      throw new StoreException(
          "the jar of plug-in '%s' cannot be read: %s".formatted(getName(), e.getMessage()), e);
    }
    return null;
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
