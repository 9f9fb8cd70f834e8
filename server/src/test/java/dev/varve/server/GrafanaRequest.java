package dev.varve.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A request as a data source of Grafana sends it, and its recorded answer. The file {@code
 * grafana-requests.txt} beside a test has one per paragraph: a line of what it is for, one of
 * method and path, the body of a POST, and the status with the answer, in which {@code ...} is
 * anything.
 */
public record GrafanaRequest(
    String what, String method, String path, String body, int status, String answer) {
  /** Reads the requests beside a test; the first paragraph is a comment. */
  public static Stream<GrafanaRequest> of(Class<?> test) throws IOException {
    try (InputStream in = test.getResourceAsStream("grafana-requests.txt")) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return Arrays.stream(text.split("\n\n", -1)).skip(1).map(GrafanaRequest::read);
    }
  }

  private static GrafanaRequest read(String block) {
    String[] lines = block.strip().concat(" ").lines().toArray(String[]::new);
    String[] request = lines[1].split(" ", 2);
    String[] answer = lines[lines.length - 1].split(" ", 2);
    return new GrafanaRequest(
        lines[0].substring(3),
        request[0],
        request[1],
        lines.length == 4 ? lines[2] : "",
        Integer.parseInt(answer[0]),
        answer[1].strip());
  }

  /** Sends the request as a browser does on a page of Grafana, and checks the answer. */
  public void check(TestServer server, String origin, String type) {
    HttpResponse<String> got = server.send(request(server, origin));
    if (answer.contains("...")) {
      String[] parts = answer.split(Pattern.quote("..."), -1);
      assertThat(got.body())
          .matches(Arrays.stream(parts).map(Pattern::quote).collect(Collectors.joining(".*")));
    } else {
      assertThat(got.body()).isEqualTo(answer);
    }
    assertThat(got.statusCode()).isEqualTo(status);
    assertThat(got.headers().firstValue("Access-Control-Allow-Origin")).hasValue(origin);
    if (status != 204) {
      assertThat(got.headers().firstValue("Content-Type")).hasValue(type);
    }
  }

  private HttpRequest.Builder request(TestServer server, String origin) {
    HttpRequest.Builder request =
        server
            .request(path)
            .header("Accept", "application/json, text/plain, */*")
            .header("Origin", origin);
    return switch (method) {
      case "POST" ->
          request
              .header(
                  "Content-Type",
                  body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded")
              .POST(BodyPublishers.ofString(body));
      case "OPTIONS" ->
          request
              .header("Access-Control-Request-Method", "POST")
              .method("OPTIONS", BodyPublishers.noBody());
      default -> request.method(method, BodyPublishers.noBody());
    };
  }

  @Override
  public String toString() {
    return what + ": " + method + " " + path;
  }
}
