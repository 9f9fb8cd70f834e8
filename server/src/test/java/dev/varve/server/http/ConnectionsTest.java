package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

class ConnectionsTest {
  @Test
  void closesWhatCannotBeSetUp() throws Exception {
    // A Unix socket has no TCP options.
    try (Connections connections =
            new Connections(ConnectionLimits.DEFAULTS, new ConnectionFigures(), true);
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      Connections.Door door = connections.door(false, true);
      assertThatThrownBy(() -> door.admit(channel))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThat(channel.isOpen()).isFalse();
      assertThat(connections.open()).isZero();
    }
  }
}
