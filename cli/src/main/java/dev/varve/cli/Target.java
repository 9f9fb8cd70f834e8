package dev.varve.cli;

import dev.varve.engine.CompactionProgress;
import dev.varve.engine.DeleteCount;
import dev.varve.engine.DeletionProgress;
import dev.varve.formats.export.ExportWriter;
import dev.varve.model.Batch;
import dev.varve.model.Resolution;
import dev.varve.model.Value;
import dev.varve.server.varve.PromQlParameters;
import dev.varve.server.varve.QueryParameters;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The dataset of a command, in this process or in a server. Calls block. */
public interface Target extends AutoCloseable {
  /** Returns the unit of its times. */
  Resolution resolution();

  /** Returns whether it holds fields other than {@code value}. */
  boolean holdsFields();

  /**
   * Writes a batch and returns the outcome.
   *
   * @param insists whether integers must stay integers; otherwise a layout that holds only doubles
   *     stores them as equal doubles
   */
  Written write(Batch batch, boolean insists);

  /** Runs a query and passes on its samples, series by series. */
  void query(QueryParameters parameters, SampleSink sink);

  /**
   * Writes all samples of {@link QueryParameters#ofRows}, ordered by metric, series and time, as
   * they come.
   */
  void export(QueryParameters rows, ExportWriter writer) throws IOException;

  /** Returns the explanation of a query, or the analysis of its run, as JSON. */
  String explain(QueryParameters parameters, boolean analyze);

  /** Returns the explanation of a PromQL query, or the analysis of its run, as JSON. */
  String explain(PromQlParameters parameters, boolean analyze);

  /**
   * Returns the explanation of a query in KairosDB's JSON, or the analysis of its reads, as JSON.
   */
  String explainKairosDb(String query, boolean analyze);

  /** Returns the cells that points would become, as JSON. Nothing is written. */
  String explain(Batch batch);

  /**
   * Compacts the rows named by parameters of {@link QueryParameters#ofRows}.
   *
   * @param progress called from time to time
   * @return the totals
   */
  CompactionProgress compact(QueryParameters rows, Consumer<CompactionProgress> progress);

  /**
   * Counts what a delete would hide.
   *
   * @param texts parameters of {@link dev.varve.server.varve.DeleteParameters}
   */
  DeleteCount countDeletable(Map<String, String> texts);

  /**
   * Deletes samples and waits until they are removed.
   *
   * @param texts parameters of {@link dev.varve.server.varve.DeleteParameters}
   * @param progress called from time to time
   * @return how it ended
   */
  DeletionProgress delete(Map<String, String> texts, Consumer<DeletionProgress> progress);

  @Override
  void close();

  /**
   * The outcome of a batch.
   *
   * @param coerced number of integers that were stored as doubles
   * @param reasons why the first refused points were refused, each with its point
   */
  record Written(long accepted, long refused, long coerced, List<String> reasons) {}

  /** Receives the samples of a result. */
  interface SampleSink {
    /**
     * Receives one sample.
     *
     * @param metric empty if the series of a group have different metrics
     * @param value null for a gap
     */
    void accept(String metric, Map<String, String> labels, long time, @Nullable Value value);
  }
}
