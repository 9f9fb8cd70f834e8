package dev.varve.cli.target;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.Failures;
import dev.varve.formats.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Sends requests to a server and reports its errors in its own words. */
public final class ServerConnection implements AutoCloseable {
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int TOO_MANY = 429;
  private static final int BUSY = 503;

  private final ServerAddress server;

  /** The client for a remote server; null for a local one. */
  private final @Nullable HttpClient client;

  public ServerConnection(ServerAddress server) {
    this.server = server;
    this.client =
        server instanceof ServerAddress.Remote(URI _, HttpConfig http) ? client(http) : null;
  }

  private static HttpClient client(HttpConfig http) {
    HttpClient.Builder client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    if (http.tls() != null) {
      client.sslContext(http.tls());
    }
    return client.build();
  }

  /**
   * Sends a request and returns the body of the answer.
   *
   * @throws ServerBusyException if the server is overloaded
   * @throws CommandFailedException if there is no answer, or its status is not a success
   */
  public InputStream send(ServerRequest request) {
    try {
      SocketHttp.Answer answer =
          switch (server) {
            case ServerAddress.Local(Path directory) -> SocketHttp.send(directory, request);
            case ServerAddress.Remote(URI url, HttpConfig http) -> send(url, http, request);
          };
      if (answer.status() == OK) {
        return answer.body();
      }
      try (InputStream body = answer.body()) {
        String text = errorText(answer.status(), body.readAllBytes());
        throw switch (answer.status()) {
          case BUSY, TOO_MANY -> new ServerBusyException(text);
          case NOT_FOUND -> new NotFoundException(text);
          default -> new CommandFailedException(text);
        };
      }
    } catch (ConnectException e) {
      throw new CommandFailedException("no server answers at " + server);
    } catch (IOException e) {
      throw new CommandFailedException(
          "the server at " + server + " failed: " + Failures.message(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailedException("interrupted");
    }
  }

  private SocketHttp.Answer send(URI url, HttpConfig config, ServerRequest request)
      throws IOException, InterruptedException {
    HttpRequest.Builder http = HttpRequest.newBuilder(below(url, request.path()));
    request.headers().forEach(http::header);
    if (config.authorization() != null) {
      http.header("Authorization", config.authorization());
    }
    byte[] body = request.body();
    if (body != null) {
      http.POST(HttpRequest.BodyPublishers.ofByteArray(body));
    }
    HttpResponse<InputStream> answer =
        Objects.requireNonNull(client)
            .send(http.build(), HttpResponse.BodyHandlers.ofInputStream());
    return new SocketHttp.Answer(answer.statusCode(), answer.body());
  }

  /** Returns the address of a path on a server whose own address may have a path, too. */
  private static URI below(URI server, String path) {
    String prefix = server.getRawPath() == null ? "" : server.getRawPath();
    return server.resolve(
        (prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix) + path);
  }

  /** Returns the member {@code error} of a JSON object, or the whole text if it is not one. */
  private static String errorText(int status, byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8).strip();
    try (JsonParser json = Json.parser(text)) {
      if (json.nextToken() == JsonToken.START_OBJECT) {
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
          boolean found = json.currentName().equals("error");
          json.nextToken();
          if (found) {
            return json.getString();
          }
          json.skipChildren();
        }
      }
    } catch (JacksonException e) {
      // The text is not JSON and is shown unchanged.
    }
    return "the server answered " + status + (text.isEmpty() ? "" : ": " + text);
  }

  @Override
  public void close() {
    if (client != null) {
      client.close();
    }
  }
}
