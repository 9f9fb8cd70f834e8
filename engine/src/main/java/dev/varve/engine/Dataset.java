package dev.varve.engine;

import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a server holds under a name: points in, runs out. Safe for use by several threads; calls
 * block, and are meant for virtual threads.
 */
public final class Dataset {
  private final DatasetConfig config;

  @SuppressWarnings({"TypeParameterUnusedInFormals", "DoNotCallSuggester"})
  static <T> T pending() {
    throw new UnsupportedOperationException("under construction");
  }

  Dataset(DatasetConfig config, dev.varve.store.Store store) {
    this.config = config;
  }

  public String name() {
    return config.name();
  }

  /** The unit of all times. */
  public Resolution resolution() {
    return config.periods().getFirst().layouts().getFirst().resolution();
  }

  public DatasetConfig config() {
    return config;
  }

  /**
   * Writes a batch and returns once what was accepted is durable.
   *
   * @throws OverloadedException if nothing was tried because too much waits
   * @throws WriteFailedException if a store failed
   */
  public WriteResult write(Batch batch) {
    return pending();
  }

  /**
   * Starts a read.
   *
   * @throws QueryRefusedException if the plan would scan a whole table, or needs more than it may
   */
  public RunCursor read(ReadRequest request) {
    return pending();
  }

  /**
   * The attributes of the series that match, those without a time and those with a time in range.
   */
  public Stream<Attribute> attributes(Selector selector, TimeRange times) {
    return pending();
  }

  /**
   * How a read would go; with {@code analyze} it is also run, and says what was really read and
   * returned.
   */
  public QueryExplanation explain(ReadRequest request, boolean analyze) {
    return pending();
  }

  /** What a batch would become: every cell, part by part. Nothing is written. */
  public List<PointExplanation> explain(Batch batch) {
    return pending();
  }

  /**
   * The series that match, in the order of metric, then tags.
   *
   * @param times leaves out series that surely have no sample in the range; null for all
   */
  public Stream<Series> series(Selector selector, @Nullable TimeRange times) {
    return pending();
  }

  /** Which metrics, tags and values there are. */
  public Catalog catalog() {
    return pending();
  }
}
