package dev.varve.store;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the provider for a kind of store, on the class path or as a plug-in. A plug-in is a folder
 * of jars, named after the kind, inside one of the folders listed in system property {@value
 * #PLUGINS}. It is loaded once, by its own class loader ({@link PluginClasses}).
 */
public final class StoreProviders {
  /** System property with the folders that contain plug-ins, separated like a class path. */
  public static final String PLUGINS = "varve.plugins";

  /**
   * Resource in which a distribution lists the kinds of its plug-ins, one per line. It makes error
   * messages more precise; a plug-in that it does not list is loaded as well.
   */
  public static final String SHIPPED = "META-INF/varve/store-plugins";

  private static final Map<Path, StoreProvider> LOADED = new ConcurrentHashMap<>();

  private StoreProviders() {}

  /**
   * Returns the provider for a kind.
   *
   * @throws StoreException naming what is missing and where it was looked for, or if the plug-in's
   *     version differs from Varve's
   */
  public static StoreProvider of(String kind) {
    StoreProvider own = onClassPath().get(kind);
    if (own != null) {
      return own;
    }
    List<Path> places = places();
    for (Path place : places) {
      Path folder = place.resolve(kind);
      if (kind.matches("[a-z0-9-]+") && Files.isDirectory(folder)) {
        return LOADED.computeIfAbsent(
            folder.toAbsolutePath().normalize(), found -> load(kind, found, ownVersion()));
      }
    }
    throw missing(kind, places);
  }

  private static Map<String, StoreProvider> onClassPath() {
    Map<String, StoreProvider> providers = new TreeMap<>();
    ServiceLoader.load(StoreProvider.class, StoreProviders.class.getClassLoader())
        .forEach(provider -> providers.put(provider.kind(), provider));
    return providers;
  }

  private static List<Path> places() {
    List<Path> places = new ArrayList<>();
    for (String place : System.getProperty(PLUGINS, "").split(File.pathSeparator, -1)) {
      if (!place.isBlank()) {
        places.add(Path.of(place));
      }
    }
    return places;
  }

  /**
   * Returns the version in the manifest of Varve's jar, or null if the classes are not in a jar.
   */
  private static @Nullable String ownVersion() {
    return StoreProviders.class.getPackage().getImplementationVersion();
  }

  /** Loads a plug-in for a version of Varve; null accepts any version. */
  static StoreProvider load(String kind, Path folder, @Nullable String version) {
    PluginClasses classes = PluginClasses.of(kind, folder);
    String found = classes.version();
    if (version != null && classes.hasProvider() && !version.equals(found)) {
      throw new StoreException(
          "the plug-in of store '%s' in '%s' has version %s, but this is Varve %s: empty the folder and unpack the plug-in for this version"
              .formatted(kind, folder, found == null ? "unknown" : found, version));
    }
    try {
      for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, classes)) {
        if (provider.kind().equals(kind)) {
          return new Plugin(classes, provider, folder);
        }
      }
    } catch (LinkageError | ServiceConfigurationError e) {
      throw broken(kind, folder, e);
    }
    throw new StoreException(
        "folder '%s' contains no plug-in for store '%s': unpack it again".formatted(folder, kind));
  }

  private static StoreException broken(String kind, Path folder, Error e) {
    return new StoreException(
        "the plug-in of store '%s' in '%s' is incompatible with this version of Varve (%s): empty the folder and unpack the plug-in for this version"
            .formatted(kind, folder, e),
        e);
  }

  private static StoreException missing(String kind, List<Path> places) {
    List<String> plugins = shipped();
    if (plugins.contains(kind)) {
      String where =
          places.isEmpty()
              ? "no plug-in folders are configured (-D" + PLUGINS + ")"
              : "there is no folder '" + kind + "' in " + places;
      return new StoreException(
          "store '%s' is a plug-in that is not installed: %s. In a source tree './mvnw -q -Dfast -Dmaven.test.skip=true -pl stores/%s -am package' builds it; in a distribution, unpack varve-store-%s into the folder 'plugins'"
              .formatted(kind, where, kind, kind));
    }
    return new StoreException(
        "there is no store '%s'; available: %s%s"
            .formatted(
                kind,
                String.join(", ", onClassPath().keySet()),
                plugins.isEmpty() ? "" : ", and as plug-ins: " + String.join(", ", plugins)));
  }

  /** Returns the kinds of the plug-ins that the distribution has; none if it lists none. */
  private static List<String> shipped() {
    try (InputStream list = StoreProviders.class.getResourceAsStream("/" + SHIPPED)) {
      return list == null
          ? List.of()
          : new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new StoreException(SHIPPED + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** A provider from a plug-in, which opens its stores with the plug-in's class loader. */
  private record Plugin(PluginClasses classes, StoreProvider provider, Path folder)
      implements StoreProvider {
    @Override
    public String kind() {
      return provider.kind();
    }

    @Override
    public Store open(Path directory, long memory, Map<String, String> options) {
      return among(() -> provider.open(directory, memory, options));
    }

    @Override
    public Store recover(
        Path directory, long memory, Map<String, String> options, Salvage salvage) {
      return among(() -> provider.recover(directory, memory, options, salvage));
    }

    private Store among(Supplier<Store> opening) {
      try {
        return classes.during(opening);
      } catch (LinkageError e) {
        throw broken(kind(), folder, e);
      }
    }
  }
}
