package dev.varve.server.http;

import dev.varve.engine.Dataset;
import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.query.running.QueryOrigin;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a request, and its rights.
 *
 * @param name name in messages and logs
 * @param rights the rights. {@link Right#OPEN} is implied, and {@link Right#LOGIN} for every caller
 *     with a name or a right
 * @param datasets the datasets that the user may use; null for all
 * @param bounds the series that the user may use; null for all
 * @param authenticated whether the name was proved
 */
public record Caller(
    String name,
    Set<Right> rights,
    @Nullable Set<String> datasets,
    @Nullable SeriesBounds bounds,
    boolean authenticated) {
  /** Everyone, on a server without authentication. */
  public static final Caller ANYONE =
      new Caller("anyone", EnumSet.allOf(Right.class), null, null, false);

  /** A command on this machine, through the Unix socket in the data directory. */
  public static final Caller LOCAL =
      new Caller("local", EnumSet.allOf(Right.class), null, null, true);

  /** An unauthenticated caller, which may only use open routes. */
  static final Caller UNKNOWN = new Caller("unknown", Set.of(), Set.of(), null, false);

  public Caller {
    rights = Set.copyOf(rights);
    datasets = datasets == null ? null : Set.copyOf(datasets);
  }

  /** Creates an authenticated caller with every right on all datasets. */
  public static Caller withAllRights(String name) {
    return new Caller(name, EnumSet.allOf(Right.class), null, null, true);
  }

  /** Returns whether the caller has a right. */
  public boolean may(Right right) {
    return right == Right.OPEN
        || (right == Right.LOGIN && (authenticated || !rights.isEmpty()))
        || rights.contains(right);
  }

  /** Returns whether the caller may use a dataset. */
  public boolean mayUse(String dataset) {
    return datasets == null || datasets.contains(dataset);
  }

  /**
   * Checks a right.
   *
   * @throws HttpError 403 if the caller does not have it
   */
  public void require(Right right) {
    forbidIf(denialOfRight(right));
  }

  private @Nullable String denialOfRight(Right right) {
    return may(right)
        ? null
        : "user '%s' has no right to %s; its rights are: %s".formatted(name, right.word(), words());
  }

  private static void forbidIf(@Nullable String denial) {
    if (denial != null) {
      throw new HttpError(403, denial);
    }
  }

  /**
   * Checks a dataset. The message is the same whether or not the dataset exists.
   *
   * @throws HttpError 403 if the caller may not use it
   */
  public void requireDataset(String dataset) {
    forbidIf(denialOfDataset(dataset));
  }

  private @Nullable String denialOfDataset(String dataset) {
    return mayUse(dataset) ? null : "user '%s' may not use dataset '%s'".formatted(name, dataset);
  }

  /**
   * Checks that the caller may use all datasets, for requests that concern the whole server.
   *
   * @throws HttpError 403 otherwise
   */
  public void requireAllDatasets() {
    forbidIf(
        datasets == null
            ? null
            : "this concerns the whole server, and user '%s' may use some datasets alone"
                .formatted(name));
  }

  /**
   * Checks that the caller may use all series, for requests that no selector can limit.
   *
   * @throws HttpError 403 otherwise
   */
  public void requireAllSeries() {
    forbidIf(denialOfAllSeries());
  }

  private @Nullable String denialOfAllSeries() {
    return bounds == null
        ? null
        : "this concerns all series, and user '%s' may use those of %s alone"
            .formatted(name, bounds.text());
  }

  /**
   * Returns why the caller may not use all series of a dataset in some ways, for work that no
   * request waits for; null if it may.
   */
  public @Nullable String denialOfAll(String dataset, Right... rights) {
    for (Right right : rights) {
      String denial = denialOfRight(right);
      if (denial != null) {
        return denial;
      }
    }
    String denial = denialOfDataset(dataset);
    return denial == null ? denialOfAllSeries() : denial;
  }

  /** Returns a dataset as the caller may use it. */
  public Dataset bind(Dataset dataset) {
    return bounds == null ? dataset : dataset.within(bounds);
  }

  /** Returns whether the caller may know of a query that reads within some bounds. */
  public boolean maySee(QueryOrigin query) {
    return mayUse(query.dataset()) && (bounds == null || bounds.text().equals(query.within()));
  }

  private String words() {
    List<String> words = rights.stream().sorted().map(Right::word).toList();
    return words.isEmpty() ? "none" : String.join(", ", words);
  }
}
