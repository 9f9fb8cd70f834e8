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
 * The class loader of a plug-in. It sees the plug-in's jars, the JDK and the {@linkplain #SHARED
 * shared} packages of Varve. Plug-ins see neither each other's libraries nor those of Varve.
 */
final class PluginClasses extends URLClassLoader {
  /** Packages that a plug-in and Varve must share. */
  private static final List<String> SHARED =
      List.of("dev.varve.store.", "dev.varve.model.", "org.slf4j.", "org.jspecify.");

  private static final String SERVICE = "META-INF/services/" + StoreProvider.class.getName();

  private PluginClasses(String kind, URL[] jars) {
    super("plug-in " + kind, jars, new Shared());
  }

  /**
   * Loads the jars of a folder.
   *
   * @throws StoreException if the folder cannot be read
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

  /** Returns whether one of the jars declares a store provider. */
  boolean hasProvider() {
    return findResource(SERVICE) != null;
  }

  /** Returns the version in the manifest of the provider's jar, or null if it has none. */
  @Nullable String version() {
    URL service = findResource(SERVICE);
    try {
      if (service != null && service.openConnection() instanceof JarURLConnection jar) {
        jar.setUseCaches(false);
        // An uncached connection leaves closing its file to the caller.
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

  /**
   * Runs an action with this loader as the thread's context class loader, which some libraries use.
   */
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
   * Delegates to the JDK and the shared packages. It hides the resources of Varve's libraries,
   * including service declarations.
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
