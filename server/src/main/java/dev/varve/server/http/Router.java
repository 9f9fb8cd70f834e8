package dev.varve.server.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which route answers a path. Immutable once built.
 *
 * <p>A path may begin with {@code /datasets/NAME}, which names the dataset, and then with {@code
 * /DIALECT}, under which every dialect answers besides the root.
 */
public final class Router {
  private static final String DATASETS = "/datasets/";

  /**
   * A dialect's routes and how it words errors.
   *
   * @param prefixed whether it also answers under its name
   */
  public record Mount(String name, boolean prefixed, List<Route> routes, ErrorFormat errors) {
    public Mount {
      routes = List.copyOf(routes);
    }
  }

  /**
   * What was found for a path.
   *
   * @param route null where the path is not known, or not for this method
   * @param allowed methods that the path has
   * @param path within the dialect
   */
  public record Match(
      @Nullable Mount mount,
      @Nullable Route route,
      List<String> allowed,
      String path,
      @Nullable String dataset) {}

  private final Map<String, Mount> prefixes = new LinkedHashMap<>();
  private final Map<String, Map<String, Found>> root = new HashMap<>();

  /** Those of {@link #root} whose path means more than one. */
  private final List<String> open = new ArrayList<>();

  private record Found(Mount mount, Route route) {}

  /**
   * @param mounts the dialects of a listener
   * @throws IllegalArgumentException naming every path that two of them claim
   */
  public Router(List<Mount> mounts) {
    List<String> clashes = new ArrayList<>();
    for (Mount mount : mounts) {
      if (mount.prefixed()) {
        prefixes.put("/" + mount.name(), mount);
      }
      for (Route route : mount.routes()) {
        if (Route.isOpen(route.path()) && !open.contains(route.path())) {
          open.add(route.path());
        }
        Found before =
            root.computeIfAbsent(route.path(), p -> new LinkedHashMap<>())
                .putIfAbsent(route.method(), new Found(mount, route));
        if (before != null) {
          clashes.add(
              "%s %s is both %s's and %s's"
                  .formatted(route.method(), route.path(), before.mount().name(), mount.name()));
        }
      }
    }
    if (!clashes.isEmpty()) {
      throw new IllegalArgumentException(
          String.join("; ", clashes) + ": give these dialects listeners of their own");
    }
  }

  public Match find(String method, String path) {
    String rest = path;
    String dataset = null;
    if (rest.startsWith(DATASETS)) {
      int end = rest.indexOf('/', DATASETS.length());
      if (end > 0) {
        dataset = rest.substring(DATASETS.length(), end);
        rest = rest.substring(end);
      }
    }
    int slash = rest.indexOf('/', 1);
    Mount prefixed = slash < 0 ? null : prefixes.get(rest.substring(0, slash));
    if (prefixed != null) {
      String within = rest.substring(slash);
      Map<String, Found> methods = new LinkedHashMap<>();
      for (Route route : prefixed.routes()) {
        if (Route.matches(route.path(), within)) {
          methods.put(route.method(), new Found(prefixed, route));
        }
      }
      return match(method, within, dataset, methods, prefixed);
    }
    return match(method, rest, dataset, atRoot(rest), null);
  }

  private Map<String, Found> atRoot(String path) {
    Map<String, Found> known = root.get(path);
    if (known != null) {
      return known;
    }
    for (String pattern : open) {
      if (Route.matches(pattern, path)) {
        return root.getOrDefault(pattern, Map.of());
      }
    }
    return Map.of();
  }

  private static Match match(
      String method,
      String path,
      @Nullable String dataset,
      Map<String, Found> methods,
      @Nullable Mount mount) {
    Found found = methods.get(method);
    if (found == null && method.equals("HEAD")) {
      found = methods.get("GET");
    }
    if (found == null) {
      Mount of = methods.isEmpty() ? mount : methods.values().iterator().next().mount();
      return new Match(of, null, List.copyOf(new TreeSet<>(methods.keySet())), path, dataset);
    }
    return new Match(found.mount(), found.route(), List.of(), path, dataset);
  }
}
