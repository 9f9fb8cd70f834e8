package dev.varve.server.http;

import dev.varve.query.running.Ticker;
import dev.varve.server.http.ConnectionFigures.Event;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;

/** An exchange on top of Jetty. */
final class JettyExchange extends Exchange {
  /** Maximum time that a client may send on after its answer. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Request request;
  private final Response response;
  private final Callback callback;
  private final Ticker<JettyExchange> watch;
  private final long deadline;
  private final boolean onLoopback;
  private final Runnable onEnd;
  private final InetAddress address;
  private final ConnectionFigures figures;
  private final @Nullable OperationsLane lane;
  private @Nullable Fields parameters;
  private volatile @Nullable Runnable abort;
  private volatile boolean timed;
  private volatile boolean timedOut;
  private volatile @Nullable RequestBody body;

  /**
   * Guards actions of other threads on the connection, which must not happen after it was returned
   * for the next request.
   */
  private final Object underWay = new Object();

  /** Whether the handler has returned; guarded by {@link #underWay}. */
  private boolean completed;

  /** Whether the answer is sent; guarded by {@link #underWay}. */
  private boolean ended;

  /** The answer if it is sent as a whole; null otherwise. */
  private @Nullable ByteArrayOutputStream held;

  /**
   * Creates an exchange.
   *
   * @param watch calls {@link #check} while the request can be abandoned
   * @param deadline time at which the request times out, by {@link System#nanoTime}
   * @param address address of the client, behind trusted proxies
   * @param lane the operators' lane; null for other requests
   * @param onEnd runs once, when the answer is sent or abandoned
   */
  JettyExchange(
      Request request,
      Response response,
      Callback callback,
      Ticker<JettyExchange> watch,
      long deadline,
      boolean onLoopback,
      InetAddress address,
      ConnectionFigures figures,
      @Nullable OperationsLane lane,
      Runnable onEnd) {
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.watch = watch;
    this.deadline = deadline;
    this.onLoopback = onLoopback;
    this.address = address;
    this.figures = figures;
    this.lane = lane;
    this.onEnd = onEnd;
    // The idle timeout applies while a body arrives or leaves, not while an answer is computed.
    request.addIdleTimeoutListener(timeout -> false);
  }

  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public String rawPath() {
    return rawPath(request);
  }

  /** Returns the path as it was sent; empty for CONNECT, whose target is an authority. */
  static String rawPath(Request request) {
    String path = request.getHttpURI().getPath();
    return path == null ? "" : path;
  }

  @Override
  public String rawQuery() {
    String query = request.getHttpURI().getQuery();
    return query == null ? "" : query;
  }

  @Override
  public @Nullable String parameter(String name) {
    return ofUrl().getValue(name);
  }

  @Override
  public List<String> parameters(String name) {
    return ofUrl().getValuesOrEmpty(name);
  }

  private Fields ofUrl() {
    Fields known = parameters;
    if (known == null) {
      try {
        known = Request.extractQueryParameters(request);
      } catch (RuntimeException e) {
        throw HttpError.badRequest("what follows the '?' of the address is not URL-encoded UTF-8");
      }
      parameters = known;
    }
    return known;
  }

  @Override
  public @Nullable String header(String name) {
    return request.getHeaders().get(name);
  }

  @Override
  protected InputStream transportBody() {
    RequestBody begun = newBody();
    body = begun;
    return begun;
  }

  private RequestBody newBody() {
    return new RequestBody(
        request,
        request.getLength(),
        deadline,
        limits().connections(),
        () -> figures.count(Event.BODY_RATE));
  }

  @Override
  protected OutputStream commit(int code, Map<String, String> fields, long length) {
    response.setStatus(code);
    fields.forEach((name, value) -> response.getHeaders().put(name, value));
    if (!noMoreBody()) {
      // The rest of the body is not read, so no other request can follow.
      response.getHeaders().put("Connection", "close");
    }
    if (length >= 0 && code != 204 && code != 304) {
      response.getHeaders().put("Content-Length", length);
    }
    if (lane != null) {
      ByteArrayOutputStream whole = new ByteArrayOutputStream();
      held = whole;
      return whole;
    }
    Duration patience = limits().connections().idle();
    return new AnswerBody(
        response, new Pace(limits().connections().minRate(), patience), this::giveUpAnswer);
  }

  private void giveUpAnswer() {
    figures.count(Event.ANSWER_RATE);
    hangUp();
  }

  @Override
  protected void breakOff() {
    // Jetty would log a stack trace for any other exception.
    complete(new EofException("broken off"));
    endPoint().close();
  }

  @Override
  protected void hangUp() {
    synchronized (underWay) {
      if (!completed) {
        endPoint().close();
      }
    }
  }

  @Override
  public boolean isEncrypted() {
    return encrypted() instanceof SslConnection.SslEndPoint;
  }

  /** Returns the connection below encryption, which closes without waiting for the client. */
  private WatchedEndPoint endPoint() {
    return WatchedEndPoint.below(encrypted());
  }

  private EndPoint encrypted() {
    return request.getConnectionMetaData().getConnection().getEndPoint();
  }

  @Override
  public @Nullable X509Certificate clientCertificate() {
    return ServerTls.certificate(encrypted());
  }

  @Override
  public boolean isLocal() {
    return request.getConnectionMetaData().getRemoteSocketAddress()
        instanceof UnixDomainSocketAddress;
  }

  @Override
  public String client() {
    SocketAddress peer = request.getConnectionMetaData().getRemoteSocketAddress();
    if (peer instanceof UnixDomainSocketAddress) {
      return "local";
    }
    return peer instanceof InetSocketAddress direct && address.equals(direct.getAddress())
        ? address.getHostAddress() + ":" + direct.getPort()
        : address.getHostAddress();
  }

  @Override
  public boolean onLoopback() {
    return onLoopback;
  }

  @Override
  public ClientAddress clientAddress() {
    return ClientAddress.of(address);
  }

  @Override
  public void onAbort(Runnable cancel) {
    timed = true;
    onGone(cancel);
  }

  @Override
  public void onGone(Runnable cancel) {
    abort = cancel;
    watch.add(this);
  }

  @Override
  public boolean timedOut() {
    return timedOut;
  }

  /** Abandons the request if its client has disconnected or its time is over. */
  void check() {
    Runnable cancel = abort;
    if (cancel == null) {
      return;
    }
    synchronized (underWay) {
      if (completed) {
        watch.remove(this);
        return;
      }
      timedOut = timed && System.nanoTime() - deadline > 0;
      if (!timedOut && !(noMoreBody() && clientGone())) {
        return;
      }
      abort = null;
    }
    watch.remove(this);
    cancel.run();
  }

  private boolean noMoreBody() {
    RequestBody begun = body;
    return (begun != null && begun.ended())
        || request.getLength() == 0
        || (header("Content-Length") == null && header("Transfer-Encoding") == null);
  }

  private boolean clientGone() {
    return endPoint().hasDisconnected();
  }

  /** Returns the connection to Jetty. */
  void complete(@Nullable Throwable failure) {
    abort = null;
    watch.remove(this);
    synchronized (underWay) {
      if (completed) {
        return;
      }
      completed = true;
    }
    RequestBody begun = body;
    if (begun != null) {
      begun.release();
    }
    ByteArrayOutputStream whole = held;
    if (failure == null && lane != null && whole != null) {
      lane.answered(this, whole.size());
      Callback sent = Callback.from(() -> end(null), this::end);
      response.write(true, ByteBuffer.wrap(whole.toByteArray()), sent);
    } else if (failure == null && lane == null && committed() && !noMoreBody()) {
      linger(begun == null ? newBody() : begun);
    } else {
      end(failure);
    }
  }

  /** Ends an exchange whose answer is sent and whose body was not read to its end. */
  private void linger(RequestBody rest) {
    synchronized (underWay) {
      ended = true;
    }
    // The connection can now make room for others.
    onEnd.run();
    rest.discardRest(LINGER_NANOS);
    callback.succeeded();
  }

  private void end(@Nullable Throwable failure) {
    synchronized (underWay) {
      ended = true;
    }
    if (lane != null) {
      lane.leave(this);
    }
    // Runs before the callback, because the next request may begin after it.
    onEnd.run();
    if (failure == null) {
      callback.succeeded();
    } else {
      callback.failed(failure);
    }
  }

  /** Abandons an operators' request whose answer is not sent yet. */
  void drop() {
    synchronized (underWay) {
      if (!ended) {
        endPoint().close();
      }
    }
  }
}
