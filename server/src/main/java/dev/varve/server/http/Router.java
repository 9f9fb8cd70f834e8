package dev.varve.server.http;

import dev.varve.server.http.Route.Load;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the route of a path. Immutable.
 *
 * <p>A path may begin with {@code /datasets/NAME}, which names the dataset, and then with {@code
 * /DIALECT}. Every dialect answers there in addition to the root, except for mounts that are not at
 * the root, and routes with one spelling, which answer at {@code /DIALECT/PATH} alone.
 */
public final class Router {
  private static final String DATASETS = "/datasets/";

  /**
   * The routes of a dialect or of the server itself, with the form of their errors.
   *
   * @param prefixed whether this is a dialect, which also answers under its name and for datasets
   *     in the path. Operators' paths concern the whole server and have one spelling, so that a
   *     proxy can forbid them by prefix
   * @param needsStores whether it answers 503 until the stores are open
   * @param atRoot whether it answers at the root too, or below its name alone
   * @param missing whether a path without a route belongs to its API, so that the error has its
   *     form
   */
  public record Mount(
      String name,
      boolean prefixed,
      boolean needsStores,
      boolean atRoot,
      List<Route> routes,
      ErrorFormat errors,
      Predicate<String> missing) {
    public Mount {
      routes = List.copyOf(routes);
    }

    /** Creates a mount that answers at the root. */
    public Mount(
        String name,
        boolean prefixed,
        boolean needsStores,
        List<Route> routes,
        ErrorFormat errors,
        Predicate<String> missing) {
      this(name, prefixed, needsStores, true, routes, errors, missing);
    }

    /** Creates a mount that claims no paths but those of its routes. */
    public Mount(
        String name,
        boolean prefixed,
        boolean needsStores,
        List<Route> routes,
        ErrorFormat errors) {
      this(name, prefixed, needsStores, routes, errors, path -> false);
    }

    /** Creates the mount of a dialect, which needs the stores. */
    public Mount(String name, boolean prefixed, List<Route> routes, ErrorFormat errors) {
      this(name, prefixed, true, routes, errors);
    }

    /** Returns the same mount, which answers below its name alone. */
    public Mount belowName() {
      return new Mount(name, true, needsStores, false, routes, errors, path -> false);
    }
  }

  /**
   * The result of a search.
   *
   * @param route null if the path is unknown, or not for this method
   * @param allowed methods of the path
   * @param pattern path of the found routes, for any method; empty for none
   * @param path path within the dialect, as it was sent
   * @param variables variable segments, as they were sent
   * @param dataset dataset named by the path, as it was sent; null for none
   */
  public record Match(
      @Nullable Mount mount,
      @Nullable Route route,
      List<String> allowed,
      String pattern,
      String path,
      List<String> variables,
      @Nullable String dataset) {
    /**
     * Returns the dataset named by the path; null for none.
     *
     * @throws HttpError 400 if it is escaped wrongly
     */
    public @Nullable String datasetName() {
      return dataset == null ? null : PathPattern.decode(dataset);
    }

    /**
     * Returns the right that a request needs. A path without a route needs an authenticated sender,
     * so that nobody else can tell which paths exist.
     */
    public Right right() {
      return route == null ? Right.LOGIN : route.right();
    }

    /**
     * Checks that a caller may do what the route does.
     *
     * @param named the dataset that the request names; null if it names none
     * @throws HttpError 403 if it may not
     */
    public void require(Caller caller, @Nullable String named) {
      caller.require(right());
      if (route != null && route.serverWide()) {
        caller.requireAllDatasets();
      }
      if (route != null && (route.serverWide() || route.allSeries())) {
        caller.requireAllSeries();
      }
      if (named != null) {
        caller.requireDataset(named);
      }
    }
  }

  private final Map<String, Mounted> prefixes = new LinkedHashMap<>();
  private final Table root = new Table();
  private final boolean operations;
  private final List<Mount> mounts;

  private record Mounted(Mount mount, Table table) {}

  private record Found(Mount mount, Route route) {}

  /** The routes of one path, by method. */
  private record Methods(Map<String, Found> routes, List<String> variables) {
    static final Methods NONE = new Methods(Map.of(), List.of());
  }

  /** Routes by path: literal paths are looked up, paths with variables are tried in turn. */
  private static final class Table {
    private final Map<String, Map<String, Found>> literal = new HashMap<>();
    private final Map<String, PathPattern> patterns = new LinkedHashMap<>();
    private final Map<String, Map<String, Found>> open = new HashMap<>();

    /**
     * Adds a route. Returns the one that already has the same method and path; null if there is
     * none.
     */
    @Nullable Found add(Mount mount, Route route) {
      PathPattern pattern = PathPattern.of(route.path());
      if (!pattern.isLiteral()) {
        patterns.put(route.path(), pattern);
      }
      return (pattern.isLiteral() ? literal : open)
          .computeIfAbsent(route.path(), path -> new LinkedHashMap<>())
          .putIfAbsent(route.method(), new Found(mount, route));
    }

    Methods find(String path) {
      Map<String, Found> known = literal.get(path);
      if (known != null) {
        return new Methods(known, List.of());
      }
      String[] segments = PathPattern.split(path);
      for (Map.Entry<String, PathPattern> entry : patterns.entrySet()) {
        List<String> variables = entry.getValue().match(segments);
        if (variables != null) {
          return new Methods(open.getOrDefault(entry.getKey(), Map.of()), variables);
        }
      }
      return Methods.NONE;
    }
  }

  /**
   * Creates the router of a listener.
   *
   * @param mounts the mounts of the listener
   * @throws IllegalArgumentException if two mounts claim a path; names all such paths
   */
  public Router(List<Mount> mounts) {
    operations =
        mounts.stream()
            .flatMap(mount -> mount.routes().stream())
            .anyMatch(route -> route.load() == Load.OPERATIONS);
    this.mounts = List.copyOf(mounts);
    List<String> clashes = new ArrayList<>();
    for (Mount mount : mounts) {
      Table own = new Table();
      for (Route route : mount.routes()) {
        own.add(mount, route);
        boolean atRoot = mount.atRoot() && !route.oneSpelling() && !route.yielding();
        Found before = atRoot ? root.add(mount, route) : null;
        if (before != null) {
          clashes.add(
              "%s %s is both %s's and %s's"
                  .formatted(route.method(), route.path(), before.mount().name(), mount.name()));
        }
      }
      if (mount.prefixed()) {
        prefixes.put("/" + mount.name(), new Mounted(mount, own));
      }
    }
    mounts.forEach(this::addWhereFree);
    if (!clashes.isEmpty()) {
      throw new IllegalArgumentException(
          String.join("; ", clashes) + ": give these dialects listeners of their own");
    }
  }

  /** Adds the routes that yield, unless another dialect has their path, for whatever method. */
  private void addWhereFree(Mount mount) {
    for (Route route : mount.routes()) {
      boolean isFree =
          root.find(route.path()).routes().values().stream()
              .allMatch(found -> found.mount().equals(mount));
      if (route.yielding() && isFree) {
        root.add(mount, route);
      }
    }
  }

  /** Returns the mounts of the listener. */
  public List<Mount> mounts() {
    return mounts;
  }

  /** Returns whether any route is for operators. */
  boolean hasOperations() {
    return operations;
  }

  /** Returns whether a request is for operators. */
  boolean isOperations(String method, String path) {
    Route route = find(method, path).route();
    return route != null && route.load() == Load.OPERATIONS;
  }

  /**
   * Finds the route of a request.
   *
   * @param path as it was sent, not decoded
   */
  public Match find(String method, String path) {
    Match found = findAnywhere(method, path);
    boolean ofServer = found.mount() != null && !found.mount().prefixed();
    boolean oneSpelling = found.route() != null && found.route().oneSpelling();
    return (ofServer || oneSpelling) && found.dataset() != null
        ? new Match(null, null, List.of(), "", found.path(), List.of(), found.dataset())
        : found;
  }

  private Match findAnywhere(String method, String path) {
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
    Mounted prefixed = slash < 0 ? null : prefixes.get(rest.substring(0, slash));
    if (prefixed != null) {
      String within = rest.substring(slash);
      return match(method, within, dataset, prefixed.table().find(within), prefixed.mount());
    }
    return match(method, rest, dataset, root.find(rest), null);
  }

  /** Returns the mount whose API a path without a route belongs to; null for none. */
  private @Nullable Mount missing(String path) {
    return mounts.stream().filter(mount -> mount.missing().test(path)).findFirst().orElse(null);
  }

  private Match match(
      String method, String path, @Nullable String dataset, Methods found, @Nullable Mount mount) {
    Map<String, Found> routes = found.routes();
    List<String> variables = found.variables();
    Found one = routes.get(method);
    if (one == null && method.equals("HEAD")) {
      one = routes.get("GET");
    }
    if (one != null) {
      String pattern = one.route().path();
      return new Match(one.mount(), one.route(), List.of(), pattern, path, variables, dataset);
    }
    if (routes.isEmpty()) {
      Mount of = mount == null ? missing(path) : mount;
      return new Match(of, null, List.of(), "", path, variables, dataset);
    }
    Found any = routes.values().iterator().next();
    List<String> allowed = List.copyOf(new TreeSet<>(routes.keySet()));
    return new Match(any.mount(), null, allowed, any.route().path(), path, variables, dataset);
  }
}
