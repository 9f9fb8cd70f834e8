package dev.varve.server.dialect;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.error.UnknownDatasetException;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.Outcome;
import dev.varve.query.running.QueryOrigin;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.RunningQueries;
import dev.varve.query.running.RunningQuery;
import dev.varve.rules.GroupStatus;
import dev.varve.server.http.Caller;
import dev.varve.server.http.ClientGoneException;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.ingest.Door;
import dev.varve.server.ingest.IngestListener;
import dev.varve.server.ingest.Intake;
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
 * The services that the dialects of one listener share. Thread-safe.
 *
 * @param engine supplies null until the stores are open
 * @param dataset the dataset for requests that name none; null for the engine's default
 * @param queries shared by all listeners
 * @param door the checks and relabelling that all series pass before they are written
 * @param scraper supplies the scraper; null if the server scrapes nothing
 * @param rules states of the rule groups of a dataset
 * @param deletes whether clients of other machines may delete
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
    boolean deletes,
    Clock clock,
    String version) {
  /** The header that names the durability of samples once a write has been answered. */
  public static final String DURABILITY = "X-Varve-Durability";

  private static final Logger LOG = LoggerFactory.getLogger(DialectContext.class);

  /**
   * Returns the dataset that a request addresses, bound to the series that the caller may use.
   *
   * @throws HttpError 403 if the caller may not use it; 404 if no dataset has that name; 503 if the
   *     stores are not open yet
   */
  public Dataset dataset(Exchange exchange) {
    String named = exchange.dataset();
    return find(exchange, named == null ? dataset : named);
  }

  /**
   * Returns the dataset that a request addresses, with all its series, for data that is kept beside
   * series. The handler must check which of that data the caller may see.
   *
   * @throws HttpError as {@link #dataset(Exchange)}
   */
  public Dataset wholeDataset(Exchange exchange) {
    String named = exchange.dataset();
    Dataset found = find(named == null ? dataset : named);
    exchange.caller().requireDataset(found.name());
    return found;
  }

  /**
   * Returns the dataset named by a field of the protocol if it exists, and otherwise {@link
   * #dataset(Exchange)}. Agents often send names that nobody has configured.
   */
  public Dataset datasetIfAny(Exchange exchange, @Nullable String name) {
    return name != null && exchange.dataset() == null && datasets().contains(name)
        ? find(exchange, name)
        : dataset(exchange);
  }

  /**
   * Checks that a client may delete: it has the right to, and is on this machine, or authenticated,
   * or the configuration allows it.
   *
   * @throws HttpError 403 otherwise
   */
  public void ensureMayDelete(Exchange exchange) {
    exchange.require(Right.DELETE);
    if (!deletes && !exchange.onLoopback() && !exchange.caller().authenticated()) {
      throw new HttpError(
          403,
          "nothing is deleted over a listener that other machines reach, unless the configuration says 'deletes: allow'");
    }
  }

  /** Returns the names of the datasets that a caller may use, sorted. */
  public List<String> datasets(Exchange exchange) {
    return datasets().stream().filter(exchange.caller()::mayUse).toList();
  }

  /** Returns the queries that a caller may know of. */
  public List<RunningQuery> queries(Exchange exchange) {
    return queries.list().stream()
        .filter(query -> exchange.caller().maySee(query.origin()))
        .toList();
  }

  private List<String> datasets() {
    Engine open = engine.get();
    return open == null ? List.of() : open.datasets().stream().map(Dataset::name).sorted().toList();
  }

  /** Returns the dataset of the listener, for work that concerns all of its series. */
  public Dataset defaultDataset() {
    return find(dataset);
  }

  /**
   * Returns the dataset of the listener, as the sender of lines may use it.
   *
   * @throws HttpError 403 if the sender may not use it; 503 if the stores are not open yet
   */
  public Dataset defaultDataset(Caller sender) {
    return bound(sender, find(dataset));
  }

  /**
   * Returns a dataset that belongs to another one, such as that of its roll-ups, as a caller may
   * use the other one.
   */
  public Dataset beside(Caller caller, String name) {
    return caller.bind(find(name));
  }

  private Dataset find(Exchange exchange, @Nullable String name) {
    return bound(exchange.caller(), find(name));
  }

  /**
   * Binds a dataset to the series that a caller may use. Every named dataset passes through here.
   */
  private static Dataset bound(Caller caller, Dataset found) {
    caller.requireDataset(found.name());
    return caller.bind(found);
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

  /**
   * Returns an intake for the samples of a request, and sets the header {@link #DURABILITY} of the
   * answer.
   */
  public Intake intake(Exchange exchange, Dataset written, String dialect) {
    return intake(exchange, written, dialect, exchange.memory());
  }

  /**
   * Like {@link #intake(Exchange, Dataset, String)}.
   *
   * @param memory reservation for the columns of batches until they are written
   */
  public Intake intake(Exchange exchange, Dataset written, String dialect, Reservation memory) {
    exchange.header(DURABILITY, written.acknowledgement().word());
    return new Intake(written, dialect, ingest(), memory);
  }

  /** Returns the listener for writes: it passes series through the door and counts the outcome. */
  public IngestListener ingest() {
    return metrics.withDoor(door);
  }

  /**
   * Counts and logs items that no reader accepted, from a connection that has no dataset of its
   * own.
   *
   * @param rule the violated rule, one of a few fixed names
   * @param example describes one of the items and the reason
   */
  public void refused(String dialect, String rule, long count, Supplier<String> example) {
    metrics.refused(defaultDataset().name(), dialect, rule, count, example);
  }

  /** Counts lines of a line protocol. */
  public void lines(String dialect, String outcome, int count) {
    metrics.lines(dialect, outcome, count);
  }

  /**
   * Counts points whose sender set a TTL, which Varve ignores: the dataset's retention applies.
   * Logs a warning the first time.
   */
  public void ttlIgnored(Dataset written, String dialect, long points) {
    if (metrics.ttlIgnored(written.name(), dialect, points)) {
      Duration retention = written.config().retention();
      LOG.warn(
          "{} points for dataset '{}' have a ttl, which is ignored: the dataset keeps points {}",
          dialect,
          written.name(),
          retention == null ? "for ever" : "for " + retention);
    }
  }

  /** The work of a query, including its answer. */
  @FunctionalInterface
  public interface QueryWork {
    /**
     * Runs the work.
     *
     * @param use accounts for what the work reads and holds, and can stop it
     */
    void run(QueryUse use) throws IOException;
  }

  /** Runs a query within the default limits. */
  public void query(
      Exchange exchange, Dataset queried, String language, String text, QueryWork work)
      throws IOException {
    query(exchange, queried, language, text, queryLimits, work);
  }

  /**
   * Waits for capacity, then runs a query. The query is stopped if it times out, is killed, or its
   * client disconnects.
   *
   * @param language the language or API under which the query is counted
   * @param text the query as it is listed and logged
   * @throws dev.varve.query.running.QueryStoppedException if the query was not admitted or was
   *     stopped
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
    SeriesBounds within = exchange.caller().bounds();
    QueryOrigin origin =
        new QueryOrigin(
            queried.name(),
            language,
            text,
            exchange.client(),
            agent == null ? "" : agent,
            exchange.clientAddress().toString(),
            within == null ? "" : within.text());
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

  /**
   * Runs the work. An exception that a disconnected client caused is rethrown as {@link
   * ClientGoneException}, so that it does not count as a failure.
   */
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
