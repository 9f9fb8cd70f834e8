package dev.varve.bench.originals;

import dev.varve.bench.compare.Connection;
import dev.varve.bench.compare.ProcessFigures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A server that takes part in a stage.
 *
 * @param prefix before every path of the original's API
 * @param figures of its process
 */
record Contestant(String name, int port, String prefix, ProcessFigures figures) {
  /**
   * Sends the request of a question and returns the body of the answer.
   *
   * @throws IOException if the status of the answer is not 2xx
   */
  String ask(Connection connection, Question question) throws IOException {
    byte[] body = question.body().getBytes(StandardCharsets.UTF_8);
    int status =
        connection.send(
            question.method(),
            prefix + question.path(),
            "Content-Type: application/json\r\n",
            body,
            body.length);
    if (status / 100 != 2) {
      throw new IOException(
          "%s answered %d to '%s': %.1000s"
              .formatted(name, status, question.name(), connection.text()));
    }
    return connection.text();
  }

  /**
   * Sends requests one after the other.
   *
   * @throws IOException if the status of an answer is not 2xx
   */
  void askAll(Connection connection, List<Question> requests) throws IOException {
    for (Question request : requests) {
      ask(connection, request);
    }
  }
}
