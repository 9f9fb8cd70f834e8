package dev.varve.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Sends requests to a server, and tells what it refuses in its own words. */
final class ServerConnection implements AutoCloseable {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int OK = 200;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;

  ServerConnection(URI server) {
    this.server = server;
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.resolve(path));
  }

  /**
   * Sends a request and gives the body of its answer.
   *
   * @throws CommandFailedException if there is no answer, or one that is no success
   */
  InputStream send(HttpRequest request) {
    try {
      HttpResponse<InputStream> answer =
          client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      if (answer.statusCode() == OK) {
        return answer.body();
      }
      try (InputStream body = answer.body()) {
        throw new CommandFailedException(errorText(answer.statusCode(), body.readAllBytes()));
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

  /** The member {@code error} of an object, or whatever came. */
  private static String errorText(int status, byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8).strip();
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
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
      // Not JSON: what came is shown as it is.
    }
    return "the server answered " + status + (text.isEmpty() ? "" : ": " + text);
  }

  @Override
  public void close() {
    client.close();
  }
}
