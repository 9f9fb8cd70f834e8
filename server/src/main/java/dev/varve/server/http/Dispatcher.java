package dev.varve.server.http;

import com.github.luben.zstd.ZstdIOException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import dev.varve.query.running.QueryStoppedException;
import dev.varve.query.running.Turns;
import dev.varve.server.http.Route.Load;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.StoreException;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the handler of an exchange, runs it when there is capacity, and converts exceptions to
 * answers in the dialect's form. Thread-safe.
 */
public final class Dispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  /** Records the users that delete and administer. */
  private static final Logger AUDIT = LoggerFactory.getLogger("varve.audit");

  private static final int MESSAGE_MAX = 20_000;

  private final HttpLimits limits;
  private final WebAccess web;
  private final Guard guard;
  private final RequestListener listener;
  private final BooleanSupplier storesOpen;
  private final WriteBudget budget;
  private final Gate writes;
  private final Gate reads;
  private final LongBodies longBodies;
  private final HandlerThreads threads = new HandlerThreads();
  private volatile boolean draining;

  /** Creates a dispatcher for stores that are always open. */
  public Dispatcher(HttpLimits limits, RequestListener listener) {
    this(limits, WebAccess.DEFAULTS, Guard.NONE, listener, () -> true);
  }

  /**
   * Creates a dispatcher.
   *
   * @param guard decides who sends a request
   * @param storesOpen whether mounts that need the stores may answer
   */
  public Dispatcher(
      HttpLimits limits,
      WebAccess web,
      Guard guard,
      RequestListener listener,
      BooleanSupplier storesOpen) {
    this.limits = limits;
    this.web = web;
    this.guard = guard;
    this.listener = listener;
    this.storesOpen = storesOpen;
    this.budget = new WriteBudget(limits.memory());
    this.writes = new Gate("write", 503, limits.writes(), limits.waiting(), limits.patience());
    this.longBodies = new LongBodies(limits.writes() + limits.reads(), limits.patience());
    this.reads = new Gate("read", 429, limits.reads(), limits.waiting(), limits.patience());
  }

  public int writing() {
    return writes.inFlight() + longBodies.inFlight();
  }

  public int reading() {
    return reads.inFlight();
  }

  public int waiting() {
    return writes.waiting() + reads.waiting() + longBodies.waiting();
  }

  /** Returns the budget in which requests and connections reserve memory for their data. */
  public WriteBudget budget() {
    return budget;
  }

  /** Rejects all later requests that cause load. */
  public void drain() {
    draining = true;
  }

  public boolean draining() {
    return draining;
  }

  public HttpLimits limits() {
    return limits;
  }

  /** Answers an exchange, and returns when it is answered. Never throws. */
  public void dispatch(Exchange exchange, Router router) {
    long start = System.nanoTime();
    Router.Match match = router.find(exchange.method(), exchange.rawPath());
    exchange.prepare(limits, budget);
    try {
      read(exchange, match);
      guard.headers().forEach(exchange::header);
      web.requireHost(exchange);
      admit(exchange, match);
      if (match.route() != null) {
        run(exchange, match);
      } else if (exchange.method().equals("OPTIONS") && !match.allowed().isEmpty()) {
        describe(exchange, match, router);
      } else {
        throw notFound(exchange, match);
      }
      // A client that reads its answer slowly holds no memory.
      exchange.giveBack();
      exchange.finish();
    } catch (IOException | RuntimeException e) {
      fail(exchange, match, e);
    } catch (Error e) {
      fail(exchange, match, e);
      throw e;
    } finally {
      audit(exchange);
      exchange.release();
      Router.Mount mount = match.mount();
      listener.answered(
          mount == null ? "" : mount.name(),
          match.pattern(),
          exchange.status(),
          System.nanoTime() - start,
          exchange.bytesIn(),
          exchange.bytesOut());
    }
  }

  /** Records a malformed request that was answered before it reached the dispatcher. */
  void answeredMalformed(int status) {
    listener.answered("", "", status, 0, 0, 0);
  }

  static void read(Exchange exchange, Router.Match match) {
    String dataset = match.datasetName();
    exchange.route(
        match.path(),
        match.variables().stream().map(PathPattern::decode).toList(),
        dataset == null ? datasetOfHeaders(exchange) : dataset);
  }

  /** Returns the dataset by Varve's header, or by that of Cortex and Mimir. */
  private static @Nullable String datasetOfHeaders(Exchange exchange) {
    String own = exchange.header("X-Varve-Dataset");
    return own == null ? exchange.header("X-Scope-OrgID") : own;
  }

  /** Identifies the sender of a request, and checks that it may do what the route does. */
  private void admit(Exchange exchange, Router.Match match) {
    if (match.right() == Right.OPEN) {
      exchange.caller(Caller.UNKNOWN);
      return;
    }
    exchange.caller(exchange.isLocal() ? Caller.LOCAL : guard.identify(exchange));
    exchange.auditIf(match.right());
    match.require(exchange.caller(), exchange.dataset());
  }

  private static void audit(Exchange exchange) {
    if (exchange.audited()) {
      AUDIT.info("{}", AuditLine.of(exchange));
    }
  }

  /** Answers the methods of a path and, for a preflight, whether a page may use one of them. */
  private void describe(Exchange exchange, Router.Match match, Router router) {
    exchange.header("Allow", String.join(", ", match.allowed()) + ", OPTIONS");
    String wanted = exchange.header("Access-Control-Request-Method");
    Route route = wanted == null ? null : router.find(wanted, exchange.rawPath()).route();
    web.answerPreflight(exchange, route == null ? null : route.changesState());
  }

  private static HttpError notFound(Exchange exchange, Router.Match match) {
    String path = exchange.rawPath();
    if (match.allowed().isEmpty()) {
      boolean escaped = path.indexOf('%') >= 0 || path.indexOf(';') >= 0;
      return new HttpError(
          404,
          "there is nothing at %s%s"
              .formatted(
                  path, escaped ? "; '%' and ';' are only taken where a path holds a value" : ""));
    }
    exchange.header("Allow", String.join(", ", match.allowed()));
    return new HttpError(
        405,
        "%s takes %s, not %s"
            .formatted(match.path(), String.join(" and ", match.allowed()), exchange.method()));
  }

  private void run(Exchange exchange, Router.Match match) throws IOException {
    Route route = Objects.requireNonNull(match.route());
    exchange.originCheck(() -> web.requireOrigin(exchange));
    if (route.changesState()) {
      exchange.requireOrigin();
    }
    web.allowReading(exchange, route.changesState());
    if (Objects.requireNonNull(match.mount()).needsStores() && !storesOpen.getAsBoolean()) {
      throw new HttpError(503, "the stores are being opened", Duration.ofSeconds(1));
    }
    if (route.load() == Load.NONE || route.load() == Load.OPERATIONS) {
      route.handler().handle(exchange);
      return;
    }
    if (draining) {
      throw new HttpError(503, "the server is stopping", Duration.ofSeconds(5));
    }
    if (route.load() == Load.QUERY) {
      route.handler().handle(exchange);
      return;
    }
    Gate gate = route.load() == Load.WRITE ? writes : reads;
    // The body arrives before the gate, so a slow client does not keep others from writing.
    exchange.receive();
    Turns.Turn turn = gate.enter(exchange.clientAddress());
    // A request that waits to read a long body leaves the gate, so that short ones can pass.
    exchange.waitFor(
        longBodies.of(exchange.clientAddress(), () -> gate.leave(turn), exchange::onGone));
    try {
      threads.run(route.handler(), exchange);
    } finally {
      gate.leave(turn);
    }
  }

  private void fail(Exchange exchange, Router.Match match, Throwable thrown) {
    exchange.giveBack();
    Failure failure = failure(exchange, thrown);
    if (failure.equals(GONE)) {
      exchange.status(failure.status());
      exchange.breakOff();
      return;
    }
    if (exchange.committed()) {
      LOG.info(
          "{} {} broke off half way: {}", exchange.method(), exchange.rawPath(), failure.message());
      exchange.breakOff();
      return;
    }
    exchange.reset();
    if (failure.retryAfter() != null) {
      long seconds = Math.max(1, failure.retryAfter().plusMillis(999).toSeconds());
      exchange.header("Retry-After", Long.toString(seconds));
    }
    ErrorFormat format = match.mount() == null ? ErrorFormat.PLAIN : match.mount().errors();
    String message = shortened(failure.message());
    boolean missing = failure.status() == 404 && match.pattern().isEmpty();
    String kind = missing ? ErrorFormat.NOTHING_THERE : failure.kind();
    ErrorFormat.Body body = format.of(exchange, failure.status(), kind, message);
    format.headers(message).forEach(exchange::header);
    try {
      exchange.answer(failure.status(), body.contentType(), body.bytes());
      exchange.finish();
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} {}: the error could not be sent", exchange.method(), exchange.rawPath(), e);
      exchange.breakOff();
    }
  }

  /** Shortens a message, because it may quote a long input. */
  private static String shortened(String message) {
    return message.length() <= MESSAGE_MAX ? message : message.substring(0, MESSAGE_MAX) + "...";
  }

  /** Retry delay after a failure of a store. */
  private static final Duration RETRY_STORE = Duration.ofSeconds(5);

  /** The client has disconnected and reads no answer. */
  private static final Failure GONE = new Failure(499, "the client went away");

  private record Failure(int status, String kind, String message, @Nullable Duration retryAfter) {
    Failure(int status, @Nullable String message) {
      this(status, message, null);
    }

    Failure(int status, @Nullable String message, @Nullable Duration retryAfter) {
      this(status, "", message == null ? "no reason was given" : message, retryAfter);
    }
  }

  private Failure failure(Exchange exchange, Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      Failure known = known(exchange, cause);
      if (known != null) {
        return known;
      }
    }
    String reference = Long.toHexString(ThreadLocalRandom.current().nextLong());
    LOG.error(
        "{} {} failed, reference {}", exchange.method(), exchange.rawPath(), reference, thrown);
    return new Failure(500, "internal error; see the server's log under " + reference);
  }

  /**
   * Answers a failure of a store, which is temporary. The log gets one line without a stack trace.
   */
  private static Failure failed(Exchange exchange, StoreException failure) {
    LOG.warn(
        "{} {}: the store failed: {}", exchange.method(), exchange.rawPath(), failure.getMessage());
    LOG.debug("{} {}: the store failed", exchange.method(), exchange.rawPath(), failure);
    return new Failure(503, "the store failed: " + failure.getMessage(), RETRY_STORE);
  }

  /** Answers damage. An answer that omits damaged data would be wrong. */
  private static Failure damaged(Exchange exchange, String message) {
    LOG.error("{} {}: {}", exchange.method(), exchange.rawPath(), message);
    return new Failure(
        500,
        message.contains("varve check")
            ? message
            : message + "; 'varve check' reads everything and says what is damaged");
  }

  private Failure stopped(QueryStoppedException e) {
    String message = String.valueOf(e.getMessage());
    return switch (e.outcome()) {
      case TIMEOUT -> new Failure(503, "timeout", message, e.retryAfter());
      // As in Prometheus: not an error of the server, and not worth a retry.
      case KILLED -> new Failure(499, "canceled", message, null);
      // 429, because a proxy would forward a 503, and with it the load, to another server. That is
      // right if this server is stopping.
      case BUSY -> new Failure(draining ? 503 : 429, "", message, e.retryAfter());
      case GONE, OK, REFUSED, LIMIT, FAILED -> GONE;
    };
  }

  private @Nullable Failure known(Exchange exchange, Throwable cause) {
    return switch (cause) {
      case HttpError e -> new Failure(e.status(), e.getMessage(), e.retryAfter());
      case QueryStoppedException e -> stopped(e);
      case ReadCancelledException e when exchange.timedOut() ->
          new Failure(
              503,
              "the query took longer than %d s and was stopped; ask for less"
                  .formatted(limits.timeout().toSeconds()));
      case WriteFailedException e when e.unknown() ->
          new Failure(
              503,
              e.getMessage() + "; the outcome is unknown; send the same request again",
              RETRY_STORE);
      case OverBudgetException e when e.kind() == ErrorKind.LIMIT ->
          new Failure(413, e.getMessage());
      case StoreException e when e.kind() == ErrorKind.UNAVAILABLE -> failed(exchange, e);
      case KnownError e -> failure(exchange, e, String.valueOf(cause.getMessage()));
      case ZipException e -> new Failure(400, "the body is no gzip: " + e.getMessage());
      case ZstdIOException e ->
          new Failure(400, "the body is no zstd that can be taken: " + e.getMessage());
      case EOFException e -> new Failure(400, "the body ends in the middle of what it should hold");
      case TimeoutException e -> new Failure(408, "the request did not come in time");
      default -> null;
    };
  }

  /** Chooses the status of every kind of error that has none of its own. */
  private static @Nullable Failure failure(Exchange exchange, KnownError error, String message) {
    return switch (error.kind()) {
      case USER, LIMIT -> new Failure(400, message);
      case NOT_FOUND -> new Failure(404, message);
      case OVERLOADED -> new Failure(503, message, error.retryAfter());
      // 503, not 500: many senders give up after a 500 and repeat after a 503.
      case UNAVAILABLE -> new Failure(503, message, RETRY_STORE);
      // 500, not 503: a retry would meet the same damage.
      case CORRUPT -> damaged(exchange, message);
      case CANCELLED -> GONE;
      case INTERNAL -> null;
    };
  }
}
