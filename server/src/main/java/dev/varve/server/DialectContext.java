package dev.varve.server;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.UnknownDatasetException;
import dev.varve.query.QueryLimits;
import dev.varve.query.rules.GroupStatus;
import dev.varve.query.running.Outcome;
import dev.varve.query.running.QueryOrigin;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.RunningQueries;
import dev.varve.server.http.ClientGoneException;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.ingest.Door;
import dev.varve.server.ingest.IngestListener;
import dev.varve.server.operations.ServerMetrics;
import dev.varve.server.scrape.Scraper;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the dialects of one listener work with. Safe for use by several threads.
 *
 * @param engine null as long as its stores are not open
 * @param dataset what answers where a request names none; null for the engine's default
 * @param queries those of all listeners
 * @param door what all series pass on their way in
 * @param scraper what the server scrapes with; null as long as it scrapes nothing
 * @param rules states of the rule groups of a dataset
 */
public record DialectContext(
    Supplier<@Nullable Engine> engine,
    @Nullable String dataset,
    RunningQueries queries,
    QueryLimits queryLimits,
    ServerMetrics metrics,
    Door door,
    Supplier<@Nullable Scraper> scraper,
    Function<Dataset, List<GroupStatus>> rules,
    Clock clock,
    String version) {
  private static final Logger LOG = LoggerFactory.getLogger(DialectContext.class);

  /**
   * The dataset that a request is for.
   *
   * @throws HttpError 404 if there is none of that name, 503 if the stores are not open yet
   */
  public Dataset dataset(Exchange exchange) {
    String named = exchange.dataset();
    return find(named == null ? dataset : named);
  }

  /**
   * The dataset that a protocol's own word names, if there is one of that name; else as {@link
   * #dataset(Exchange)}. Agents come with names that nobody has declared.
   */
  public Dataset datasetIfAny(Exchange exchange, @Nullable String name) {
    return name != null && exchange.dataset() == null && datasets().contains(name)
        ? find(name)
        : dataset(exchange);
  }

  /** The names of all datasets; none as long as the stores are not open. */
  public List<String> datasets() {
    Engine open = engine.get();
    return open == null ? List.of() : open.datasets().stream().map(Dataset::name).sorted().toList();
  }

  /** The dataset of the listener. */
  public Dataset defaultDataset() {
    return find(dataset);
  }

  private Dataset find(@Nullable String name) {
    Engine open = engine.get();
    if (open == null) {
      throw new HttpError(503, "the stores are being opened", Duration.ofSeconds(1));
    }
    try {
      return name == null ? open.defaultDataset() : open.dataset(name);
    } catch (UnknownDatasetException e) {
      throw new HttpError(404, e.getMessage() == null ? "" : e.getMessage());
    }
  }

  /** Who is told of what is written, and the door that it passes before. */
  public IngestListener ingest() {
    return metrics.behind(door);
  }

  /**
   * Counts and logs what a connection without a dataset of its own has brought and no reader took.
   *
   * @param rule that it broke; one of a few fixed names
   * @param example describes one of them, and why
   */
  public void refused(String dialect, String rule, long count, Supplier<String> example) {
    metrics.refused(defaultDataset().name(), dialect, rule, count, example);
  }

  /** Counts lines of a line protocol. */
  public void lines(String dialect, String outcome, int count) {
    metrics.lines(dialect, outcome, count);
  }

  /**
   * Counts points that are kept for as long as the dataset keeps points, though their sender has
   * named a shorter time; says so once in the log.
   */
  public void ttlIgnored(Dataset written, String dialect, long points) {
    if (metrics.ttlIgnored(written.name(), dialect, points)) {
      Duration retention = written.config().retention();
      LOG.warn(
          "{} points with a ttl come to dataset '{}': a ttl is not heeded, the dataset keeps points {}",
          dialect,
          written.name(),
          retention == null ? "for ever" : "for " + retention);
    }
  }

  /** What is done for a query, its answer included. */
  @FunctionalInterface
  public interface QueryWork {
    /**
     * Does it.
     *
     * @param use what the work reads and holds by
     */
    void run(QueryUse use) throws IOException;
  }

  /** The same, within the limits of any query. */
  public void query(
      Exchange exchange, Dataset queried, String language, String text, QueryWork work)
      throws IOException {
    query(exchange, queried, language, text, queryLimits, work);
  }

  /**
   * Lets a query in when there is room, runs it, and ends it when its time is up, when somebody
   * kills it, or when its client goes away.
   *
   * @param language or API, by which it is counted
   * @param text what is asked, as it is listed and logged
   * @throws dev.varve.query.running.QueryStoppedException if it was not let in, or ended so
   */
  public void query(
      Exchange exchange,
      Dataset queried,
      String language,
      String text,
      QueryLimits limits,
      QueryWork work)
      throws IOException {
    String agent = exchange.header("User-Agent");
    QueryOrigin origin =
        new QueryOrigin(
            queried.name(),
            language,
            text,
            exchange.client(),
            agent == null ? "" : agent,
            exchange.clientAddress().toString());
    queries.<@Nullable Void, IOException>run(
        origin,
        limits,
        query -> {
          exchange.onGone(() -> query.use().stop(Outcome.GONE));
          query.use().begun(exchange::abandonAnswer);
        },
        query -> {
          answer(work, query.use());
          return null;
        });
  }

  /** Does the work; what is thrown because nobody takes the answer is not taken for a failure. */
  private static void answer(QueryWork work, QueryUse use) throws IOException {
    try {
      work.run(use);
    } catch (RuntimeException e) {
      ClientGoneException gone = ClientGoneException.in(e);
      if (gone != null) {
        throw gone;
      }
      throw e;
    }
  }
}
