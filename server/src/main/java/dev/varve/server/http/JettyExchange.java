package dev.varve.server.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;

/** An exchange over Jetty. */
final class JettyExchange extends Exchange implements Watch.Watched {
  private final Request request;
  private final Response response;
  private final Callback callback;
  private final Watch watch;
  private final long deadline;
  private @Nullable Fields parameters;
  private volatile @Nullable Runnable abort;
  private volatile boolean timed;
  private volatile boolean timedOut;
  private volatile boolean bodyRead;

  /**
   * Guards what others do to the connection against its being given back: from then on it may be
   * the next request's.
   */
  private final Object connection = new Object();

  /** Guarded by {@link #connection}. */
  private boolean completed;

  JettyExchange(Request request, Response response, Callback callback, Watch watch, long deadline) {
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.watch = watch;
    this.deadline = deadline;
    // The time of silence counts while a body comes in or goes out, not while an answer is made.
    request.addIdleTimeoutListener(timeout -> false);
  }

  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public String rawPath() {
    return Request.getPathInContext(request);
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
    return new Body(Content.Source.asInputStream(request), request.getLength());
  }

  /** Notices when there is no more to come, and reads a short rest rather than give it up. */
  private final class Body extends FilterInputStream {
    private static final int REST_MAX = 1 << 20;

    private final long length;
    private long count;

    private Body(InputStream in, long length) {
      super(in);
      this.length = length;
    }

    @Override
    public int read() throws IOException {
      int b = super.read();
      note(b < 0 ? -1 : 1);
      return b;
    }

    @Override
    public int read(byte[] buffer, int offset, int wanted) throws IOException {
      int n = super.read(buffer, offset, wanted);
      note(n);
      return n;
    }

    private void note(int read) {
      count += Math.max(read, 0);
      bodyRead |= read < 0 || count == length;
      if (!bodyRead && System.nanoTime() - deadline > 0) {
        throw new HttpError(408, "the body did not come within the time of a request");
      }
    }

    @Override
    public void close() throws IOException {
      byte[] rest = new byte[4 << 10];
      for (int read = 0; read < REST_MAX && !bodyRead; ) {
        int n = read(rest, 0, rest.length);
        read += Math.max(n, 0);
      }
    }
  }

  @Override
  protected OutputStream commit(int code, Map<String, String> fields, long length) {
    response.setStatus(code);
    fields.forEach((name, value) -> response.getHeaders().put(name, value));
    if (!noMoreBody()) {
      // What is left of the body is not read, so that no other request can follow it.
      response.getHeaders().put("Connection", "close");
    }
    if (length >= 0 && code != 204 && code != 304) {
      response.getHeaders().put("Content-Length", length);
    }
    return Content.Sink.asOutputStream(response);
  }

  @Override
  protected void breakOff() {
    // Of this kind, as Jetty would log a trace else.
    complete(new EofException("broken off"));
    endPoint().close();
  }

  @Override
  protected void hangUp() {
    synchronized (connection) {
      if (!completed) {
        endPoint().close();
      }
    }
  }

  private EndPoint endPoint() {
    return request.getConnectionMetaData().getConnection().getEndPoint();
  }

  @Override
  public String client() {
    return request.getConnectionMetaData().getRemoteSocketAddress()
            instanceof InetSocketAddress address
        ? address.getHostString() + ":" + address.getPort()
        : "";
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

  @Override
  public void check() {
    Runnable cancel = abort;
    if (cancel == null) {
      return;
    }
    synchronized (connection) {
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
    return bodyRead
        || request.getLength() == 0
        || (header("Content-Length") == null && header("Transfer-Encoding") == null);
  }

  private boolean clientGone() {
    return endPoint() instanceof WatchedEndPoint watched && watched.gone();
  }

  /** Gives the connection back. */
  void complete(@Nullable Throwable failure) {
    abort = null;
    watch.remove(this);
    synchronized (connection) {
      if (completed) {
        return;
      }
      completed = true;
    }
    if (failure == null) {
      callback.succeeded();
    } else {
      callback.failed(failure);
    }
  }
}
