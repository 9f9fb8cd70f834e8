package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

class ConnectionsTest {
  @Test
  void closesWhatCannotBeSetUp() throws Exception {
    Connections connections = new Connections(1);
    // It knows no option of TCP.
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      assertThatThrownBy(() -> connections.admit(channel))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThat(channel.isOpen()).isFalse();
      assertThat(connections.open()).isZero();
    }
  }
}
