package dev.varve.server.prometheus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.http.Dispatcher;
import dev.varve.server.http.HttpLimits;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Router;
import dev.varve.server.http.SocketServer;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnvelopeTest {
  /** With HTTP/1.0 only the JSON can tell the receiver that an answer is incomplete. */
  @Test
  void leavesAnAnswerHalfThatBreaksOffHalfWay() throws Exception {
    Route half =
        Route.get(
            "/half",
            Route.Load.NONE,
            Right.LOGIN,
            exchange ->
                Envelope.answer(
                    exchange,
                    json -> {
                      json.writeStartArray();
                      for (int i = 0; i < 10_000; i++) {
                        json.writeString("0123456789");
                      }
                      throw new IllegalStateException("half way");
                    }));
    Router router =
        new Router(List.of(new Router.Mount("test", true, List.of(half), Envelope.ERRORS)));
    Dispatcher dispatcher =
        new Dispatcher(HttpLimits.DEFAULTS, (dialect, path, status, nanos, in, out) -> {});
    SocketServer.Port port = new SocketServer.Port("127.0.0.1", 0, router, null);
    try (SocketServer server = SocketServer.start(List.of(port), dispatcher);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.ports().getFirst())) {
      socket.setSoTimeout(5000);
      socket.getOutputStream().write("GET /half HTTP/1.0\r\n\r\n".getBytes(UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(answer)
          .contains("{\"status\":\"success\",\"data\":[\"0123456789\",")
          .doesNotContain("]", "}");
    }
  }
}
