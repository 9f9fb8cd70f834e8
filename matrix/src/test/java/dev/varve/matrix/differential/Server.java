package dev.varve.matrix.differential;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One of the two servers. */
final class Server {
  /** The method of a request that sends its body as lines, over a connection of its own. */
  static final String LINES = "LINES";

  /** The line that ends a connection to OpenTSDB; KairosDB has none. */
  private static final String EXIT = "exit\n";

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final URI address;
  private final String prefix;
  private final int linesPort;
  private final HttpClient http = HttpClient.newHttpClient();

  /** An ID that a server has made up. */
  private static final Pattern MADE_UP =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

  /** Texts that this server made up, such as IDs of tasks, by the names that both servers share. */
  private final Map<String, String> names = new LinkedHashMap<>();

  /** The same for texts that are too short to be found in an answer. */
  private final Map<String, String> aliases = new LinkedHashMap<>();

  private int request;
  private int made;

  /**
   * Creates a client of a server.
   *
   * @param prefix comes before every path
   */
  Server(URI address, String prefix) {
    this(address, prefix, address.getPort());
  }

  /** Creates a client of a server that accepts lines on another port than requests. */
  Server(URI address, String prefix, int linesPort) {
    this.address = address;
    this.prefix = prefix;
    this.linesPort = linesPort;
  }

  /** Returns the server's own texts by the common ones. */
  Map<String, String> names() {
    return names;
  }

  Map<String, String> aliases() {
    return aliases;
  }

  /**
   * Announces the number of the next request. The IDs that the server makes up for it are named by
   * its number, so that they have the same names in both servers even if one of them has made up
   * more before.
   */
  void begin(int number) {
    request = number;
    made = 0;
  }

  Answer send(Request request) {
    if (request.method().equals(LINES)) {
      return lines(String.valueOf(request.body()));
    }
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(address + prefix + own(request.path())))
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json");
    String body = request.body();
    builder.method(
        request.method(),
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(own(body)));
    try {
      HttpResponse<String> answer =
          http.send(builder.build(), HttpResponse.BodyHandlers.ofString());
      return new Answer(answer.statusCode(), common(answer.body()));
    } catch (IOException e) {
      return new Answer(Answer.DROPPED, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted during " + request, e);
    }
  }

  /** Sends lines, which end the connection, and returns the lines of the answer. */
  private Answer lines(String lines) {
    try (Socket socket = new Socket(address.getHost(), linesPort)) {
      socket.setSoTimeout((int) TIMEOUT.toMillis());
      socket.getOutputStream().write(lines.getBytes(StandardCharsets.UTF_8));
      if (!lines.endsWith(EXIT)) {
        socket.shutdownOutput();
      }
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Answer(200, JsonTree.write(answer.lines().toList()));
    } catch (IOException e) {
      return new Answer(Answer.DROPPED, String.valueOf(e.getMessage()));
    }
  }

  private String own(String text) {
    String own = text;
    for (Map.Entry<String, String> name : names.entrySet()) {
      own = own.replace(encoded(name.getKey()), encoded(name.getValue()));
      own = own.replace(name.getKey(), name.getValue());
    }
    for (Map.Entry<String, String> name : aliases.entrySet()) {
      own = own.replace(name.getKey(), name.getValue());
    }
    return own;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private String common(String text) {
    Matcher ids = MADE_UP.matcher(text);
    while (ids.find()) {
      if (!names.containsValue(ids.group())) {
        names.put("@id.%d.%d@".formatted(request, made++), ids.group());
      }
    }
    String common = text;
    for (Map.Entry<String, String> name : names.entrySet()) {
      common = common.replace(name.getValue(), name.getKey());
    }
    return common;
  }
}
