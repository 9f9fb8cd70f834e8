package dev.varve.server.http;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A POST without a connection, for fuzzing: a body and the answer to it. */
public final class FuzzExchange extends Exchange {
  private final byte[] body;
  private final Map<String, String> headers;
  private final Map<String, String> parameters;
  private final ByteArrayOutputStream answered = new ByteArrayOutputStream();

  /**
   * @param headers of the request, with lower-case names
   * @param parameters of the URL
   */
  public FuzzExchange(byte[] body, Map<String, String> headers, Map<String, String> parameters) {
    this.body = body;
    this.headers = headers;
    this.parameters = parameters;
    caller(Caller.ANYONE);
  }

  /** Returns the same request with other limits of its body. */
  FuzzExchange limited(long raw, long decoded) {
    prepare(HttpLimits.DEFAULTS.withBodies(raw, decoded), new WriteBudget(Long.MAX_VALUE));
    return this;
  }

  /** Returns the body of the answer. */
  public byte[] answered() throws IOException {
    finish();
    return answered.toByteArray();
  }

  @Override
  public String method() {
    return "POST";
  }

  @Override
  public String rawPath() {
    return "/fuzz";
  }

  @Override
  public String rawQuery() {
    return "";
  }

  @Override
  public @Nullable String parameter(String name) {
    return parameters.get(name);
  }

  @Override
  public List<String> parameters(String name) {
    String value = parameter(name);
    return value == null ? List.of() : List.of(value);
  }

  @Override
  public @Nullable String header(String name) {
    return headers.get(name.toLowerCase(Locale.ROOT));
  }

  @Override
  protected InputStream transportBody() {
    return new ByteArrayInputStream(body);
  }

  @Override
  protected OutputStream commit(int code, Map<String, String> fields, long length) {
    return answered;
  }

  @Override
  protected void breakOff() {}

  @Override
  public void onAbort(Runnable cancel) {}

  @Override
  public void onGone(Runnable cancel) {}

  @Override
  public boolean timedOut() {
    return false;
  }

  @Override
  public String client() {
    return "";
  }

  @Override
  public boolean onLoopback() {
    return false;
  }

  @Override
  public ClientAddress clientAddress() {
    return ClientAddress.LOCAL;
  }

  @Override
  protected void hangUp() {}
}
