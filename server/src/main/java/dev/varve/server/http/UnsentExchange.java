package dev.varve.server.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.UrlEncoded;
import org.jspecify.annotations.Nullable;

/** A request that nobody sends, to find out which rights it would need. It has no answer. */
public final class UnsentExchange extends Exchange {
  private final String method;
  private final String rawPath;
  private final String rawQuery;
  private final Fields parameters = new Fields(true);
  private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final byte[] body;

  /**
   * Creates a request.
   *
   * @param target path with or without a query
   * @throws HttpError 400 if the query is not URL-encoded
   */
  public UnsentExchange(String method, String target, Map<String, String> headers, byte[] body) {
    int end = target.indexOf('?');
    this.method = method;
    this.rawPath = end < 0 ? target : target.substring(0, end);
    this.rawQuery = end < 0 ? "" : target.substring(end + 1);
    this.headers.putAll(headers);
    this.body = body.clone();
    if (end >= 0) {
      try {
        UrlEncoded.decodeUtf8To(rawQuery, parameters);
      } catch (RuntimeException e) {
        throw HttpError.badRequest("what follows the '?' of the address is not URL-encoded UTF-8");
      }
    }
  }

  /**
   * Takes path, variables and dataset from the route that was found, as a server does.
   *
   * @throws HttpError 400 if the path is not URL-encoded
   */
  public void found(Router.Match match) {
    Dispatcher.read(this, match);
  }

  /** Returns whether the request says more than its path. */
  public boolean saysMore() {
    return !parameters.isEmpty() || body.length > 0;
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public String rawPath() {
    return rawPath;
  }

  @Override
  public String rawQuery() {
    return rawQuery;
  }

  @Override
  public @Nullable String parameter(String name) {
    return parameters.getValue(name);
  }

  @Override
  public List<String> parameters(String name) {
    return parameters.getValuesOrEmpty(name);
  }

  @Override
  public @Nullable String header(String name) {
    return headers.get(name);
  }

  @Override
  protected InputStream transportBody() {
    return new ByteArrayInputStream(body);
  }

  @Override
  protected OutputStream commit(int code, Map<String, String> fields, long length)
      throws IOException {
    throw new IOException("a request that nobody has sent is not answered");
  }

  @Override
  protected void breakOff() {
    // There is no connection.
  }

  @Override
  public void onAbort(Runnable cancel) {
    // There is no client who could disconnect.
  }

  @Override
  public void onGone(Runnable cancel) {
    // There is no client who could disconnect.
  }

  @Override
  public boolean timedOut() {
    return false;
  }

  @Override
  public String client() {
    return "nobody";
  }

  @Override
  public boolean onLoopback() {
    return true;
  }

  @Override
  public ClientAddress clientAddress() {
    return ClientAddress.LOCAL;
  }

  @Override
  protected void hangUp() {
    // There is no connection.
  }
}
