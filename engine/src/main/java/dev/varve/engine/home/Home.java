package dev.varve.engine.home;

import dev.varve.store.Store;

/**
 * The tables of our own that belong to a dataset. Their names begin with a dot, which no name of a
 * dataset does, so that no layout's table can meet them.
 */
public final class Home implements AutoCloseable {
  private final IdentityTable identity;
  private final SeriesTable series;
  private final MarkerTable markers;

  private Home(IdentityTable identity, SeriesTable series, MarkerTable markers) {
    this.identity = identity;
    this.series = series;
    this.markers = markers;
  }

  /** Opens the home of a dataset, and makes its tables where they are missing. */
  public static Home open(Store store, String dataset) {
    String prefix = "." + dataset + ".";
    return new Home(
        new IdentityTable(store, prefix + "dataset"),
        new SeriesTable(store, prefix + "series"),
        new MarkerTable(store, prefix + "markers"));
  }

  /** Whether a store holds the home of a dataset. */
  public static boolean isIn(Store store, String dataset) {
    return store.tables().contains("." + dataset + ".dataset");
  }

  public IdentityTable identity() {
    return identity;
  }

  public SeriesTable series() {
    return series;
  }

  public MarkerTable markers() {
    return markers;
  }

  @Override
  public void close() {
    identity.close();
    series.close();
    markers.close();
  }
}
