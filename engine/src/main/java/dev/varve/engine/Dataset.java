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
public interface Dataset {
  String name();

  /** The unit of all times. */
  Resolution resolution();

  DatasetConfig config();

  /**
   * Writes a batch and returns once what was accepted is durable.
   *
   * @throws OverloadedException if nothing was tried because too much waits
   * @throws WriteFailedException if a store failed
   */
  WriteResult write(Batch batch);

  /**
   * Starts a read.
   *
   * @throws QueryRefusedException if the plan would scan a whole table, or needs more than it may
   */
  RunCursor read(ReadRequest request);

  /**
   * The attributes of the series that match, those without a time and those with a time in range.
   */
  Stream<Attribute> attributes(Selector selector, TimeRange times);

  /**
   * How a read would go; with {@code analyze} it is also run, and says what was really read and
   * returned.
   */
  QueryExplanation explain(ReadRequest request, boolean analyze);

  /** What a batch would become: every cell, part by part. Nothing is written. */
  List<PointExplanation> explain(Batch batch);

  /**
   * The series that match, in the order of metric, then tags.
   *
   * @param times leaves out series that surely have no sample in the range; null for all
   */
  Stream<Series> series(Selector selector, @Nullable TimeRange times);

  /** Which metrics, tags and values there are. */
  Catalog catalog();
}
